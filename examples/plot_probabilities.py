"""
Probabilities from a ranking
============================

AUC does not care whether a score of 2 means 10 % or 90 %. `AUCClassifierCV` calibrates its out-of-fold scores by
Platt scaling, so that `predict_proba` can be read as a rate, and `threshold_at` finds the score that keeps a
promise.
"""

import matplotlib.pyplot as plt
import numpy as np

from aucmax import AUCClassifierCV
from aucmax.datasets import make_toy
from aucmax.plots import CalibrationDisplay

X, y = make_toy(12_000, 10, positive_rate=0.1, separation=2.2, random_state=2)
train = np.arange(12_000) < 4_000
model = AUCClassifierCV(random_state=0).fit(X[train], y[train])
threshold = model.threshold_at(fpr=0.01)

# %%
# The points lie near the diagonal: among new rows with a predicted probability of 20 %, about a fifth are positive.
# On the right, the threshold for 1 % false positives, chosen on out-of-fold scores, is close to its rate on rows
# that were not used to choose it.

X_new, y_new = X[~train], y[~train]
scores = model.decision_function(X_new)
rate = np.mean(scores[y_new < 0] >= threshold)
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
CalibrationDisplay.from_estimator(model, X_new, y_new, n_bins=12, ax=left)
bins = np.linspace(scores.min(), scores.max(), 60)
right.hist(scores[y_new < 0], bins, density=True, color="0.75", label="negative")
right.hist(scores[y_new > 0], bins, density=True, color="#0b5cad", alpha=0.6, label="positive")
right.axvline(threshold, color="#b04a08", linewidth=2, label=f"threshold_at(fpr=0.01): {rate:.2%} of new negatives")
right.set(xlabel="score of new rows", ylabel="density within the class")
right.set_ylim(0, 1.35 * right.get_ylim()[1])
right.legend(frameon=False, loc="upper left")
right.spines[["top", "right"]].set_visible(False)
plt.show()
