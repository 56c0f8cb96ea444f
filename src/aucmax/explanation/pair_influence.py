"""Influence of the rows on the gradient of a pairwise loss, and its Hessian, for standard errors of the weights.

The gradient of E[f(w.(x - x'))] is a U-statistic. A positive row i changes it by r_i (h_i - g), with r_i its share of
the weight of its class, g the gradient, and h_i the mean of f'(m) (x_i - x') over its partners x', the negative rows;
a negative row by the same with the positive rows. The Hessian is E[f''(m) (x - x') (x - x')']. Sums over the partners
of f' and f'', times a weight, take O(n) (logistic) or a sort (squared hinge).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aucmax.losses.analytic_sums import BoxedRows
from aucmax.losses.logistic import derivatives

# from scores, labels, weights of shape (n, k) and the order of the derivative of f to the sums over partners, (n, k)
PartnerSums = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]


def logistic_sums(scores: np.ndarray, y: np.ndarray, weights: np.ndarray, order: int) -> np.ndarray:
    """Sums over partners for f(m) = log(1 + exp(-m))."""
    rows = BoxedRows.of(scores - scores.mean(), y)
    function = derivatives().first if order == 1 else derivatives().second
    return np.column_stack([rows.values(rows.moments(column), function) for column in weights.T.copy()])


def squared_hinge_sums(scores: np.ndarray, y: np.ndarray, weights: np.ndarray, order: int) -> np.ndarray:
    """Sums over partners for f(m) = (1 - m)_+^2: f' = -2 (1 - m)_+ and f'' = 2 where m < 1."""
    out = np.empty(weights.shape)
    for side in (1.0, -1.0):
        own = y == side
        others = y == -side
        ranked = np.argsort(side * scores[others])
        partner = (side * scores[others])[ranked]
        mine = side * scores[own]
        first = np.searchsorted(partner, mine - 1.0, "right")  # partners from here on are within the margin
        v = weights[others][ranked]
        total = _sums_from(v)[first]
        if order == 2:
            out[own] = 2.0 * total
        else:
            out[own] = -2.0 * ((1.0 - mine)[:, None] * total + _sums_from(partner[:, None] * v)[first])
    return out


def _sums_from(v: np.ndarray) -> np.ndarray:
    """The sums of the rows from each on; 0 after the last."""
    return np.vstack([np.cumsum(v[::-1], axis=0)[::-1], np.zeros(v.shape[1])])


PARTNER_SUMS: dict[str, PartnerSums] = {"logistic": logistic_sums, "squared_hinge": squared_hinge_sums}


def pair_loss_change(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, w: np.ndarray, sums: PartnerSums
) -> tuple[np.ndarray, np.ndarray]:
    """Influence of every row on the gradient of the loss, of shape (n, d), and the Hessian."""
    share = np.empty(y.size)
    for side in (1.0, -1.0):
        share[y == side] = weight[y == side] / weight[y == side].sum()
    X = X - X.mean(axis=0)  # only differences matter
    scores = X @ w
    both = np.column_stack([share, share[:, None] * X])
    first = sums(scores, y, both, 1)
    slopes = y[:, None] * (first[:, :1] * X - first[:, 1:])  # h_i
    positive = y > 0
    gradient = share[positive] @ slopes[positive]
    second = sums(scores, y, both, 2)
    mixed = X[positive].T @ (share[positive, None] * second[positive, 1:])
    hessian = X.T @ ((share * second[:, 0])[:, None] * X) - mixed - mixed.T
    return share[:, None] * (slopes - gradient), hessian
