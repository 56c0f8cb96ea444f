"""
Unlearning
==========

A stream in which a supplier delivers ten batches with swapped labels. When the error is found, `unlearn` removes
those rows from the model, as if they had never been seen: no other row is read again.
"""

import matplotlib.pyplot as plt
import numpy as np

from aucmax import AUCClassifier
from aucmax.metrics import roc_auc

rng = np.random.default_rng(3)
X = rng.normal(size=(9_000, 30))
weights = rng.normal(size=30)
y = X @ weights + rng.normal(scale=4.0, size=9_000) > 8.0
X_test, y_test = X[6_000:], y[6_000:]

batches = [np.arange(start, start + 100) for start in range(0, 6_000, 100)]
labels = y.copy()
wrong = range(20, 30)
for number in wrong:
    labels[batches[number]] = ~y[batches[number]]

model, auc = AUCClassifier(alpha=1.0), []
for number, rows in enumerate(batches):
    model = model.partial_fit(X[rows], labels[rows], classes=[False, True])
    if number == 44:  # the error is found
        for bad in wrong:
            model = model.unlearn(X[batches[bad]], labels[batches[bad]])
    auc.append(roc_auc(y_test, model.decision_function(X_test)))

# %%
# The weights after unlearning are those of a fit to the other rows, up to rounding.

kept = np.concatenate([rows for number, rows in enumerate(batches) if number not in wrong])
clean = AUCClassifier(alpha=1.0).fit(X[kept], labels[kept])
difference = np.abs(model.coef_ - clean.coef_).max() / np.abs(clean.coef_).max()
print(f"largest relative difference of the weights: {difference:.0e}")

# %%
# The AUC falls while the wrong labels arrive, recovers slowly as right ones dilute them, and jumps to where it
# would have been when they are removed.

figure, ax = plt.subplots(figsize=(9, 4.6), layout="constrained")
seen = 100 * np.arange(1, len(auc) + 1)
ax.plot(seen, auc, color="#0b5cad", linewidth=2)
ax.axvspan(2_000, 3_000, color="#b3261e", alpha=0.12, linewidth=0)
ax.annotate("swapped labels", (2_500, 0.81), ha="center", color="#b3261e")
ax.axvline(4_500, color="#1a7f37", linestyle="--")
ax.annotate("unlearn", (4_500, 0.81), xytext=(6, 0), textcoords="offset points", color="#1a7f37")
ax.set(xlabel="rows seen", ylabel="AUC of 3,000 test rows")
ax.grid(color="0.93")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
