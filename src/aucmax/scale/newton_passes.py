"""Newton's method in passes: the pairwise logistic loss with an L2 penalty, two passes a step.

Rows are put into boxes by their scores (losses/analytic_sums.py). With z a row, centred and scaled, r its weight in
its class and T_k(t) the Chebyshev polynomials of its place in its box, the first pass of a step adds up

    sum_i r_i T_k(t_i)     and     sum_i r_i T_k(t_i) z_i        for every box, class and k

from which the loss, its gradient and the cross terms of its Hessian follow; the second adds up
sum_i r_i F''_i z_i z_i', with F''_i the sum of the second derivatives over the partners of row i.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from scipy.linalg import cho_factor, cho_solve

from aucmax.losses import Squared
from aucmax.losses.analytic_sums import TERMS, BoxedRows, BoxMoments, expansions
from aucmax.losses.logistic import derivatives
from aucmax.numerics.matrix import dense
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.problem.solution import Solution, Trace
from aucmax.scale.passes import Passes
from aucmax.scale.row_reader import NumberedRows
from aucmax.solvers import Newton
from aucmax.solvers.base import State
from aucmax.solvers.exact import Exact

ACCURACY = 1e-14  # gap at which steps end, relative to the objective
_STEPS = 50
_HALVINGS = 30


class Standardizer(NamedTuple):
    """From rows to centred and scaled ones, with weights that sum to 1 in each class."""

    centre: np.ndarray
    scale: np.ndarray
    totals: tuple[float, float]

    @classmethod
    def of(cls, data: Data) -> Standardizer:
        """From the moments of all rows."""
        moments = data.raw_moments
        return cls(data.raw_means.mean(axis=0), data.scale, (moments.pos.weight, moments.neg.weight))

    def __call__(self, rows: NumberedRows) -> tuple[np.ndarray, np.ndarray]:
        """The rows and their weights."""
        X, y, weight = rows.data
        return (dense(X) - self.centre) / self.scale, weight / np.where(y > 0, *self.totals)


@dataclass(frozen=True, eq=False)
class VectorBoxMoments:
    """Box moments of the weights, and of the weighted rows; those of parts add up."""

    boxes: BoxMoments
    pos: np.ndarray  # of the positive rows, of shape (boxes, TERMS, dim)
    neg: np.ndarray

    def __add__(self, other: VectorBoxMoments) -> VectorBoxMoments:
        boxes = BoxMoments.merged([self.boxes, other.boxes])
        pos, neg = np.zeros((2, boxes.at.size, *self.pos.shape[1:]))
        for part in (self, other):
            index = np.searchsorted(boxes.at, part.boxes.at)
            pos[index] += part.pos
            neg[index] += part.neg
        return VectorBoxMoments(boxes, pos, neg)

    def gradient(self) -> np.ndarray:
        """The gradient of the loss."""
        of_pos, of_neg = self.boxes.over_partners(derivatives().first)
        return np.tensordot(of_pos, self.pos, 2) - np.tensordot(of_neg, self.neg, 2)

    def cross_terms(self) -> np.ndarray:
        """The sum over all pairs of f''(s - s') z z'."""
        second = derivatives().second
        columns = [
            expansions(self.boxes.at, np.ascontiguousarray(column), second) for column in self.neg.transpose(2, 0, 1)
        ]
        partners = np.stack(columns, axis=2)
        return np.tensordot(self.pos, partners, ((0, 1), (0, 1)))


@dataclass(frozen=True, eq=False)
class _Boxes:
    """The box moments of the rows of a chunk, at weights w."""

    standardize: Standardizer
    w: np.ndarray

    def __call__(self, rows: NumberedRows) -> VectorBoxMoments:
        Z, r = self.standardize(rows)
        y = rows.data.y
        boxed = BoxedRows.of(Z @ self.w, y)
        both = np.zeros((2, boxed.at.size, TERMS, Z.shape[1]))
        weighted = r[:, None] * chebvander(boxed.place, TERMS - 1)
        order = np.argsort(2 * boxed.box + (y < 0), kind="stable")
        keys = (2 * boxed.box + (y < 0))[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        for start, stop in zip(starts, [*starts[1:], keys.size]):
            mine = order[start:stop]
            box, side = divmod(int(keys[start]), 2)
            both[side, box] = weighted[mine].T @ Z[mine]
        return VectorBoxMoments(boxed.moments(r), both[0], both[1])


@dataclass(frozen=True, eq=False)
class _Curvature:
    """sum_i r_i F''_i z_i z_i' over the rows of a chunk."""

    standardize: Standardizer
    w: np.ndarray
    at: np.ndarray  # all boxes
    of_pos: np.ndarray  # expansions of F'' for the positive rows
    of_neg: np.ndarray

    def __call__(self, rows: NumberedRows) -> np.ndarray:
        Z, r = self.standardize(rows)
        boxed = BoxedRows.of(Z @ self.w, rows.data.y)
        index = np.searchsorted(self.at, boxed.at)
        second = boxed.evaluate(self.of_pos[index], self.of_neg[index])
        return Z.T @ ((r * second)[:, None] * Z)


def solve_by_newton(problem: Problem, solver: Newton, passes: Passes) -> Solution:
    """The minimiser of the logistic loss with an L2 penalty, from that of the squared loss."""
    l2 = problem.penalty.l2
    standardize = Standardizer.of(problem.data)

    def at(w: np.ndarray, step: int) -> tuple[VectorBoxMoments, float]:
        moments = passes.run(_Boxes(standardize, w), f"Newton step {step}, loss")
        return moments, moments.boxes.over_pairs(derivatives().value) + 0.5 * l2 * float(w @ w)

    w = Exact().solve(Problem(problem.data, Squared(), problem.penalty)).coef
    moments, objective = at(w, 0)
    for epoch in range(1, _STEPS + 1):
        slope = moments.gradient() + l2 * w
        gap = 0.5 * float(slope @ slope) / l2  # the objective is l2-strongly convex
        if gap <= ACCURACY * objective:
            break
        partners = moments.boxes.over_partners(derivatives().second)
        curvature = _Curvature(standardize, w, moments.boxes.at, *partners)
        squares = passes.run(curvature, f"Newton step {epoch}, curvature")
        p = -_solve_hessian(squares, moments.cross_terms(), l2, slope)
        t = 1.0
        for _ in range(_HALVINGS):
            after, lower = at(w + t * p, epoch)
            if lower <= objective:
                break
            t *= 0.5
        else:
            break  # only rounding error is left
        stalled = lower == objective
        w, moments, objective = w + t * p, after, lower
        if stalled:
            break
    slope = moments.gradient() + l2 * w
    gap = 0.5 * float(slope @ slope) / l2
    return Solution(w, objective, gap, epoch, gap <= solver.tol * objective, Trace(), State(w, float(passes.count)))


def _solve_hessian(squares: np.ndarray, cross: np.ndarray, l2: float, slope: np.ndarray) -> np.ndarray:
    """(Hessian + l2 I)^-1 slope."""
    hessian = squares - cross - cross.T
    hessian[np.diag_indices_from(hessian)] += l2
    return cho_solve(cho_factor(hessian), slope)
