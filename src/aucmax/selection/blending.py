"""Blending: the non-negative weights of rankers that minimise the squared pairwise loss of their weighted sum.

With m members, delta the difference of the class means of their scores, H = S+ + S- + delta delta' (S+ and S- the
covariances within the classes), n the number of rows of the rarer class, and w0 = (1/m, ..., 1/m):

    l = lam tr(H)/m,   lam = min(1, 10/n),   c0 = max(delta'w0, 0) / (w0'H w0)
    minimise  w'H w - 2 delta'w + l |w - c0 w0|^2   over w >= 0

This is the squared pairwise loss, shrunk towards the plain mean, or towards zero if the mean misranks. With
H + l I = L L' it is the non-negative least-squares problem min |L'w - L^-1 (delta + l c0 w0)|.

A single member replaces the blend if it is known to be as good: its AUC plus .001 exceeds the AUC of the blend by at
least the standard error of the difference. With few positives no member usually qualifies, and the blend is safer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from aucmax.metrics.delong import std_error_of_counts
from aucmax.problem.moments import Moments
from aucmax.selection.cross_validation import aucs_of

SHRINKAGE = 10.0  # rows of the rarer class at which, or below, the shrinkage is full
AS_GOOD = 0.001  # by how much the AUC of a member may be below the AUC of the blend, with the standard error added


class Blend(NamedTuple):
    """A weighted sum of standardised scores."""

    center: np.ndarray  # means of the scores of the members
    scale: np.ndarray  # standard deviations of the scores of the members
    weights: np.ndarray  # non-negative, summing to 1

    def standardized(self, scores: np.ndarray) -> np.ndarray:
        """Scores of shape (n, m) in units of their standard deviation."""
        return (scores - self.center) / self.scale

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        """Blended scores; members of weight zero are ignored."""
        used = self.weights > 0
        return ((scores[:, used] - self.center[used]) / self.scale[used]) @ self.weights[used]


def fit_blend(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Blend:
    """The blend of out-of-fold scores, or the first member alone that is known to be as good.

    Parameters
    ----------
    scores : array of shape (n, m)
    y : array of shape (n,)
        Labels, -1 and +1.
    weight : array of shape (n,)
        Positive weights of the rows; a weight of k counts as k rows.

    Examples
    --------
    >>> scores = np.array([[0.0, 1.0], [2.0, 2.0], [1.0, 3.0], [4.0, 4.0]])
    >>> fit_blend(scores, np.array([-1, -1, 1, 1]), np.ones(4)).weights
    array([0., 1.])
    """
    center = np.average(scores, axis=0, weights=weight)
    scale = np.sqrt(np.average((scores - center) ** 2, axis=0, weights=weight))
    constant = np.ptp(scores, axis=0) == 0
    center[constant] = scores[0, constant]
    scale[constant] = 1.0
    blend = Blend(center, scale, np.full(scores.shape[1], 1.0 / scores.shape[1]))
    w = blend_weights(blend.standardized(scores), y, weight)
    if w.any():
        blend = blend._replace(weights=w / w.sum())
    alone = _as_good_alone(scores, blend, y, weight)
    return blend if alone is None else blend._replace(weights=np.eye(scores.shape[1])[alone])


def cross_fitted_scores(
    blend: Blend, scores: np.ndarray, y: np.ndarray, weight: np.ndarray, tests: list[np.ndarray]
) -> np.ndarray:
    """Blended scores, in each test set with weights of the members fitted to the other rows.

    The blends have the same spread, so that their scores can be compared. Where the other rows are of one class, the
    weights fitted to all rows are used. Scores of rows in more than one test set are averaged; rows in no test set
    get NaN.

    Parameters
    ----------
    blend : Blend
        The blend fitted to all rows.
    scores, y, weight
        As in `fit_blend`.
    tests : list of arrays of bool, of shape (n,)
        The rows in each test set.
    """
    total = np.zeros(y.size)
    of_all = blend(scores)
    for test in tests:
        blended = of_all
        if np.unique(y[~test]).size == 2:
            weights = fit_blend(scores[~test], y[~test], weight[~test]).weights
            blended = blend._replace(weights=weights)(scores)
        total[test] += blended[test] * (_spread(of_all, weight) / (_spread(blended, weight) or 1.0))
    with np.errstate(invalid="ignore"):
        return total / np.sum(tests, axis=0)


def blend_weights(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The minimiser, which need not sum to 1; zero if no member ranks better than chance.

    Examples
    --------
    >>> good = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> blend_weights(np.column_stack([good, -good]), good, np.ones(4)).round(3)
    array([0.25, 0.  ])
    """
    moments = Moments.of(scores, y, weight)
    m = scores.shape[1]
    delta = moments.delta
    H = moments.within + np.outer(delta, delta)
    if np.trace(H) == 0:
        return np.zeros(m)
    rare = min(max(part.weight, part.count) for part in (moments.pos, moments.neg))
    ridge = min(1.0, SHRINKAGE / rare) * np.trace(H) / m
    spread = H.sum() / m**2  # w0'H w0
    # an entry of c0 w0, zero if the mean misranks
    target = max(delta.mean() / spread, 0.0) / m if spread > 0 else 0.0
    L = cholesky(H + ridge * np.eye(m), lower=True)
    return nnls(L.T, solve_triangular(L, delta + ridge * target, lower=True))[0]


def _as_good_alone(scores: np.ndarray, blend: Blend, y: np.ndarray, weight: np.ndarray) -> int | None:
    """The first member whose AUC is known not to be below the AUC of the blend by more than `AS_GOOD`."""
    blended = blend(scores)
    blend_auc, *member_aucs = aucs_of(np.vstack([blended, scores.T]), y, weight)
    for k, auc in enumerate(member_aucs):
        if blend_auc - auc + std_error_of_counts(y > 0, weight, blended, scores[:, k]) <= AS_GOOD:
            return k
    return None


def _spread(scores: np.ndarray, weight: np.ndarray) -> float:
    """The standard deviation of scores whose mean is zero."""
    return float(np.sqrt(np.average(scores**2, weights=weight)))
