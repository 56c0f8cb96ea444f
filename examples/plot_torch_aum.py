"""
A network trained with AUM
==========================

`AUMLoss` is a loss for PyTorch that is differentiable almost everywhere and small where the ROC curve is good. A
small network learns two spirals, of which one is rare, with AUM and with the usual cross-entropy.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

from aucmax.metrics import roc_auc
from aucmax.torch import AUMLoss

rng = np.random.default_rng(0)


def spirals(n, rate):
    """Points of two spirals; a share of `rate` on the second."""
    y = rng.random(n) < rate
    turn = np.sqrt(rng.random(n)) * 7.0
    angle = turn + np.pi * y
    X = np.stack([turn * np.cos(angle), turn * np.sin(angle)], axis=1) / 4 + rng.normal(scale=0.09, size=(n, 2))
    return torch.tensor(X, dtype=torch.float32), torch.tensor(y)


X, y = spirals(2_000, 0.08)
X_test, y_test = spirals(4_000, 0.08)


def train(loss, epochs=60):
    """AUC of the test rows after every epoch, and the network."""
    torch.manual_seed(0)
    layers = [
        torch.nn.Linear(2, 48),
        torch.nn.Tanh(),
        torch.nn.Linear(48, 48),
        torch.nn.Tanh(),
        torch.nn.Linear(48, 1),
    ]
    net = torch.nn.Sequential(*layers)
    optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
    auc = []
    for _ in range(epochs):
        for rows in torch.randperm(len(X)).split(500):
            optimiser.zero_grad()
            loss(net(X[rows])[:, 0], y[rows]).backward()
            optimiser.step()
        with torch.no_grad():
            auc.append(roc_auc(y_test.numpy(), net(X_test)[:, 0].numpy()))
    return auc, net


aum_auc, aum_net = train(AUMLoss(standardize=True, rates=True))
entropy = torch.nn.BCEWithLogitsLoss()
entropy_auc, _ = train(lambda scores, labels: entropy(scores, labels.float()))

# %%
# On the left the scores of the network trained with AUM, as ranks, with the rare spiral in white; on the right, AUC
# on new rows. One run with one seed: it shows that AUM trains a network, not which loss is better.

ticks = np.linspace(-2.1, 2.1, 160)
grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
with torch.no_grad():
    surface = aum_net(torch.tensor(grid, dtype=torch.float32))[:, 0].numpy()
ranks = np.argsort(np.argsort(surface)).reshape(160, 160)
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
left.imshow(ranks, origin="lower", extent=(-2.1, 2.1, -2.1, 2.1), cmap="viridis")
left.scatter(*X[~y].T, s=2, color="black", alpha=0.25)
left.scatter(*X[y].T, s=7, color="white")
right.plot(np.arange(1, 61), aum_auc, color="#0b5cad", label="AUM")
right.plot(np.arange(1, 61), entropy_auc, color="#b04a08", label="cross-entropy")
right.set(xlabel="epoch", ylabel="AUC of 4,000 new rows")
right.legend(frameon=False)
right.spines[["top", "right"]].set_visible(False)
plt.show()
