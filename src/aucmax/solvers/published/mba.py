"""MBA: mini-batch AUC optimisation, the exact minimiser over a sample of pairs.

    Gultekin, Saha, Ratnaparkhi, Paisley. "MBA: Mini-Batch AUC Optimization." IEEE TNNLS 2020 (arXiv 2018).

A round draws pairs, the rows of each class by their weights, and adds their d = x - x' to two means over all pairs
drawn so far,

    mu = mean d,    Sigma = mean dd'        (second moments, not a covariance)

Cyclic coordinate descent then continues from the last weights to the minimum over the sample of

    1/2 w'Sigma w - w.mu + l1 |w|_1 + l2/2 |w|^2

which is the objective minus 1/2, with the sample in place of all pairs. After T rounds of B pairs the weights are
O((BT)^-1/2) from the minimiser, and the objective O(1/(BT)) above the minimum. A round costs O(B dim^2); since all
pairs together cost no more than B = n (`exact`), sampling pays off only with far fewer pairs than rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucmax.numerics.matrix import copy_rows
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Constraints, Solver, State
from aucmax.solvers.coordinate_descent import GRAM_LIMIT, gram_sweeps
from aucmax.validation.params import Integer

SWEEPS = 100  # maximum number of sweeps over the coordinates in a round
ENOUGH = 1e-8  # |dw_j| sqrt(Sigma_jj + l2) below which no further sweep is made


@dataclass(frozen=True, eq=False)
class MBAState(State):
    """The sums over all pairs drawn so far."""

    pairs: int  # how many
    total: np.ndarray  # sum of their d
    products: np.ndarray  # sum of their dd'


@dataclass(repr=False, kw_only=True)
class MBA(Solver):
    """Mini-batch AUC optimisation for the squared loss: a baseline that learns from a sample of the pairs.

    Parameters
    ----------
    pairs : int
        Pairs drawn per round, which is an epoch, at most 10^8; the weights are fitted to the pairs of all rounds.
    max_epochs, tol
        See `Solver`. At a gap of a tenth of the objective, the objective itself is within about a hundredth.
    """

    pairs: int = 1000
    max_epochs: int = 1000
    tol: float = 0.1

    parameter_constraints: ClassVar[Constraints] = {"pairs": [Integer(1, 10**8)]}
    certificates = "doubling"

    def init(self, problem: Problem, w: np.ndarray) -> MBAState:
        dim = problem.data.dim
        if dim > GRAM_LIMIT:
            raise ValueError(
                f"MBA keeps a {dim} x {dim} matrix; above {GRAM_LIMIT} columns choose solver='cg' or 'sdca'"
            )
        return MBAState(w, 0.0, 0, np.zeros(w.size), np.zeros((w.size, w.size)))

    def epoch(self, problem: Problem, state: MBAState, rng: np.random.Generator) -> MBAState:
        d = differences(problem.data, *drawn_pairs(problem.data, self.pairs, rng))
        pairs = state.pairs + self.pairs
        total = state.total + d.sum(axis=0)
        with threads_for(problem.data.dim):
            products = state.products + d.T @ d
        w = state.w.copy()
        Sigma = products / pairs
        gradient = Sigma @ w - total / pairs
        gram_sweeps(Sigma, gradient, w, problem.penalty.l1, problem.penalty.l2, SWEEPS, ENOUGH)
        return MBAState(w, state.passes + 2.0 * self.pairs / problem.data.n, pairs, total, products)


def drawn_pairs(data: Data, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """`size` positive and as many negative rows, drawn with replacement by their weights."""
    pos, neg = np.flatnonzero(data.y > 0), np.flatnonzero(data.y < 0)
    return rng.choice(pos, size, p=data.r[pos]), rng.choice(neg, size, p=data.r[neg])


def differences(data: Data, pos: np.ndarray, neg: np.ndarray) -> np.ndarray:
    """x - x' of the pairs, one per row, in scaled units."""
    rows = np.empty((2, pos.size, data.dim))
    copy_rows(data.X, pos, rows[0])
    copy_rows(data.X, neg, rows[1])
    return (rows[0] - rows[1]) / data.scale
