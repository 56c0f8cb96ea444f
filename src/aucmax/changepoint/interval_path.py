"""The regularization path of interval regression: squared hinges with an l1 penalty, each point with a certificate.

    P(w, c) = mean loss_i(x_i.w + c) + alpha |w|_1

Newton: a quadratic model of the loss, with second derivatives k_i, is minimised exactly with the l1 norm (the columns
are centred with weights k, which eliminates the constant); backtracking takes as much of the step as lowers P, and c
is set to its best value. With g_i the derivative of loss_i, of mean zero at the best c, and s the largest number up
to 1 for which |s X'g / n| <= alpha, theta = s g is dual feasible, and the duality gap is

    mean [loss_i(f_i) + conjugate_i(theta_i) - theta_i f_i]  +  alpha |w|_1 + w.X'theta / n.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.changepoint.interval_loss import IntervalLoss

SMALLEST = 0.001  # alpha at the end of the path
FACTOR = 1.2  # ratio of consecutive alphas
SUFFICIENT = 0.1  # fraction of the predicted decrease that a step must achieve
SHORTEST = 1e-10  # smallest fraction of a Newton step that is tried
RIDGE = 1e-12  # relative to the largest diagonal entry, so that collinear columns can be solved for
SLACK = 1e-9  # relative to alpha, by which a partial derivative may exceed it
MAX_CHANGES = 10  # changes of the active set, per column


class IntervalFit(NamedTuple):
    """A linear model and its certificate."""

    w: np.ndarray
    constant: float
    gap: float  # upper bound on P(w, c) minus its minimum
    converged: bool


def alpha_grid(X: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """The grid 0.001 * 1.2^j, decreasing from the first value at which all weights are zero."""
    loss = IntervalLoss.of(limits)
    zero = np.zeros(limits.shape[0])
    slope = loss.derivative(zero + loss.best_constant(zero))
    largest = float(np.abs(X.T @ slope).max(initial=0.0)) / slope.size
    count = max(int(np.ceil(np.log(max(largest / SMALLEST, 1.0)) / np.log(FACTOR))), 0)
    return SMALLEST * FACTOR ** np.arange(count, -1, -1)


def interval_regression_path(
    X: ArrayLike, limits: ArrayLike, alphas: ArrayLike, tol: float = 1e-6, max_epochs: int = 100
) -> list[IntervalFit]:
    """Minimise P for one alpha after another, each starting from the last solution.

    Parameters
    ----------
    X : array of shape (n, dim)
        Columns of a common scale.
    limits : array of shape (n, 2)
        Lower and upper limits, some of which are finite.
    alphas : array
        Positive penalty strengths, preferably in descending order.
    tol : float
        Stop when the gap is at most this fraction of P at zero weights.
    max_epochs : int
        Maximum number of Newton steps per alpha.

    Returns
    -------
    list of IntervalFit

    Examples
    --------
    >>> X, limits = np.array([[0.0], [1.0], [2.0]]), np.array([[-np.inf, 0.0], [1.0, 3.0], [3.0, np.inf]])
    >>> [found] = interval_regression_path(X, limits, np.array([0.01]))
    >>> found.w.round(2), round(found.constant, 2), found.gap < 1e-6
    (array([2.97]), -0.98, True)
    """
    X, limits, alphas = (np.asarray(part, dtype=float) for part in (X, limits, alphas))
    loss = IntervalLoss.of(limits)
    w = np.zeros(X.shape[1])
    f = np.zeros(X.shape[0])
    constant = loss.best_constant(f)
    target = tol * loss.value(f + constant)
    found = []
    for alpha in alphas:
        for _ in range(max_epochs):
            gap = _duality_gap(X, loss, f + constant, w, alpha)
            if gap <= target:
                break
            w, f = _newton_step(X, loss, f, constant, w, alpha)
            constant = loss.best_constant(f)
        found.append(IntervalFit(w, constant, gap, gap <= target))
    return found


def _duality_gap(X: np.ndarray, loss: IntervalLoss, f: np.ndarray, w: np.ndarray, alpha: float) -> float:
    slope = loss.derivative(f)
    gradient = X.T @ slope / f.size
    steepest = float(np.abs(gradient).max(initial=0.0))
    s = min(1.0, alpha / steepest) if steepest > 0.0 else 1.0
    return loss.fenchel_young(f, s * slope) + float(alpha * np.abs(w).sum() + s * (w @ gradient))


def _newton_step(
    X: np.ndarray, loss: IntervalLoss, f: np.ndarray, constant: float, w: np.ndarray, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """The weights after a Newton step with backtracking, and their predictions without the constant."""
    # the quadratic model
    curvature = loss.second_derivative(f + constant)
    slope = loss.derivative(f + constant)
    active = np.flatnonzero(curvature)
    centre = curvature[active] @ X[active] / (curvature.sum() or 1.0)
    rows = (X[active] - centre) * np.sqrt(curvature[active] / f.size)[:, None]
    gradient = X.T @ slope / f.size
    hessian = rows.T @ rows
    # its minimum
    d = minimise_quadratic(hessian, gradient - hessian @ w, w, alpha) - w
    move = X @ d
    predicted = gradient @ d + alpha * (np.abs(w + d).sum() - np.abs(w).sum())
    # backtracking
    start = loss.value(f + constant) + alpha * np.abs(w).sum()
    part = 1.0
    while part > SHORTEST:
        moved = f + part * move
        value = loss.value(moved + loss.best_constant(moved)) + alpha * np.abs(w + part * d).sum()
        if value <= start + SUFFICIENT * part * predicted:
            break
        part *= 0.5
    return w + part * d, moved


def minimise_quadratic(hessian: np.ndarray, linear: np.ndarray, w: np.ndarray, alpha: float) -> np.ndarray:
    """Minimise w.hessian.w / 2 + linear.w + alpha |w|_1 from w on, by an active set method.

    The minimum for the current signs is the solution of a linear system. A weight that would change sign on the way
    there becomes zero and leaves the active set; at the minimum the weight with the steepest derivative enters.
    """
    w = w.copy()
    sign = np.sign(w)
    ridge = RIDGE * max(float(hessian.diagonal().max()), np.finfo(float).tiny)
    for _ in range(MAX_CHANGES * w.size):
        used = np.flatnonzero(sign)
        system = hessian[np.ix_(used, used)] + ridge * np.eye(used.size)
        best = np.linalg.solve(system, -linear[used] - alpha * sign[used])
        crossed = np.flatnonzero(best * sign[used] < 0.0)
        if crossed.size:
            here = w[used[crossed]]
            parts = here / (here - best[crossed])
            first = int(np.argmin(parts))
            w[used] += parts[first] * (best - w[used])
            w[used[crossed[first]]] = sign[used[crossed[first]]] = 0.0
            continue
        w[used] = best
        gradient = linear + hessian[:, used] @ best
        free = np.where(sign == 0.0, np.abs(gradient), 0.0)
        entering = int(np.argmax(free))
        if free[entering] <= alpha * (1.0 + SLACK):
            break
        sign[entering] = -np.sign(gradient[entering])
    return w
