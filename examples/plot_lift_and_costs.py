"""
Lift, and what mistakes cost
============================

A ranking becomes money where it is cut. A team can review some of the rows of highest score: how many of the frauds
do they find, and at which score does a further review cost more than it saves?
"""

import matplotlib.pyplot as plt
import numpy as np

from aucmax import AUCClassifierCV
from aucmax.plots import CumulativeGainsDisplay

rng = np.random.default_rng(0)
n = 20_000
X = rng.lognormal(size=(n, 8)) ** 0.7
is_fraud = np.log(X) @ [0.9, 0.6, 0.4, 0.3, 0, 0, 0, 0] + rng.normal(scale=0.8, size=n) > 2.45

model = AUCClassifierCV(random_state=0).fit(X[:10_000], is_fraud[:10_000])
scores, truth = model.decision_function(X[10_000:]), is_fraud[10_000:]

# %%
# On the left, the frauds found against the rows reviewed: the upper line is a perfect ranking. On the right, the
# cost against the share reviewed: 500 for a fraud that is missed, 20 for a review. The lowest point moves with the
# prices; the ranking does not.

MISSED, REVIEW = 500, 20
order = np.argsort(-scores)
found = np.cumsum(truth[order])
reviewed = np.arange(1, scores.size + 1)
cost = MISSED * (truth.sum() - found) + REVIEW * reviewed
best = cost.argmin()

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
CumulativeGainsDisplay.from_predictions(truth, scores, ax=left)
left.axvline(reviewed[best] / scores.size, color="0.4", linestyle="--", linewidth=1)
right.plot(reviewed / scores.size, cost / 1000, color="#0b5cad", linewidth=2)
right.plot(reviewed[best] / scores.size, cost[best] / 1000, "o", color="#b04a08", markersize=9)
right.annotate(
    f"review {reviewed[best] / scores.size:.1%} of the rows,\nfind {found[best] / truth.sum():.0%} of the frauds",
    (reviewed[best] / scores.size, cost[best] / 1000),
    xytext=(0.3, 0.12),
    textcoords="axes fraction",
    arrowprops={"arrowstyle": "-", "color": "0.5"},
)
right.axhline(MISSED * truth.sum() / 1000, color="0.5", linestyle=":", label="review nothing")
right.set(xlabel="share of the rows reviewed", ylabel="cost in thousands", ylim=(0, None))
right.legend(frameon=False)
right.spines[["top", "right"]].set_visible(False)
plt.show()
