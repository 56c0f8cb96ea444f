"""Paths: the weights for many alphas, which the squared loss gives all at once.

L2, from moments: with S = Q T Q' and T tridiagonal, u = Q (T + alpha I)^-1 Q'delta and, by Sherman and Morrison,
w = u / (1 + delta.u). T costs a third of the eigenvectors of S, which are the fallback where rounding leaves
T + alpha I indefinite. L2, without a matrix: conjugate gradients on (S + alpha I) u = delta for all alphas from one
Krylov space, since the residuals of the shifted systems stay parallel (Jegerlehner 1996). Elastic net and other
losses: one alpha after the other, with warm starts.

The columns may be the columns of a table or the features of a kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh, lapack

from aucmax.losses import Squared
from aucmax.losses.squared import within_product
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers import Exact, Solver
from aucmax.solvers.exact import centred_rows, scatter_pays

KRYLOV_TOL = 1e-12  # relative duality gap at which a Krylov path stops


def alpha_path(data: Data, loss: Any, alphas: np.ndarray, l1_ratio: float, solver: Solver) -> np.ndarray:
    """Weights in scaled units, one column per alpha."""
    if l1_ratio > 0 or alphas.min() <= 0 or not isinstance(loss, Squared):
        return warm_path(data, loss, alphas, l1_ratio, solver)
    if not isinstance(solver, Exact):
        return krylov_path(data, alphas)
    if scatter_pays(data):
        return moment_path(data.within, data.delta, alphas)
    return row_path(data, alphas)


def moment_path(within: np.ndarray, delta: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """L2 path from S and the difference of the class means."""
    u = shifted_solutions(within, delta, alphas)
    return u / (1.0 + delta @ u)


def row_path(data: Data, alphas: np.ndarray) -> np.ndarray:
    """L2 path for fewer rows than columns, from the Gram matrix of the rows."""
    B = centred_rows(data)
    inner = shifted_solutions(B @ B.T, B @ data.delta, alphas)
    u = (data.delta[:, None] - B.T @ inner) / alphas
    return u / (1.0 + data.delta @ u)


def shifted_solutions(S: np.ndarray, v: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """(S + alpha I)^-1 v, one column per alpha: S is tridiagonalised once, then each alpha costs O(dim)."""
    if v.size == 1:
        return eigen_solutions(S, v, alphas)
    size = int(lapack.dsytrd_lwork(v.size, lower=1)[0])
    packed, diagonal, off_diagonal, tau, _ = lapack.dsytrd(S, lower=1, lwork=size)
    reflectors = np.asfortranarray(packed[1:, :-1])
    start = _reflected(reflectors, tau, v[:, None], "T")[:, 0]
    u = np.empty((v.size, alphas.size), order="F")
    for k, alpha in enumerate(alphas):
        _, _, u[:, k], failed = lapack.dptsv(diagonal + alpha, off_diagonal, start)
        if failed:
            return eigen_solutions(S, v, alphas)
    return _reflected(reflectors, tau, u, "N")


def _reflected(reflectors: np.ndarray, tau: np.ndarray, v: np.ndarray, form: str) -> np.ndarray:
    """Q v, or Q'v if `form` is "T"; Q does not change the first coordinate."""
    rest, *_ = lapack.dormqr("L", form, reflectors, tau, np.asfortranarray(v[1:]), 64 * v.shape[1])
    return np.vstack([v[:1], rest])


def eigen_solutions(S: np.ndarray, v: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """(S + alpha I)^-1 v from the eigenvectors of S, for S + alpha I that rounding has left indefinite."""
    values, vectors = eigh(S, check_finite=False, driver="evd")
    return vectors @ ((vectors.T @ v)[:, None] / (np.maximum(values, 0.0)[:, None] + alphas))


def warm_path(data: Data, loss: Any, alphas: np.ndarray, l1_ratio: float, solver: Solver) -> np.ndarray:
    """Path for any loss and penalty, from the largest alpha to the smallest, with warm starts."""
    weights = np.empty((data.dim, alphas.size))
    w = np.zeros(data.dim)
    for k in np.argsort(-alphas):
        w = solver.solve(Problem(data, loss, ElasticNet.of(alphas[k], l1_ratio)), w).coef
        weights[:, k] = w
    return weights


def krylov_path(data: Data, alphas: np.ndarray, max_iterations: int = 1000) -> np.ndarray:
    """L2 path without a matrix: one product with S per iteration serves all alphas."""
    base = alphas.min()
    shift = alphas - base
    u = np.zeros((data.dim, alphas.size))
    residual = data.delta.copy()
    p = residual.copy()
    shifted_p = np.tile(residual[:, None], alphas.size)
    zeta_last = np.ones(alphas.size)
    zeta = np.ones(alphas.size)
    step_last = 1.0
    growth_last = 0.0
    norm2 = float(residual @ residual)
    for _ in range(max_iterations):
        if norm2 == 0.0 or (_krylov_gaps(data, u, zeta**2 * norm2, alphas) <= KRYLOV_TOL).all():
            break
        Ap = within_product(data, p) + base * p
        step = norm2 / float(p @ Ap)
        zeta_next = (zeta * zeta_last * step_last) / (
            step * growth_last * (zeta_last - zeta) + zeta_last * step_last * (1.0 + step * shift)
        )
        ratio = zeta_next / zeta
        u += (step * ratio) * shifted_p
        residual -= step * Ap
        after = float(residual @ residual)
        growth = after / norm2
        p = residual + growth * p
        shifted_p = zeta_next * residual[:, None] + (growth * ratio**2) * shifted_p
        zeta_last = zeta
        zeta = np.maximum(zeta_next, 1e-150)  # avoid 0/0 in a system that has long converged
        step_last = step
        growth_last = growth
        norm2 = after
    return u / (1.0 + data.delta @ u)


def _krylov_gaps(data: Data, u: np.ndarray, residual2: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """Duality gaps of w = u / (1 + delta.u), relative to the limit (1 - w.delta) / 2 of the objective."""
    denominator = 1.0 + data.delta @ u
    return residual2 / (alphas * denominator)
