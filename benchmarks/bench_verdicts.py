"""How often intervals cover and verdicts err, on simulated tables whose truth is known.

Coverage: the share of tables whose 95 % interval of the cross-validated AUC holds the mean true AUC of the fitted
models (for the row with ties, of a fixed score of rounded columns). Verdicts: two models, each fitted to its own half
of the columns; the truth is the difference of the AUCs of the best possible models, and for "a column, noisier" that
of two fixed scores. A verdict errs if it says better or worse where there is no difference, or equivalent where the
difference exceeds the region of practical equivalence. Goals: coverage 93 to 97 %, errors at most 7 %.
"""

import numpy as np
from scipy.special import ndtr
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from threadpoolctl import threadpool_limits

from aucmax.comparison.data import make_comparison_data
from aucmax.comparison.out_of_fold import collect, fit_fold
from aucmax.comparison.statistics import ROPE, paired_difference
from aucmax.metrics import roc_auc
from aucmax.metrics.cv_interval import cv_auc_limits
from aucmax.problem.moments import Moments

REPETITIONS = 600
SHIFT = 0.4  # of every column of the positives


class Half(ClassifierMixin, BaseEstimator):
    """The ridge solution of the squared loss on some of the columns; with alpha=None, their sum, which is fixed."""

    def __init__(self, start=0, stop=5, alpha=0.1):
        self.start = start
        self.stop = stop
        self.alpha = alpha

    def fit(self, X, y):
        self.classes_ = np.array([False, True])
        self.coef_ = np.ones((1, self.stop - self.start))
        if self.alpha is not None:
            moments = Moments.of(X[:, self.start : self.stop], np.where(y, 1.0, -1.0))
            S = moments.within
            penalty = self.alpha * np.trace(S) / len(S) * np.eye(len(S))
            self.coef_ = np.linalg.solve(S + penalty, moments.delta)[None, :]
        return self

    def decision_function(self, X):
        return X[:, self.start : self.stop] @ self.coef_[0]


def table(rng, n, positives, gain=0.0, rounded=False):
    y = np.arange(n) < positives
    X = rng.normal(size=(n, 10)) + SHIFT * y[:, None]
    X[:, 5:] += gain * y[:, None]
    return (np.round(X) if rounded else X), y


def mean_true_auc(model, data):
    """The mean AUC, on infinitely many rows, of the fits to the training sets."""
    weights = [clone(model).fit(data.X[train], data.y[train]).coef_[0] for train, _ in data.folds]
    return float(np.mean([ndtr(SHIFT * w.sum() / np.sqrt(2.0 * w @ w)) for w in weights]))


def run_of(model, X, y, folds, repeats, seed):
    """All fits of a model, evaluated."""
    data = make_comparison_data(X, y, folds, None, None, seed, repeats)
    fits = [fit_fold(model, data, fold) for fold in range(len(data.folds))]
    return data, collect(fits, data)


def coverage(n, positives, folds, repeats, rounded, repetitions):
    rng = np.random.default_rng(1)
    model = Half(alpha=None if rounded else 0.1)
    truth = None
    if rounded:
        X, y = table(rng, 4_000_000, 2_000_000, rounded=True)
        truth = roc_auc(y, X[:, :5].sum(axis=1))
    hits = 0
    for seed in range(repetitions):
        X, y = table(rng, n, positives, rounded=rounded)
        data, run = run_of(model, X, y, folds, repeats, seed)
        low, high = cv_auc_limits(float(run.aucs.mean()), run.influence, data.is_pos, data.n_folds)
        hits += low <= (truth or mean_true_auc(model, data)) <= high
    return hits / repetitions


def verdicts(n, positives, folds, repeats, gain, repetitions):
    rng = np.random.default_rng(2)
    counts = dict.fromkeys(("better", "worse", "equivalent", "undecided"), 0)
    for seed in range(repetitions):
        X, y = table(rng, n, positives, gain)
        data, first = run_of(Half(0, 5), X, y, folds, repeats, seed)
        _, second = run_of(Half(5, 10), X, y, folds, repeats, seed)
        counts[_verdict(data, second, first)] += 1
    best = [ndtr(np.sqrt(2.5) * shift) for shift in (SHIFT, SHIFT + gain)]
    return best[1] - best[0], {name: count / repetitions for name, count in counts.items()}


def noisy_verdicts(n, noise, repetitions):
    """A fixed score against the same with noise added: differences small enough to be called equivalent."""
    rng = np.random.default_rng(3)
    counts = dict.fromkeys(("better", "worse", "equivalent", "undecided"), 0)
    y = np.arange(n) < n // 2
    for seed in range(repetitions):
        X = np.empty((n, 2))
        X[:, 0] = rng.normal(size=n) + 2.0 * y
        X[:, 1] = X[:, 0] + noise * rng.normal(size=n)
        data, first = run_of(Half(0, 1, None), X, y, 5, 1, seed)
        _, second = run_of(Half(1, 2, None), X, y, 5, 1, seed)
        counts[_verdict(data, first, second)] += 1
    difference = ndtr(np.sqrt(2.0)) - ndtr(2.0 / np.sqrt(2.0 + noise**2 * 2.0))
    return difference, {name: count / repetitions for name, count in counts.items()}


def _verdict(data, a, b):
    n_train, n_test = data.mean_sizes
    paired = paired_difference(a.aucs, b.aucs, a.influence - b.influence, n_train=n_train, n_test=n_test)
    return paired.verdict(paired.p_value)


COVERAGE = [  # rows, positives, folds, repeats, rounded columns
    (1000, 20, 5, 1, False),
    (2000, 40, 5, 1, False),
    (1000, 50, 5, 1, False),
    (500, 75, 10, 1, False),
    (300, 90, 5, 1, False),
    (300, 90, 5, 3, False),
    (1000, 20, 5, 3, False),
    (500, 100, 5, 1, True),
    (500, 10, 5, 1, False),
]
VERDICTS = [  # rows, positives, folds, repeats, shift of the better half
    (200, 40, 5, 1, 0.0),
    (1000, 50, 5, 1, 0.0),
    (300, 60, 3, 1, 0.0),
    (300, 60, 5, 3, 0.0),
    (1000, 50, 5, 1, 0.2),
]
NOISY = [(4000, 0.05), (4000, 0.1), (4000, 0.23), (40_000, 0.23)]  # rows, standard deviation of the noise


def row(what, covers="", difference="", shares=None):
    shares = shares or {}
    wrong = shares["better"] + shares["worse"] if shares else ""
    rounded = round(difference, 4) if shares else ""
    words = {name: shares.get(name, "") for name in ("equivalent", "undecided")}
    return {"what": what, "covers": covers, "true difference": rounded, "better or worse": wrong, **words}


def run(repetitions: int = REPETITIONS):
    rows = []
    with threadpool_limits(1):
        for case in COVERAGE:
            n, positives, folds, repeats, rounded = case
            what = (
                f"interval: {n} rows, {positives} positives, {folds} folds x {repeats}{', ties' if rounded else ''}"
            )
            rows.append(row(what, coverage(*case, repetitions)))
        for case in VERDICTS:
            n, positives, folds, repeats, _ = case
            what = f"two halves: {n} rows, {positives} positives, {folds} folds x {repeats}"
            rows.append(row(what, "", *verdicts(*case, repetitions)))
        for case in NOISY:
            rows.append(
                row(f"a column, noisier: {case[0]} rows, rope {ROPE}", "", *noisy_verdicts(*case, repetitions))
            )
    return rows
