"""Bundle: cutting planes of a convex loss, and the minimum of the piecewise linear model that they define.

    Joachims. "Training linear SVMs in linear time." KDD 2006.

With planes a_k.w + b_k <= loss(w), including the zero plane, and an L2 penalty, the model and its dual are

    min_w max_k (a_k.w + b_k) + l2/2 |w|^2  =  max_s  s.b - |A's|^2 / (2 l2),    s_k >= 0, sum_k s_k = 1

whose value at any s is a lower bound on the objective, and w = -A's / l2. The dual is solved by sequential minimal
optimisation, which moves the best amount from one plane to another. Where the planes are nearly dependent that takes
millions of exchanges; after a few sweeps an active-set method finishes, which solves for all nonzero shares at once:

    (A_S A_S' / l2 + ridge I) s_S + mu 1 = b_S,  1's_S = 1        go there, or as far as all shares remain positive

The planes are known up to rounding, |error of a_k| <= e_k size and |error of b_k| <= e_k, which lowers the bound by

    e + e size.|w| + e^2 |size|^2 / (2 l2),    e = s.(e_k)

A ridge of a tenth of the tolerance keeps the system regular, and costs at most a twentieth of the tolerance. The
number of steps is bounded, and any s gives a valid bound. Memory: about 80 planes of dim numbers, at
most `PLANES`.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from aucmax.losses.rounding import rounding_of_sum
from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import nonzeros
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import Data
from aucmax.solvers.base import State

IDLE = 50  # consecutive solves with zero share after which a plane is dropped
PLANES = 1000  # maximum number of planes
SWEEPS = 10  # maximum number of exchanges per plane, before the active set
SYSTEMS = 3  # maximum number of systems per plane that the active-set method solves
SOLVE_WORK = 3e8  # operations on such systems after which a solve ends, a fraction of a second
MODEL_TOL = 0.1  # accuracy to which the model is solved, relative to tol
MODEL_WORK = 3e9  # operations on the model, beyond those on the data, after which a run ends: some seconds
RIDGE = 0.1  # on the diagonal of the active-set systems, relative to the tolerance


class Bundle:
    """Cutting planes of a convex loss; the first is the zero plane.

    Arrays and lists are replaced and never modified: a shallow copy is independent.
    """

    def __init__(self, size: np.ndarray, l2: float) -> None:
        self.l2 = l2
        self.size = size  # of the columns
        self.planes = [np.zeros(size.size)]  # a_k
        self.b = np.zeros(1)  # b_k
        self.errors = np.zeros(1)  # e_k
        self.gram = np.zeros((1, 1))  # inner products of the a_k
        self.share = np.ones(1)  # s_k
        self.idle = np.zeros(1, dtype=np.int64)  # solves since each plane last had a nonzero share
        self.work = 0.0  # operations so far, about a nanosecond each

    def add(self, a: np.ndarray, b: float, error: float = 0.0) -> float:
        """Add a plane, known up to an error; return the lower bound that it gives by itself."""
        products = np.array([plane @ a for plane in self.planes])
        norm2 = float(a @ a)
        self.gram = np.block([[self.gram, products[:, None]], [products[None, :], np.array([[norm2]])]])
        self.planes = [*self.planes, a]
        self.b = np.append(self.b, b)
        self.errors = np.append(self.errors, error)
        self.share = np.append(self.share, 0.0)
        self.idle = np.append(self.idle, 0)
        self.work += a.size * self.b.size
        return b - norm2 / (2.0 * self.l2) - self._doubt(a / self.l2, b, error)

    def solve(self, tol: float) -> tuple[np.ndarray, float]:
        """The minimiser of the model to within `tol`, and the lower bound."""
        self._drop()
        self.share = self.share / self.share.sum()
        slope = self.b - self.gram @ self.share / self.l2
        exchanges = _exchange(self.gram, slope, self.share, self.l2, tol, SWEEPS * self.b.size)
        self.work += 3.0 * self.b.size * exchanges
        if slope.max() - self.share @ slope > tol:
            with threads_for(self.b.size):
                self.share, work = _active_set(self.gram / self.l2, self.b, self.share, tol)
            self.work += work
        self.idle = np.where(self.share > 0, 0, self.idle + 1)
        direction = np.zeros(self.planes[0].size)
        for k in np.flatnonzero(self.share):
            direction += self.share[k] * self.planes[k]
        self.work += direction.size * int(np.count_nonzero(self.share))
        w = -direction / self.l2
        height = float(self.share @ self.b)
        error = float(self.share @ self.errors)
        return w, float(height - 0.5 * self.l2 * (w @ w)) - self._doubt(w, height, error)

    def _doubt(self, w: np.ndarray, height: float, error: float) -> float:
        """How much a lower bound may exceed the true one, for w = -A's / l2 and s.b = height."""
        size2 = float(self.size @ self.size)
        planes = error * (1.0 + float(self.size @ np.abs(w))) + error**2 * size2 / (2.0 * self.l2)
        return planes + rounding_of_sum(self.b.size) * (height + self.l2 * float(w @ w))

    def _drop(self) -> None:
        """Drop planes that have been idle for long and, beyond the maximum number, those idle longest."""
        keep = self.idle < IDLE
        keep[np.argsort(self.idle, kind="stable")[PLANES:]] = False
        keep[0] = True
        if not keep.all():
            self.planes = [plane for plane, kept in zip(self.planes, keep, strict=True) if kept]
            self.b = self.b[keep]
            self.errors = self.errors[keep]
            self.gram = self.gram[np.ix_(keep, keep)]
            self.share = self.share[keep]
            self.idle = self.idle[keep]


