"""RankOpt: gradient ascent on the smoothed AUC, over as many pairs as the larger class has rows.

    Herschtal, Raskutti. "Optimising Area Under the ROC Curve Using Gradient Descent." ICML 2004.

Each class is shuffled, and with P positive and M negative rows the pairs are (k mod P, k mod M), k < K = max(P, M). A
pair has weight v_k, the product of the weights of its rows, divided by the sum over all K. The objective is one minus
the smoothed AUC of these pairs,

    R(w) = sum_k v_k sigma(-m_k),    m_k = w.(x_k - x'_k),    grad R = -sum_k v_k sigma(m_k) sigma(-m_k) (x_k - x'_k)

The norm of w determines how steep the sigmoid is, and is fixed: w moves on the sphere |w| = B along the great circle
in the direction of steepest descent u, |u| = B,

    w <- cos(a) w + sin(a) u

by an angle a that is halved while R does not fall, and doubled for the next step once it has. Along the circle the
scores are those of w and of u, combined likewise: a step costs two products with X, regardless of the number of
trials. R falls with every step; since it is not convex, the limit may be a local minimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, exp, sin
from typing import ClassVar, NamedTuple

import numpy as np

from aucmax.losses import Sigmoid
from aucmax.numerics.compiled import compiled
from aucmax.penalties import Ball
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import POSITIVE, Constraints, Solver, State

STEPS = 10  # in an epoch
FIRST = 0.1  # initial angle
LARGEST = 1.0  # angle
SMALLEST = 1e-9  # angle
HALVINGS = 30  # from the largest angle to the smallest
DECREASE = 1e-4  # share of the decrease predicted by the slope that a step must achieve (Armijo)


class Pairing(NamedTuple):
    """The pairs of rows whose loss is minimised."""

    pos: np.ndarray  # the positive row of each pair
    neg: np.ndarray  # the negative row of each pair
    weight: np.ndarray  # of each pair, summing to 1

    @classmethod
    def drawn(cls, data: Data, rng: np.random.Generator) -> Pairing:
        """Every row of the larger class once, paired with the rows of the smaller one in turn."""
        pos, neg = (rng.permutation(np.flatnonzero(side)) for side in (data.y > 0, data.y < 0))
        k = np.arange(max(pos.size, neg.size))
        pos, neg = pos[k % pos.size], neg[k % neg.size]
        products = data.r[pos] * data.r[neg]
        return cls(pos, neg, products / products.sum())


@dataclass(frozen=True, eq=False)
class RankOptState(State):
    """Weights on the sphere, and the pairs."""

    pairing: Pairing
    angle: float  # to try next; 0 once no step lowers the loss of the pairs

    @property
    def ended(self) -> bool:
        return self.angle == 0.0


@dataclass(repr=False, kw_only=True)
class RankOpt(Solver):
    """Gradient ascent on the smoothed AUC, on a sphere: a baseline for the sigmoid loss.

    The sphere replaces the penalty: alpha has no effect, and l1_ratio > 0 is rejected.

    Parameters
    ----------
    radius : float
        Radius of the sphere. With columns of unit standard deviation, values from 3 to 100 are useful.
    max_epochs, tol
        See `Solver`. An epoch consists of 10 steps. Since the loss is not convex, tol is not used: the run stops when
        no step lowers the loss of the pairs.
    """

    radius: float = 10.0
    max_epochs: int = 20

    parameter_constraints: ClassVar[Constraints] = {"radius": [POSITIVE]}
    losses = (Sigmoid,)
    penalties = ("l2", "none")  # replaced by the sphere
    certified = False

    def constrained(self, problem: Problem) -> Problem:
        """The problem of the loss alone inside the sphere."""
        return Problem(problem.data, problem.loss, Ball(self.radius, 2))

    def init(self, problem: Problem, w: np.ndarray) -> RankOptState:
        start = w if w.any() else problem.data.delta
        start = start if start.any() else np.ones(w.size)
        none_yet = Pairing(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))
        return RankOptState(start * (self.radius / np.linalg.norm(start)), 0.0, none_yet, FIRST)

    def epoch(self, problem: Problem, state: RankOptState, rng: np.random.Generator) -> RankOptState:
        if not state.pairing.pos.size:
            state = replace(state, pairing=Pairing.drawn(problem.data, rng))
        scores = problem.data.scores(state.w)
        for _ in range(STEPS):
            if state.ended:
                break
            state, scores = _step(problem.data, self.radius, state, scores)
        return state

    def certify(self, problem: Problem, state: RankOptState) -> tuple[float, float]:
        return self.constrained(problem).certify(state.w)


def _step(data: Data, radius: float, state: RankOptState, scores: np.ndarray) -> tuple[RankOptState, np.ndarray]:
    """One step along a great circle, with the scores after it; the angle is 0 if no step lowers the loss."""
    c = np.zeros(data.n)
    value = _paired(scores, *state.pairing, c)
    gradient = data.combine(c)
    tangent = gradient - (gradient @ state.w / (radius * radius)) * state.w
    steepness = float(np.linalg.norm(tangent))
    if steepness == 0.0:
        return replace(state, angle=0.0), scores
    u = tangent * (-radius / steepness)
    along = data.scores(u)
    angle = _search(scores, along, *state.pairing, value, DECREASE * radius * steepness, state.angle)
    w = cos(angle) * state.w + sin(angle) * u
    w *= radius / np.linalg.norm(w)
    mixed = cos(angle) * scores + sin(angle) * along
    return RankOptState(w, state.passes + 2.0, state.pairing, min(2.0 * angle, LARGEST)), mixed


@compiled
def _paired(scores, pos, neg, weight, c):
    """Add the derivative of R with respect to each score to c; return R."""
    value = 0.0
    for k in range(pos.size):
        loss = _sigma(scores[neg[k]] - scores[pos[k]])
        slope = weight[k] * loss * (1.0 - loss)
        value += weight[k] * loss
        c[pos[k]] -= slope
        c[neg[k]] += slope
    return value


@compiled
def _search(scores, along, pos, neg, weight, value, enough, angle):
    """The angle, halved until R is at most value - enough * angle; 0 if it gets too small."""
    for _ in range(HALVINGS):
        if angle <= SMALLEST:
            break
        of_w, of_u = cos(angle), sin(angle)
        total = 0.0
        for k in range(pos.size):
            margin = of_w * (scores[pos[k]] - scores[neg[k]]) + of_u * (along[pos[k]] - along[neg[k]])
            total += weight[k] * _sigma(-margin)
        if total <= value - enough * angle:
            return angle
        angle *= 0.5
    return 0.0


@compiled
def _sigma(m):
    """1/(1 + exp(-m)), without overflow."""
    e = exp(-abs(m))
    return 1.0 / (1.0 + e) if m > 0.0 else e / (1.0 + e)
