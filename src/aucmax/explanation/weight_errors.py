"""Importance of the columns of a linear model, with standard errors (docs/predictions.md).

The importance of a column is the standard deviation over all rows of what it adds to the score: |w_j| sigma_j or, for
a column of several features c, sqrt(w_c' V_cc w_c), with V the covariance matrix of all rows. The squared loss with
the penalty l1 |D w|_1 + l2/2 |D w|^2, D the deviations of the columns, has the estimating equation

    g(w) = S w - (1 - w.delta) delta + l2 D^2 w + l1 D sign(w) = 0

A row x of a class with mean m and covariance C changes S by dd' - C and delta by +-d, d = x - m, divided by the
number of rows of the class; and D_j^2 by ((x_j - mu_j)^2 - D_j^2) / n. Its influence on the weights is -H^-1 dg with
H = S + delta delta' + l2 D^2, and the variance of an importance is the sum of its squared influences over all rows
(the sandwich, or infinitesimal jackknife, estimate; Efron 1982). Alpha is taken as given, and with l1 > 0 so is the
set of columns with a weight. For the logistic loss and the squared hinge, Hessian and change of the loss are those
of `pair_influence`.
"""

from __future__ import annotations

import numpy as np

from aucmax.explanation.feature_model import LinearFit
from aucmax.explanation.pair_influence import PARTNER_SUMS, pair_loss_change


def column_deviations(
    X: np.ndarray, share: np.ndarray, coef: np.ndarray, columns: dict[str, list[int]]
) -> np.ndarray:
    """Standard deviation of what each column adds to the score; `share` are weights that sum to 1."""
    centred = X - share @ X
    added = np.column_stack([centred[:, features] @ coef[features] for features in columns.values()])
    return np.sqrt(share @ added**2)


def column_errors(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, fit: LinearFit, columns: dict[str, list[int]]
) -> np.ndarray:
    """Standard errors of `column_deviations`; 0 for columns without a weight."""
    share = weight / weight.sum()
    centred = X - share @ X
    influence = weight_influence(X, y, weight, fit)
    errors = np.zeros(len(columns))
    for k, features in enumerate(columns.values()):
        part = centred[:, features]
        added = part @ fit.coef[features]
        deviation = np.sqrt(share @ added**2)
        if deviation > 0.0:
            slope = part.T @ (share * added)
            change = influence[:, features] @ slope + 0.5 * share * (added**2 - deviation**2)
            errors[k] = np.linalg.norm(change / deviation)
    return errors


def weight_influence(X: np.ndarray, y: np.ndarray, weight: np.ndarray, fit: LinearFit) -> np.ndarray:
    """Influence of every row on the weights, of shape (n, d)."""
    w = fit.coef
    l1, l2 = fit.l1 or 0.0, fit.l2 or 0.0
    share = weight / weight.sum()
    squares = (X - share @ X) ** 2
    variances = share @ squares
    scale = np.sqrt(variances) if fit.standardize else np.ones(w.size)
    if fit.loss in PARTNER_SUMS:
        change, hessian = pair_loss_change(X, y, weight, w, PARTNER_SUMS[fit.loss])
    else:
        change, hessian = _loss_change(X, y, weight, w)
    if fit.standardize:
        safe = np.where(scale > 0, scale, 1.0)
        change += share[:, None] * (squares - variances) * (l2 * w + 0.5 * l1 * np.sign(w) / safe)
    hessian[np.diag_indices(w.size)] += l2 * scale**2
    active = np.flatnonzero(w) if l1 > 0 else np.arange(w.size)
    influence = np.zeros(X.shape)
    inverse = np.linalg.pinv(hessian[np.ix_(active, active)], hermitian=True)
    influence[:, active] = -change[:, active] @ inverse
    return influence


def _loss_change(X: np.ndarray, y: np.ndarray, weight: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Influence of every row on the gradient of the squared loss, and its Hessian S + delta delta'."""
    sides = [(sign, y * sign > 0) for sign in (1.0, -1.0)]
    within = [weight[mine] / weight[mine].sum() for _, mine in sides]
    means = [r @ X[mine] for r, (_, mine) in zip(within, sides)]
    delta = means[0] - means[1]
    shortfall = 1.0 - w @ delta
    change = np.empty(X.shape)
    hessian = np.outer(delta, delta)
    for (sign, mine), r, mean in zip(sides, within, means):
        d = X[mine] - mean
        q = d @ w
        covariance = d.T @ (r[:, None] * d)
        of_scatter = d * q[:, None] - covariance @ w
        of_delta = np.outer(q, delta) - shortfall * d
        change[mine] = r[:, None] * (of_scatter + sign * of_delta)
        hessian += covariance
    return change, hessian
