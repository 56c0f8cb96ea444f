"""Newton: truncated Newton for the pairwise squared hinge and exponential loss, certified by its duality gap.

    Chapelle, Keerthi. "Efficient algorithms for ranking with SVMs." Information Retrieval 2010.
    Chen, Curtis, Robinson. "A reduced-space algorithm for minimizing l1-regularized convex functions." SIAM 2017.

With L the Laplacian of the pairs, which weigh what their loss bends, and X'c the gradient of the loss, at every step

    (X'LX + l2 I) p = -(X'c + l2 w)                 by conjugate gradients, roughly, preconditioned by the diagonal
    w <- w + t p                                    t = 1, 1/2, 1/4 ... until the objective falls (Armijo)

A product with the Hessian takes two products with X and no sort; a trial step takes a sort and no product, as the
scores are Xw + t Xp, and Xp comes with the conjugate gradients. With an l1 norm every step is made of two:

    w <- argmin_v  v.X'c + sum_j h_j (v_j - w_j)^2 / 2 + penalty(v)           which finds the non-zero weights
    the step above among these weights, their signs kept: what would change its sign becomes zero
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aucmax.losses import Exponential, SquaredHinge
from aucmax.problem.objective import Problem
from aucmax.problem.penalties import soft_threshold
from aucmax.solvers.base import Solver
from aucmax.solvers.shared.sample import Sample

ACCURACY = 0.1  # of the conjugate gradients: the residual left, as a share of the first one
PRODUCTS = 30  # with the Hessian in one step, at most
ARMIJO = 1e-4  # share of the promised decrease that a step must bring
HALVINGS = 30  # of a step, before it is given up
STEPS = 50  # on the sample, at most
START = 1e-3  # gap on the sample, as a share of the objective, with which to start
ROUNDING = 4.0 * np.finfo(float).eps  # of the objective: smaller changes mean nothing


class Point(NamedTuple):
    """Weights, passes over the data, objective and gap, the loss seen from there, its gradient; products so far.

    `stiffness` is the inverse length of a proximal step, as a factor on the diagonal of the Hessian.
    """

    w: np.ndarray
    passes: float
    certificate: tuple[float, float]
    curve: Any
    gradient: np.ndarray
    sample: Sample | None
    products: int = 0
    stiffness: float = 1.0

    @property
    def objective(self) -> float:
        """P(w)."""
        return self.certificate[0]

    @property
    def gap(self) -> float:
        """An upper bound on P(w) - min P."""
        return self.certificate[1]


@dataclass(repr=False, kw_only=True)
class Newton(Solver):
    """Truncated Newton for the squared hinge and the exponential loss: a few certified steps; L2 and elastic net.

    Parameters
    ----------
    max_epochs, tol
        See `Solver`. An epoch is one Newton step.
    """

    max_epochs: int = 200

    losses = (SquaredHinge, Exponential)
    penalties = ("l2", "elastic net", "l1")

    def init(self, problem: Problem, w: np.ndarray) -> Point:
        sample = Sample.of(problem.data)
        if sample is not None and not w.any():
            w = self._start(problem, sample)
        scores = problem.data.scores(w) if w.any() else np.zeros(problem.data.n)
        return point_at(problem, w, problem.loss.at(problem.data, scores), sample, passes=float(w.any()))

    def _start(self, problem: Problem, sample: Sample) -> np.ndarray:
        """The minimiser on the sample, as well as the sample knows it."""
        smaller = Problem(sample.data, problem.loss, problem.penalty)
        nothing = problem.loss.at(sample.data, np.zeros(sample.data.n))
        point = point_at(smaller, np.zeros(problem.data.dim), nothing, sample)
        for _ in range(STEPS):
            point = self._step(smaller, point)
            if point.gap <= START * point.objective:
                break
        return point.w

    def epoch(self, problem: Problem, state: Point, rng: np.random.Generator) -> Point:
        return self._step(problem, state)

    def _step(self, problem: Problem, point: Point) -> Point:
        if problem.penalty.l1 > 0:
            point = _proximal_step(problem, point)
        return newton_step(problem, point)


def point_at(problem: Problem, w: np.ndarray, curve: Any, sample: Sample | None, passes: float = 0.0) -> Point:
    """The point w, the loss seen from there being known."""
    gradient = problem.data.combine(curve.coefficients())
    return Point(w, passes + 1.0, _certificate(problem, w, curve, gradient), curve, gradient, sample)


def _moved(problem: Problem, point: Point, w: np.ndarray, curve: Any, passes: float) -> Point:
    """The point after a step."""
    after = point_at(problem, w, curve, point.sample, passes)
    return after._replace(products=point.products, stiffness=point.stiffness)


def _certificate(problem: Problem, w: np.ndarray, curve: Any, gradient: np.ndarray) -> tuple[float, float]:
    """As `Problem.certify`, from what is known already."""
    penalty = problem.penalty
    if not penalty.strong:
        return problem.certify(w)
    return curve.value + penalty.value(w), penalty.fenchel_gap(w, -gradient)


def newton_step(problem: Problem, point: Point) -> Point:
    """One step for the weights that are not zero, or for all of them without an l1 norm."""
    data, penalty, w = problem.data, problem.penalty, point.w
    free = w != 0 if penalty.l1 > 0 else np.ones(w.size, dtype=bool)
    slope = np.where(free, point.gradient + penalty.l2 * w + penalty.l1 * np.sign(w), 0.0)
    p, Xp, products = _conjugate_gradients(problem, point, -slope, free)
    point = point._replace(products=point.products + products)
    passes = point.passes + 2.0 * products
    t = 1.0
    for _ in range(HALVINGS):
        trial = w + t * p
        crossed = trial * w < 0 if penalty.l1 > 0 else np.zeros(w.size, dtype=bool)
        if crossed.any():
            trial[crossed] = 0.0
            passes += 1.0
        curve = problem.loss.at(data, data.scores(trial) if crossed.any() else point.curve.scores + t * Xp)
        bar = point.objective * (1.0 + ROUNDING) + ARMIJO * float(slope @ (trial - w))
        if curve.value + penalty.value(trial) <= bar:
            return _moved(problem, point, trial, curve, passes)
        t *= 0.5
    return point._replace(passes=passes)


def _conjugate_gradients(
    problem: Problem, point: Point, residual: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """p and Xp with Hessian p near the residual, and the number of products with the Hessian."""
    data, l2 = problem.data, problem.penalty.l2
    precondition = _preconditioner(problem, point, free)
    p, Xp = np.zeros(residual.size), np.zeros(data.n)
    z = precondition(residual)
    norm2, direction = float(residual @ z), z
    goal = ACCURACY**2 * norm2
    for k in range(PRODUCTS):
        if norm2 <= goal:
            return p, Xp, k
        u = data.scores(direction)
        product = np.where(free, data.combine(point.curve.product(u)), 0.0) + l2 * direction
        curvature = float(direction @ product)
        if curvature <= 0.0:  # a direction that neither pairs nor penalty bend: as far as the diagonal says
            return (direction, u, k + 1) if k == 0 else (p, Xp, k + 1)
        step = norm2 / curvature
        p, Xp, residual = p + step * direction, Xp + step * u, residual - step * product
        z = precondition(residual)
        after = float(residual @ z)
        direction, norm2 = z + (after / norm2) * direction, after
    return p, Xp, PRODUCTS


def _preconditioner(problem: Problem, point: Point, free: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """v -> about Hessian^-1 v: from the sample if there is one, else from the diagonal."""
    inverse = None if point.sample is None else point.sample.inverse(problem, point.w, free)
    diagonal = _diagonal(problem, point) + problem.penalty.l2
    return inverse or (lambda v: v / diagonal)


def _diagonal(problem: Problem, point: Point) -> np.ndarray:
    """Diagonal of the Hessian as if the active pairs were like all pairs, which saves a pass; never zero."""
    moments = problem.data.moments
    diagonal = point.curve.curvature * (moments.variances + moments.delta**2)
    return np.where(diagonal > 0, diagonal, 1.0)


def _proximal_step(problem: Problem, point: Point) -> Point:
    """argmin_v of the model with the diagonal times a factor, the factor raised until the model is an upper bound."""
    penalty, w, gradient = problem.penalty, point.w, point.gradient
    diagonal, stiffness, passes = _diagonal(problem, point), point.stiffness, point.passes
    for _ in range(HALVINGS):
        h = stiffness * diagonal
        trial = soft_threshold(h * w - gradient, penalty.l1) / (h + penalty.l2)
        step = trial - w
        curve = problem.loss.at(problem.data, problem.data.scores(trial))
        passes += 1.0
        model = point.curve.value + float(gradient @ step) + 0.5 * float(h @ step**2)
        if curve.value <= model * (1.0 + ROUNDING):
            return _moved(problem, point, trial, curve, passes)._replace(stiffness=0.7 * stiffness)
        stiffness *= 2.0
    return point._replace(passes=passes, stiffness=stiffness)
