"""Labels from scores, and where zero is; needs NumPy only, so that scoring starts fast.

`predict` returns the positive label where the score is above zero. The parameter `decision` says where zero is
(docs/predictions.md); an estimator accepts the rules that it can compute, and the default of all is "prior":

    "prior"          as many rows are predicted positive as are positive in training, by weight
    "probability"    where the calibrated probability is 1/2
    "balanced"       midway between the class means of the scores, as if the classes were equally frequent
    "errors"         where the (weighted) errors on the training rows are fewest
"""

from __future__ import annotations

import numpy as np

NEAR = 100  # rows on either side of a cut that are sorted to find it


def predicted_labels(scores: np.ndarray, classes: np.ndarray, threshold: float | None = None) -> np.ndarray:
    """The positive label where the score is at least the threshold or, without a threshold, above 0."""
    positive = scores > 0 if threshold is None else scores >= threshold
    return classes[positive.astype(int)]


def prior_cut(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """The threshold above which the total weight is nearest to that of the positives; midway between two scores.

    Rows with equal scores stay together.

    Examples
    --------
    >>> prior_cut(np.array([0.0, 1.0, 2.0, 4.0]), np.array([-1, 1, -1, -1]), np.ones(4))
    3.0
    """
    target = float(weight[y > 0].sum())
    if scores.size > 4 * NEAR and 0.0 < weight.min() == weight.max():
        place = scores.size - round(target / weight[0])  # of the cut in ascending order
        places = np.clip([place - NEAR, place + NEAR], 0, scores.size - 1)
        low, high = np.partition(scores, places)[places]
        near = scores[(scores >= low) & (scores <= high)]
        above = np.count_nonzero(scores > high)
        cut, is_inside = _cut(near, np.ones(near.size), round(target / weight[0]) - above)
        if is_inside:
            return cut
    return _cut(scores, weight, target)[0]


def _cut(scores: np.ndarray, weight: np.ndarray, target: float) -> tuple[float, bool]:
    """The threshold above which the total weight is nearest to the target, and whether scores lie on both sides."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    above = np.concatenate([[0.0], np.cumsum(weight[order])])
    padding = (ranked[0] - ranked[-1]) / ranked.size or 1.0
    bounds = np.concatenate([[ranked[0] + 2 * padding], ranked, [ranked[-1] - 2 * padding]])
    middle = bounds[1:] + 0.5 * (bounds[:-1] - bounds[1:])
    divides = (bounds[:-1] > bounds[1:]) & (middle < bounds[:-1])
    distance = np.where(divides, np.abs(above - target), np.inf)
    best = int(np.argmin(distance))
    return float(middle[best]), 0 < best < ranked.size