@dataclass(frozen=True, eq=False)
class BundleState(State):
    """The best weights, the best lower bound, and the planes."""

    objective: float  # at the best weights
    error: float  # rounding error of the objective
    lower: float  # the best lower bound on min P
    bundle: Bundle  # all planes
    trial: np.ndarray  # the weights at which to cut next
    exhausted: bool = False  # whether the model has taken too much work

    @property
    def gap(self) -> float:
        """An upper bound on P(w) - min P; negative values are rounding error, and NaN stays NaN."""
        return max(self.objective - self.lower, 0.0) + self.error

    @property
    def ended(self) -> bool:
        return self.exhausted

    @classmethod
    def start(cls, w: np.ndarray, size: np.ndarray, l2: float) -> Self:
        """Before the first plane, which cuts at w; size is that of the columns."""
        return cls(w, 0.0, np.inf, 0.0, 0.0, Bundle(size, l2), w)

    def after_point(self, w: np.ndarray, objective: float, error: float) -> Self:
        """The state with these weights, if they are better."""
        return replace(self, w=w, objective=objective, error=error) if objective < self.objective else self

    def after_cut(self, data: Data, a: np.ndarray, b: float, error: float, tol: float) -> Self:
        """The state with the plane of the trial point, and the minimiser of the model as the next trial point."""
        bundle = copy(self.bundle)
        bundle.add(a, b, error)
        trial, lower = bundle.solve(MODEL_TOL * tol * self.objective)
        passes = self.passes + 2.0
        exhausted = bundle.work > MODEL_WORK + passes * nonzeros(data.X)
        return replace(
            self, passes=passes, lower=max(self.lower, lower), bundle=bundle, trial=trial, exhausted=exhausted
        )


@compiled
def _exchange(gram, slope, share, l2, tol, limit):
    """Exchange shares until the dual is within tol of its maximum; slope, its gradient, is kept up to date.

    Returns the number of exchanges.
    """
    for done in range(limit):
        best = 0
        mean = 0.0
        for k in range(share.size):
            mean += share[k] * slope[k]
            if slope[k] > slope[best]:
                best = k
        if slope[best] - mean <= tol:
            return done
        giver = -1
        gain = 0.0
        for k in range(share.size):
            ahead = slope[best] - slope[k]
            if share[k] > 0.0 and ahead > 0.0:
                curvature = max(gram[best, best] + gram[k, k] - 2.0 * gram[best, k], 1e-300) / l2
                step = min(share[k], ahead / curvature)
                gained = step * (ahead - 0.5 * step * curvature)
                if gained > gain:
                    giver = k
                    gain = gained
        if giver < 0:
            return done
        curvature = max(gram[best, best] + gram[giver, giver] - 2.0 * gram[best, giver], 1e-300) / l2
        step = min(share[giver], (slope[best] - slope[giver]) / curvature)
        share[best] += step
        share[giver] = 0.0 if step == share[giver] else share[giver] - step
        for k in range(share.size):
            slope[k] -= step * (gram[best, k] - gram[giver, k]) / l2
    return limit


def _active_set(hessian: np.ndarray, b: np.ndarray, share: np.ndarray, tol: float) -> tuple[np.ndarray, float]:
    """Shares within tol of the maximum of the dual, or the best after a maximum of work; and the work."""
    share = share.copy()
    active = share > 0.0
    work = 0.0
    for _ in range(SYSTEMS * b.size):
        work += float(active.sum()) ** 3 + b.size**2
        target = _stationary_shares(hessian, b, active, RIDGE * tol)
        if target is None:
            break
        if (target <= 0.0).any():
            share[active] = _towards(share[active], target)
            active = share > 0.0
        else:
            share[active] = target
            slope = b - hessian @ share
            best = int(slope.argmax())
            if slope[best] - share @ slope <= tol or active[best]:
                break
            active[best] = True
        if work > SOLVE_WORK:
            break
    return share / share.sum(), work


def _towards(share: np.ndarray, target: np.ndarray) -> np.ndarray:
    """As far as possible from the shares to the target, until one of them is zero."""
    steps = np.full(share.size, np.inf)
    blocking = target <= 0.0
    steps[blocking] = share[blocking] / (share[blocking] - target[blocking] + np.finfo(float).tiny)
    step = steps.min()
    return np.where(steps <= step, 0.0, np.maximum(share + step * (target - share), 0.0))


def _stationary_shares(hessian: np.ndarray, b: np.ndarray, active: np.ndarray, ridge: float) -> np.ndarray | None:
    """The shares of the active planes that maximise the dual, whatever their signs; None if they are not finite."""
    m = int(active.sum())
    system = np.ones((m + 1, m + 1))
    system[:m, :m] = hessian[np.ix_(active, active)]
    system[np.arange(m), np.arange(m)] += ridge
    system[m, m] = 0.0
    try:
        target = np.linalg.solve(system, np.append(b[active], 1.0))[:m]
    except np.linalg.LinAlgError:
        return None
    return target if np.isfinite(target).all() else None
