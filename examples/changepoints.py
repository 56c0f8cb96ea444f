"""Learn where sequences change from a few labels, on generated sequences.

    python examples/changepoints.py [folder]

Noise and length differ from sequence to sequence, so that no constant penalty suits all. Prints how many labels of
new sequences each way of choosing the penalty gets right, and writes `changepoints.png`: a new sequence, segmented by
the best constant penalty and by the learned one.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from aucmax.changepoint import PenaltyLearner, PenaltyRegressor, plot, toy

TITLES = {"constant": "the best constant penalty", "interval": "interval regression", "aum": "and descent on AUM"}


def learn(sequences, labels):
    """One learner for each way of choosing the penalty."""
    return {
        model: PenaltyLearner(PenaltyRegressor(model, cv=3, random_state=0)).fit(sequences, labels)
        for model in TITLES
    }


def picture(learners, sequence, labels):
    figure = Figure(figsize=(9, 7), layout="constrained")
    for ax, model in zip(figure.subplots(2, 1), ("constant", "aum")):
        plot(sequence, labels, learners[model].predict([sequence])[0], ax)
        ax.set_title(TITLES[model] if model == "constant" else "the learned penalty", loc="right")
    return figure


def main(folder=".", n=80):
    data = toy(n + n // 2)
    learners = learn(data.sequences[:n], data.labels[:n])
    new, labels = data.sequences[n:], data.labels[n:]
    for model, learner in learners.items():
        right = np.mean([found.size == true.size for found, true in zip(learner.predict(new), data.changes[n:])])
        share = learner.score(new, labels)
        print(
            f"{TITLES[model]:26} labels right: {share:.1%}, sequences with the right number of changes: {right:.1%}"
        )
    shown = int(np.argmax([changes.size for changes in data.changes[n:]]))
    picture(learners, new[shown], labels[shown]).savefig(Path(folder) / "changepoints.png", dpi=110)
    print(Path(folder) / "changepoints.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
