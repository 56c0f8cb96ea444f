"""Leave-pair-out AUC of the squared pairwise loss, in closed form.

    Airola, Pahikkala, Waegeman, De Baets, Salakoski. "An experimental comparison of cross-validation techniques for
    estimating the area under the ROC curve." Computational Statistics & Data Analysis 2011.

Each pair of a positive row i and a negative row j is ranked by the model fitted to all other rows. With P positives
and M negatives, class means m+ and m-, d = m+ - m-, a = x_i - m+, b = x_j - m-, and the scatter matrices C+ and C-
about the means, the minimiser without the pair is a positive multiple of H^-1 g with

    H = B - P/(P-1)^2 a a' - M/(M-1)^2 b b',      B = C+/(P-1) + C-/(M-1) + alpha I
    g = d - a/(P-1) + b/(M-1)

B is the same for all pairs: with G = B^-1 and u = H^-1 g the margin (a - b + d)'u follows, by the Woodbury identity,
from the numbers a'Ga, b'Gb, a'Gb, a'Gd, b'Gd, d'Gd. So do the scores of the two rows by the minimiser u / (1 + g'u),
with zero midway between the class means of the other rows:

    score of i = (P/(P-1) a'u + g'u/2) / (1 + g'u),      score of j = (M/(M-1) b'u - g'u/2) / (1 + g'u)

All pairs cost O(n d^2 + P M d), and no model is fitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from aucmax.metrics.inputs import binary_labels, check_1d
from aucmax.validation.params import Boolean, Number, check_param

TIE = 1e-12  # margin, relative to its terms, up to which a pair is tied: what is smaller is rounding error
BLOCK = 1_000_000  # pairs that are in memory at the same time


class LeavePairOut(NamedTuple):
    """Leave-pair-out AUC for one alpha."""

    auc: float  # share of the pairs ranked correctly, ties counted half
    std_error: float  # from the shares of each row, as DeLong's


class PairShares(NamedTuple):
    """What the models without each pair say of every row, for one alpha."""

    pos: np.ndarray  # for each positive, the share of the negatives ranked below it, ties counted half
    neg: np.ndarray  # for each negative, the share of the positives ranked above it
    scores: np.ndarray  # of all rows in their order, the mean over the pairs of the row


def leave_pair_out_auc(
    X: ArrayLike, y: ArrayLike, alpha: float, *, standardize: bool = True, pos_label: Any = None
) -> LeavePairOut:
    """AUC of the linear ranker with the squared loss, each pair ranked by a model that has seen neither of its rows.

    For few positives, where the AUC of K folds is noisy. The columns' scale is that of all rows (it uses no labels),
    and alpha is fixed.

    Parameters
    ----------
    X : array of shape (n, d)
        Dense and finite.
    y : array of shape (n,)
        Labels, of any two values; at least two rows of each.
    alpha : float
        Strength of the L2 penalty, above 0, as in `AUCClassifier`.
    standardize : bool
        Divide the columns by their standard deviation first.
    pos_label : optional
        The label of the positive class; by default the larger of the two in sort order.

    Returns
    -------
    LeavePairOut
        (auc, std_error)

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = leave_pair_out_auc(X[:60], y[:60], alpha=0.1)
    >>> round(result.auc, 3), round(result.std_error, 3)
    (0.989, 0.01)
    """
    check_param("alpha", alpha, Number(0, open="low"))
    check_param("standardize", standardize, Boolean())
    rows = check_array(X, dtype=float, ensure_min_samples=4)
    labels = check_1d(y, "y")
    if labels.size != rows.shape[0]:
        raise ValueError(f"y has {labels.size} labels for {rows.shape[0]} rows; pass one per row")
    is_pos = labels == binary_labels(labels, pos_label)[1]
    if standardize:
        spread = rows.std(axis=0)
        rows = rows / np.where(spread > 0, spread, 1.0)
    (shares,) = leave_pair_out(rows, is_pos, [alpha])
    variance = sum(share.var(ddof=1) / share.size for share in (shares.pos, shares.neg))
    return LeavePairOut(float(shares.pos.mean()), float(np.sqrt(variance)))


def leave_pair_out(X: np.ndarray, is_pos: np.ndarray, alphas: Any) -> Iterator[PairShares]:
    """The result for each alpha, on columns that are scaled already."""
    n_pos = int(is_pos.sum())
    n_neg = is_pos.size - n_pos
    if min(n_pos, n_neg) < 2:
        raise ValueError(f"{n_pos} positive and {n_neg} negative rows; leaving a pair out needs two of each")
    X = X - X.mean(axis=0)
    if X.shape[1] > X.shape[0]:  # the same inner products in fewer coordinates
        X = np.transpose(np.linalg.qr(X.T).R)
    means = X[is_pos].mean(axis=0), X[~is_pos].mean(axis=0)
    a, b = X[is_pos] - means[0], X[~is_pos] - means[1]
    values, vectors = np.linalg.eigh(a.T @ a / (n_pos - 1) + b.T @ b / (n_neg - 1))
    a, b, d = a @ vectors, b @ vectors, (means[0] - means[1]) @ vectors
    for alpha in alphas:
        root = 1.0 / np.sqrt(np.maximum(values, 0.0) + alpha)  # that of G, in the eigenvectors of B
        yield _shares(a * root, b * root, d * root, is_pos)


def _shares(a: np.ndarray, b: np.ndarray, d: np.ndarray, is_pos: np.ndarray) -> PairShares:
    """Means over all pairs, a block of positives at a time; the rows are multiplied by the root of G."""
    size = max(1, BLOCK // len(b))
    pos = []
    scores_pos = []
    neg = np.zeros(len(b))
    scores_neg = np.zeros(len(b))
    for start in range(0, len(a), size):
        margins, score_i, score_j = _pairs(a[start : start + size], b, d, len(a))
        wins = (np.sign(margins) + 1.0) / 2.0
        pos.append(wins.mean(axis=1))
        scores_pos.append(score_i.mean(axis=1))
        neg += wins.sum(axis=0)
        scores_neg += score_j.sum(axis=0)
    scores = np.empty(is_pos.size)
    scores[is_pos] = np.concatenate(scores_pos)
    scores[~is_pos] = scores_neg / len(a)
    return PairShares(np.concatenate(pos), neg / len(a), scores)


def _pairs(a: np.ndarray, b: np.ndarray, d: np.ndarray, n_pos: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Margins and scores of the pairs of a block of positives with all negatives, by the models without the pair."""
    p, m = 1.0 / (n_pos - 1), 1.0 / (len(b) - 1)
    ab, dd = a @ b.T, d @ d
    aa, ad = (a * a).sum(axis=1)[:, None], (a @ d)[:, None]
    bb, bd = (b * b).sum(axis=1)[None, :], (b @ d)[None, :]
    # products with G of the row difference v = a - b + d and of g = d - p a + m b
    va, vb = aa - ab + ad, ab - bb + bd
    ga, gb = ad - p * aa + m * ab, bd - p * ab + m * bb
    gg = (dd - p * ad + m * bd) - p * ga + m * gb
    vg = (ad - bd + dd) - p * va + m * vb
    # H^-1 = G + G U K^-1 U' G with U = (a, b) and K = diag(1/c) - U'GU; c = K^-1 U' G g
    kaa, kbb = 1.0 / (p + p * p) - aa, 1.0 / (m + m * m) - bb
    determinant = kaa * kbb - ab * ab
    ca = (kbb * ga + ab * gb) / determinant
    cb = (ab * ga + kaa * gb) / determinant
    margins = vg + va * ca + vb * cb
    inflation = 1.0 + (kbb * aa + 2.0 * np.abs(ab) * np.sqrt(aa * bb) + kaa * bb) / determinant
    size = (aa + bb + dd) * inflation  # of the terms that cancel if the two rows are equal
    margins[np.abs(margins) <= TIE * size] = 0.0
    gu = gg + ga * ca + gb * cb
    score_i = ((1.0 + p) * (ga + aa * ca + ab * cb) + gu / 2.0) / (1.0 + gu)
    score_j = ((1.0 + m) * (gb + ab * ca + bb * cb) - gu / 2.0) / (1.0 + gu)
    return margins, score_i, score_j
