"""
Changepoints learned from labels
================================

How many times does a noisy sequence jump? The answer depends on a penalty, and the right penalty on the noise and
the length of the sequence. `PenaltyLearner` learns it from a few labelled regions: here there is no change, there
is one.
"""

import matplotlib.pyplot as plt
import numpy as np

from aucmax.changepoint import PenaltyLearner, PenaltyRegressor, make_toy_sequences, plot_sequence

TITLES = {"constant": "best constant penalty", "interval": "interval regression", "aum": "followed by descent on AUM"}

n = 60
data = make_toy_sequences(n + n // 2)
new, new_labels, truth = data.sequences[n:], data.labels[n:], data.changes[n:]
learners = {
    model: PenaltyLearner(PenaltyRegressor(model, cv=3, random_state=0), max_segments=40).fit(
        data.sequences[:n], data.labels[:n]
    )
    for model in TITLES
}
satisfied = {model: learner.score(new, new_labels) for model, learner in learners.items()}
for model, learner in learners.items():
    correct = np.mean([found.size == true.size for found, true in zip(learner.predict(new), truth)])
    print(f"{TITLES[model]:26} labels satisfied: {satisfied[model]:.1%}, correct number of changes: {correct:.1%}")

# %%
# The new sequence on which the two differ most: bars below the axis are labels, vertical lines the changes found.
# No constant suits all sequences, since their noise differs.

counts = np.array([[found.size for found in learners[model].predict(new)] for model in ("constant", "aum")])
true_counts = np.array([true.size for true in truth])
shown = int(np.argmax(np.abs(counts[0] - true_counts) - np.abs(counts[1] - true_counts)))
figure, axes = plt.subplots(2, 1, figsize=(9, 7), layout="constrained", sharex=True)
for ax, model in zip(axes, ("constant", "aum")):
    plot_sequence(new[shown], new_labels[shown], learners[model].predict([new[shown]])[0], ax)
    ax.set_title("best constant penalty" if model == "constant" else "learned penalty", loc="right")
plt.show()
