"""How often a comparison sees a difference at the 5 % level: where there is none, and where there is one."""

import numpy as np
from scipy.special import ndtr
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from threadpoolctl import threadpool_limits

from aucmax import AUCClassifier, compare

REPETITIONS = 150


def first(X):
    return X[:, :5]


def second(X):
    return X[:, 5:]


def shares(n, positives, gain, folds, repetitions):
    """Shares of differences seen by `compare`, and by DeLong's variance alone, between two halves of the columns."""
    models = {name: make_pipeline(FunctionTransformer(half), AUCClassifier()) for name, half in HALVES.items()}
    rng = np.random.default_rng(12345)
    y = np.arange(n) < positives
    seen = np.zeros(2)
    for seed in range(repetitions):
        X = rng.normal(size=(n, 10)) + 0.4 * y[:, None]
        X[:, 5:] += gain * y[:, None]
        row = compare(X, y, models, cv=folds, reference="first", random_state=seed)["second"]
        seen += (row.p_value < 0.05, 2 * ndtr(-abs(row.difference) / row.delong_error) < 0.05)
    return seen / repetitions


HALVES = {"first": first, "second": second}
CASES = [(200, 40, 0.0, 5), (1000, 50, 0.0, 5), (300, 60, 0.0, 3), (1000, 50, 0.2, 5)]


def run(repetitions: int = REPETITIONS):
    rows = []
    with threadpool_limits(1):
        for n, positives, gain, folds in (
            (200, 40, 0.0, 5),
            (1000, 50, 0.0, 5),
            (300, 60, 0.0, 3),
            (1000, 50, 0.2, 5),
        ):
            ours, delong = shares(n, positives, gain, folds, repetitions)
            what = f"{n} rows, {positives} positives, {folds} folds, {'one' if gain else 'no'} difference"
            rows.append(
                {"what": what, "seen by compare": ours, "by DeLong alone": delong, "repetitions": repetitions}
            )
    return rows
