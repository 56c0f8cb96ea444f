"""
What a stack blends
===================

Models that err on different rows rank better together. Here a kernel ranker, which is smooth, and extra trees,
which see edges, rank a table that has both: a ring, and two bars with straight edges.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from aucmax import AUCStackingClassifier, KernelAUCClassifier
from aucmax.metrics import roc_auc

rng = np.random.default_rng(1)


def draw(n):
    """A noisy ring and two noisy bars."""
    X = rng.uniform(-2, 2, size=(n, 2))
    ring = np.exp(-8 * (np.hypot(X[:, 0] + 0.6, X[:, 1] - 0.6) - 0.9) ** 2)
    upright = (X[:, 0] > 0.7) & (X[:, 0] < 1.3) & (X[:, 1] < 0.6)
    lying = (X[:, 1] > -1.6) & (X[:, 1] < -1.2) & (X[:, 0] < 1.3)
    return X, rng.random(n) < np.clip(0.55 * ring + 0.55 * (upright | lying), 0.02, 0.95)


X, y = draw(1_500)
X_test, y_test = draw(6_000)
members = [
    ("kernel", KernelAUCClassifier(kernel=["rbf"], n_components=120, relevance=False)),
    ("extra trees", ExtraTreesClassifier(150, min_samples_leaf=3, bootstrap=True)),
]
stack = AUCStackingClassifier(members, random_state=0).fit(X, y)
named = {**stack.named_estimators_, "stack": stack}

# %%
# The kernel draws the ring and blurs the bars; the trees draw the bars and make a polygon of the ring. The blend
# ranks new rows a little better than either.


def scores(model, rows):
    """Whatever the model ranks by."""
    if hasattr(model, "decision_function"):
        return model.decision_function(rows)
    return model.predict_proba(rows)[:, 1]


ticks = np.linspace(-2, 2, 140)
grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
figure, axes = plt.subplots(1, 3, figsize=(12, 4.4), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, named.items()):
    ranks = np.argsort(np.argsort(scores(model, grid))).reshape(140, 140)
    ax.imshow(ranks, origin="lower", extent=(-2, 2, -2, 2), cmap="viridis")
    ax.scatter(*X[y].T, s=4, color="white", linewidths=0)
    weight = "" if name == "stack" else f", weight {stack.weights_[list(named).index(name)]:.2f}"
    ax.set_title(f"{name}: AUC {roc_auc(y_test, scores(model, X_test)):.3f}{weight}")
plt.show()
