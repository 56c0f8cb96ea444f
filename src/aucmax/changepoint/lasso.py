"""The path of interval regression: squared hinges with an l1 penalty, certified.

    P(w, c) = mean loss_i(x_i.w + c) + rho |w|_1

Newton: where loss_i bends with curvature k_i, a quadratic model of the loss is minimised exactly with the l1 norm
(the columns are centred by k, which takes the constant out), then as much of the step is taken as lowers P, and c is
set to its best. With g_i the slope of loss_i, of mean zero at the best c, and s the largest number
up to 1 for which |s X'g / n| <= rho, theta = s g is a point of the dual problem, and the duality gap is

    mean [loss_i(f_i) + conjugate_i(theta_i) - theta_i f_i]  +  rho |w|_1 + w.X'theta / n.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.changepoint.hinges import Hinges

SMALLEST, FACTOR = 0.001, 1.2  # the strengths of the path
ENOUGH, SHORTEST = 0.1, 1e-10  # part of the promised decrease that a step must bring; shortest part of a step
RIDGE = 1e-12  # of the largest curvature, so that columns that depend on each other can be solved for
SLACK = 1e-9  # of rho, by which a slope may exceed it
MOST_CHANGES = 10  # of the active set, for each column


class Weights(NamedTuple):
    """A linear model and its certificate: P(w, c) is at most `gap` above the minimum."""

    w: np.ndarray
    constant: float
    gap: float
    converged: bool


def strengths(X: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """The path 0.001 * 1.2^j, decreasing from the first strength at which all weights are zero."""
    hinges, zero = Hinges.of(limits), np.zeros(limits.shape[0])
    slope = hinges.slope(zero + hinges.best_constant(zero))
    largest = float(np.abs(X.T @ slope).max(initial=0.0)) / slope.size
    count = max(int(np.ceil(np.log(max(largest / SMALLEST, 1.0)) / np.log(FACTOR))), 0)
    return SMALLEST * FACTOR ** np.arange(count, -1, -1)


def interval_path(
    X: ArrayLike, limits: ArrayLike, rhos: ArrayLike, tol: float = 1e-6, max_steps: int = 100
) -> list[Weights]:
    """Minimise P for one strength after the other, each started at the last answer.

    Parameters
    ----------
    X : array of shape (n, dim)
        Of a common scale.
    limits : array of shape (n, 2)
        Lower and upper limits, some of which are finite.
    rhos : array
        Positive strengths, best in descending order.
    tol : float
        Stop when the gap is below this part of P at zero weights.
    max_steps : int
        Newton steps for a strength.

    Returns
    -------
    list of Weights

    Examples
    --------
    >>> X, limits = np.array([[0.0], [1.0], [2.0]]), np.array([[-np.inf, 0.0], [1.0, 3.0], [3.0, np.inf]])
    >>> [found] = interval_path(X, limits, np.array([0.01]))
    >>> found.w.round(2), round(found.constant, 2), found.gap < 1e-6
    (array([2.97]), -0.98, True)
    """
    X, limits, rhos = (np.asarray(part, dtype=float) for part in (X, limits, rhos))
    hinges, w, f = Hinges.of(limits), np.zeros(X.shape[1]), np.zeros(X.shape[0])
    constant = hinges.best_constant(f)
    target = tol * hinges.value(f + constant)
    found = []
    for rho in rhos:
        for _ in range(max_steps):
            gap = _gap(X, hinges, f + constant, w, rho)
            if gap <= target:
                break
            w, f = _step(X, hinges, f, constant, w, rho)
            constant = hinges.best_constant(f)
        found.append(Weights(w, constant, gap, gap <= target))
    return found


def _gap(X: np.ndarray, hinges: Hinges, f: np.ndarray, w: np.ndarray, rho: float) -> float:
    slope = hinges.slope(f)
    gradient = X.T @ slope / f.size
    steepest = float(np.abs(gradient).max(initial=0.0))
    s = min(1.0, rho / steepest) if steepest > 0.0 else 1.0
    return hinges.young(f, s * slope) + float(rho * np.abs(w).sum() + s * (w @ gradient))


def _step(
    X: np.ndarray, hinges: Hinges, f: np.ndarray, constant: float, w: np.ndarray, rho: float
) -> tuple[np.ndarray, np.ndarray]:
    """The weights after a Newton step, and their predictions without the constant."""
    curvature, slope = hinges.curvature(f + constant), hinges.slope(f + constant)
    bent = np.flatnonzero(curvature)
    centre = curvature[bent] @ X[bent] / (curvature.sum() or 1.0)
    rows = (X[bent] - centre) * np.sqrt(curvature[bent] / f.size)[:, None]
    gradient, hessian = X.T @ slope / f.size, rows.T @ rows
    d = minimise(hessian, gradient - hessian @ w, w, rho) - w
    move = X @ d
    promised = gradient @ d + rho * (np.abs(w + d).sum() - np.abs(w).sum())
    start = hinges.value(f + constant) + rho * np.abs(w).sum()
    part = 1.0
    while part > SHORTEST:
        moved = f + part * move
        value = hinges.value(moved + hinges.best_constant(moved)) + rho * np.abs(w + part * d).sum()
        if value <= start + ENOUGH * part * promised:
            break
        part *= 0.5
    return w + part * d, moved


def minimise(hessian: np.ndarray, linear: np.ndarray, w: np.ndarray, rho: float) -> np.ndarray:
    """Minimise w.hessian.w / 2 + linear.w + rho |w|_1 from w on, with an active set.

    The minimum for the signs at hand is a linear system. Where a weight would change its sign on the way there it
    becomes zero and leaves; at the minimum the weight with the steepest slope enters.
    """
    w, sign = w.copy(), np.sign(w)
    ridge = RIDGE * max(float(hessian.diagonal().max()), np.finfo(float).tiny)
    for _ in range(MOST_CHANGES * w.size):
        used = np.flatnonzero(sign)
        system = hessian[np.ix_(used, used)] + ridge * np.eye(used.size)
        best = np.linalg.solve(system, -linear[used] - rho * sign[used])
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
        if free[entering] <= rho * (1.0 + SLACK):
            break
        sign[entering] = -np.sign(gradient[entering])
    return w
