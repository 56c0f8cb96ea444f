"""
Losses, and what an outlier does
================================

A pairwise loss is a price for the margin of a pair: the score of the positive row minus that of the negative one.
AUC counts the pairs whose margin is negative; the losses bound that count from above, or smooth it, and can be
minimised.
"""

import matplotlib.pyplot as plt
import numpy as np

from aucmax import AUCClassifier
from aucmax.metrics import roc_auc

FORMULAS = {
    "squared": lambda m: (1 - m) ** 2 / 2,
    "squared_hinge": lambda m: np.maximum(1 - m, 0) ** 2,
    "hinge": lambda m: np.maximum(1 - m, 0),
    "logistic": lambda m: np.logaddexp(0, -m),
    "exponential": lambda m: np.exp(-m),
}

# two clouds, and a few positives that lie far on the right side: easy rows, with huge margins
rng = np.random.default_rng(0)
X = rng.normal(size=(600, 2)) * [1.0, 3.0]
y = np.arange(600) < 60
X[y] += [1.5, 2.0]
X_test = rng.normal(size=(20_000, 2)) * [1.0, 3.0]
y_test = np.arange(20_000) < 2_000
X_test[y_test] += [1.5, 2.0]

auc = {name: [] for name in FORMULAS}
distances = np.linspace(0, 60, 9)
for distance in distances:
    moved = X.copy()
    moved[:3] = [1.5, 2.0 + distance]
    for name in FORMULAS:
        model = AUCClassifier(alpha=1e-3, loss=name, standardize=False).fit(moved, y)
        auc[name].append(roc_auc(y_test, model.decision_function(X_test)))

# %%
# On the right, three of 60 positives move away in the direction that makes them ever easier to rank. The squared
# loss also charges for margins above 1, so it turns towards them, and its AUC on ordinary rows falls; losses that
# charge little or nothing for a good margin hardly notice.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
margin = np.linspace(-2, 3.5, 300)
left.step([-2, 0, 3.5], [1, 1, 0], where="pre", color="0.6", linewidth=3, label="wrong order (1 - AUC)")
for (name, formula), colour in zip(FORMULAS.items(), plt.get_cmap("tab10").colors):
    left.plot(margin, formula(margin), color=colour, label=name)
    right.plot(distances, auc[name], color=colour, marker="o", markersize=4)
left.set(ylim=(0, 4), xlabel="margin of a pair", ylabel="loss")
left.legend(frameon=False)
right.set(xlabel="distance of three easy positives", ylabel="AUC of ordinary rows")
for ax in (left, right):
    ax.grid(color="0.93")
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
