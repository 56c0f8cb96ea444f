"""
Averaging models when positives are few
=======================================

With 20 positives, the best of two hundred cross-validated models is mostly the luckiest one. `KernelAUCClassifier`
therefore averages them, each with a weight that falls by a factor e for every standard error by which its AUC is
below the best. Here it is compared with picking the best, on draws of 20 positives and 200 negatives of a simulated
table.
"""

import matplotlib.pyplot as plt
import numpy as np

from aucmax import KernelAUCClassifier
from aucmax.metrics import roc_auc

rng = np.random.default_rng(0)


def draw(positives, negatives):
    """Rows whose class depends on a product and on two columns of ten."""
    X = rng.normal(size=(60 * (positives + negatives), 10))
    score = X[:, 0] * X[:, 1] + X[:, 2] - 0.5 * np.abs(X[:, 3]) + rng.normal(scale=0.8, size=len(X))
    order = np.argsort(-score)
    tenth = len(X) // 10
    rows = np.concatenate([rng.choice(order[:tenth], positives), rng.choice(order[tenth:], negatives)])
    return X[rows], np.repeat([1, 0], [positives, negatives])


X_test, y_test = draw(500, 2000)
settings = {"kernel": ["linear", "rbf", "laplacian"], "n_components": 100, "random_state": 0}
auc = np.empty((12, 2))
for trial in range(len(auc)):
    X, y = draw(20, 200)
    for column, average in enumerate((False, True)):
        model = KernelAUCClassifier(average=average, **settings).fit(X, y)
        auc[trial, column] = roc_auc(y_test, model.decision_function(X_test))

# %%
# Each line is one draw of the training rows.

gain = auc[:, 1] - auc[:, 0]
figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for pair, won in zip(auc, gain > 0):
    ax.plot([0, 1], pair, marker="o", color="#1a7f37" if won else "#b3261e", linewidth=1.4)
ax.plot([0, 1], auc.mean(axis=0), color="black", linewidth=3, marker="D", label="mean")
ax.set_xticks([0, 1], ["best model", "average of models"])
ax.set_xlim(-0.25, 1.25)
ax.set_ylabel("AUC of 2,500 new rows")
ax.set_title(f"averaging ranks better in {np.sum(gain > 0)} of {len(gain)} draws, by {gain.mean():+.3f} in the mean")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="lower right")
plt.show()
