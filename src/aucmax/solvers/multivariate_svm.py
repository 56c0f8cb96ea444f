"""Multivariate SVM: F-beta, break-even point, precision and recall at k, and error rate, by cutting planes.

    Joachims. "A support vector method for multivariate performance measures." ICML 2005.

A labelling y' of all rows has a true positives and b false positives, and a measure gives it the loss Delta(a, b).
With scores s and the true labels y, the convex upper bound on the loss of the labels that the scores predict is

    max(0, max_{y'} Delta(a, b) - 1/n sum_{i: y'_i != y_i} y_i s_i)

whose maximum is attained by a threshold in each class: positive are the a highest scores of the positive rows and the
b highest of the negative rows. Not all (n+ + 1)(n- + 1) tables need to be visited:

    F-beta              for fixed a both 1 - (1 + beta^2) a / (a + b + beta^2 n+) and the sum of the b highest scores
                        are concave in b, so that a binary search finds the best b:  O(n log n) in total
    a + b = k           one table for each a:  O(n) after the sort
    error rate          the rows are independent; the loss is the hinge of a support vector machine

Each labelling gives a plane below the bound, and the next weights are the minimiser of the model of all planes
(bundle.py). Scores are w.(x - centre) + scaling u. The intercept u is one more weight, penalised like the others as
in liblinear; a large scaling makes its penalty negligible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from aucmax.losses.rounding import rounding_of_sum
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.bundle import BundleState


class Measure(Protocol):
    """A loss of contingency tables. Scores of each class are in descending order."""

    def loss(self, a: Any, b: Any, n_pos: int, n_neg: int) -> Any:
        """Delta, for a true and b false positives."""

    def candidates(self, pos: np.ndarray, neg: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Tables (a, b) among which the maximum is attained."""


