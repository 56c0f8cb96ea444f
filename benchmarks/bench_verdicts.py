"""How often a comparison finds a significant difference (5 % level), without and with a true difference."""

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


def detection_rates(n, positives, gain, folds, repetitions):
    """How often `compare`, and DeLong's variance alone, find a difference between two halves of the columns."""
    models = {name: make_pipeline(FunctionTransformer(half), AUCClassifier()) for name, half in HALVES.items()}
    rng = np.random.default_rng(12345)
    y = np.arange(n) < positives
    found = np.zeros(2)
    for seed in range(repetitions):
        X = rng.normal(size=(n, 10)) + 0.4 * y[:, None]
        X[:, 5:] += gain * y[:, None]
        row = compare(X, y, models, cv=folds, reference="first", random_state=seed)["second"]
        found += (row.p_value < 0.05, 2 * ndtr(-abs(row.difference) / row.delong_error) < 0.05)
    return found / repetitions


HALVES = {"first": first, "second": second}
CASES = [  # rows, positives, shift of the better half, folds
    (200, 40, 0.0, 5),
    (1000, 50, 0.0, 5),
    (300, 60, 0.0, 3),
    (1000, 50, 0.2, 5),
]


def run(repetitions: int = REPETITIONS):
    rows = []
    with threadpool_limits(1):
        for n, positives, gain, folds in CASES:
            ours, delong = detection_rates(n, positives, gain, folds, repetitions)
            what = f"{n} rows, {positives} positives, {folds} folds, {'one' if gain else 'no'} difference"
            rows.append(
                {"what": what, "found by compare": ours, "by DeLong alone": delong, "repetitions": repetitions}
            )
    return rows
