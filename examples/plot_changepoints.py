"""Learn from a few labels where sequences change, on simulated sequences.

    python examples/plot_changepoints.py [folder]

Noise and length differ from sequence to sequence, so that no constant penalty suits all of them. Prints the fraction
of labels of new sequences that each way of choosing the penalty satisfies, and writes `changepoints.png`: a new
sequence, segmented with the best constant penalty and with the learned one.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from aucmax.changepoint import PenaltyLearner, PenaltyRegressor, make_toy_sequences, plot_sequence

TITLES = {"constant": "best constant penalty", "interval": "interval regression", "aum": "followed by descent on AUM"}


def learn(sequences, labels):
    """One learner for each way of choosing the penalty."""
    return {
        model: PenaltyLearner(PenaltyRegressor(model, cv=3, random_state=0)).fit(sequences, labels)
        for model in TITLES
    }


def draw(learners, sequence, labels):
    figure = Figure(figsize=(9, 7), layout="constrained")
    for ax, model in zip(figure.subplots(2, 1), ("constant", "aum")):
        plot_sequence(sequence, labels, learners[model].predict([sequence])[0], ax)
        ax.set_title(TITLES[model] if model == "constant" else "learned penalty", loc="right")
    return figure


def main(folder=".", n=80):
    data = make_toy_sequences(n + n // 2)
    learners = learn(data.sequences[:n], data.labels[:n])
    new, labels = data.sequences[n:], data.labels[n:]
    for model, learner in learners.items():
        correct = np.mean([found.size == true.size for found, true in zip(learner.predict(new), data.changes[n:])])
        satisfied = learner.score(new, labels)
        print(f"{TITLES[model]:26} labels satisfied: {satisfied:.1%}, correct number of changes: {correct:.1%}")
    shown = int(np.argmax([changes.size for changes in data.changes[n:]]))
    draw(learners, new[shown], labels[shown]).savefig(Path(folder) / "changepoints.png", dpi=110)
    print(Path(folder) / "changepoints.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