class FBeta(NamedTuple):
    """1 - F-beta."""

    beta: float

    def loss(self, a: Any, b: Any, n_pos: int, n_neg: int) -> Any:
        """Delta, for a true and b false positives."""
        square = self.beta**2
        return 1.0 - (1.0 + square) * a / (a + b + square * n_pos)

    def candidates(self, pos: np.ndarray, neg: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The best b for every a: the first that another false positive does not improve."""
        a = np.arange(pos.size + 1)
        size = a + self.beta**2 * pos.size
        factor = (1.0 + self.beta**2) * a
        low = np.zeros(a.size, dtype=np.int64)
        high = np.full(a.size, neg.size)
        for _ in range(int(neg.size).bit_length()):
            middle = (low + high) // 2
            b = np.minimum(middle, neg.size - 1)
            gains = factor / ((size + b) * (size + b + 1.0)) + neg[b] / (pos.size + neg.size)
            up = (low < high) & (gains > 0)
            low = np.where(up, middle + 1, low)
            high = np.where(up, high, middle)
        return a, low


class TopK(NamedTuple):
    """1 - a / total for labellings with k positives: precision (total = k) or recall (total = n+) at k."""

    k: int
    total: int

    def loss(self, a: Any, b: Any, n_pos: int, n_neg: int) -> Any:
        """Delta, for a true and b false positives."""
        return 1.0 - a / self.total

    def candidates(self, pos: np.ndarray, neg: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All tables with a + b = k."""
        a = np.arange(max(0, self.k - neg.size), min(self.k, pos.size) + 1)
        return a, self.k - a


class ErrorRate(NamedTuple):
    """The share of rows with a wrong label."""

    def loss(self, a: Any, b: Any, n_pos: int, n_neg: int) -> Any:
        """Delta, for a true and b false positives."""
        return (n_pos - a + b) / (n_pos + n_neg)

    def candidates(self, pos: np.ndarray, neg: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The table in which every row inside the margin is wrong."""
        return np.array([np.count_nonzero(pos >= 1.0)]), np.array([np.count_nonzero(neg > -1.0)])


def most_violated_table(measure: Measure, pos: np.ndarray, neg: np.ndarray) -> tuple[int, int]:
    """The table (a, b) with the largest Delta - 1/n sum y_i s_i, for scores in descending order."""
    a, b = measure.candidates(pos, neg)
    missed = np.append(np.cumsum(pos[::-1])[::-1], 0.0)  # missed[a]: sum of the scores of all but the first a rows
    false = np.append(0.0, np.cumsum(neg))  # false[b]: sum of the first b scores
    values = measure.loss(a, b, pos.size, neg.size) + (false[b] - missed[a]) / (pos.size + neg.size)
    best = int(values.argmax())
    return int(a[best]), int(b[best])


class ContingencyPlane(NamedTuple):
    """The cutting plane of the most violated labelling at given scores: height + sum_i c_i s_i."""

    height: float  # Delta
    c: np.ndarray  # -y_i / n for rows with a wrong label, else 0
    value: float  # of the loss at the scores, not below zero

    @classmethod
    def at(cls, measure: Measure, scores: np.ndarray, y: np.ndarray) -> ContingencyPlane:
        """Find the most violated labelling, and its plane."""
        pos, neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        pos = pos[np.argsort(-scores[pos], kind="stable")]
        neg = neg[np.argsort(-scores[neg], kind="stable")]
        a, b = most_violated_table(measure, scores[pos], scores[neg])
        c = np.zeros(y.size)
        c[pos[a:]] = -1.0 / y.size
        c[neg[:b]] = 1.0 / y.size
        height = float(measure.loss(a, b, pos.size, neg.size))
        return cls(height, c, max(height + float(c @ scores), 0.0))


class ContingencyLoss(NamedTuple):
    """The loss of a measure, for weights whose last entry is the intercept."""

    measure: Measure
    centre: np.ndarray  # of the rows, in scaled units
    scaling: float  # of the intercept; 0 for none

    def scores(self, data: Data, w: np.ndarray) -> np.ndarray:
        """Scores of the rows."""
        return data.scores(w[:-1]) + (self.scaling * w[-1] - self.centre @ w[:-1])

    def combine(self, data: Data, c: np.ndarray) -> np.ndarray:
        """The gradient of sum_i c_i s_i."""
        total = c.sum()
        return np.append(data.combine(c) - total * self.centre, self.scaling * total)

    def plane_error(self, data: Data, c: np.ndarray) -> float:
        """Rounding error of that gradient, relative to the size of the columns."""
        return rounding_of_sum(data.n + data.dim) * (
            1.0 + float(np.sqrt((c**2 / data.r).sum())) + float(np.abs(c).sum())
        )


@dataclass(repr=False, kw_only=True)
class MultivariateSVM(Solver):
    """Cutting planes for a `ContingencyLoss` with an L2 penalty; `solve` needs initial weights.

    Parameters
    ----------
    max_epochs, tol
        See `Solver`. An epoch is one plane.
    """

    penalties = ("l2",)

    def init(self, problem: Problem, w: np.ndarray) -> BundleState:
        size = np.append(problem.data.root_mean_squares + np.abs(problem.loss.centre), problem.loss.scaling)
        return BundleState.start(w, size, problem.penalty.l2)

    def epoch(self, problem: Problem, state: BundleState, rng: np.random.Generator) -> BundleState:
        data = problem.data
        loss = problem.loss
        w = state.trial
        plane = ContingencyPlane.at(loss.measure, loss.scores(data, w), data.y)
        error = loss.plane_error(data, plane.c)
        error_of_value = error * (1.0 + float(state.bundle.size @ np.abs(w)))
        state = state.after_point(w, plane.value + problem.penalty.value(w), error_of_value)
        return state.after_cut(data, loss.combine(data, plane.c), plane.height, error, self.tol)

    def certify(self, problem: Problem, state: BundleState) -> tuple[float, float]:
        return state.objective, state.gap
