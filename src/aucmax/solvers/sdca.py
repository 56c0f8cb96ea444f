"""SDCA: stochastic dual coordinate ascent, with the rank-one term inside the regulariser.

    Shalev-Shwartz, Zhang. "Stochastic Dual Coordinate Ascent Methods for Regularized Loss Minimization." JMLR 2013.

With b_i = sqrt(r_i) (x_i - mean_{y_i}), delta = mean+ - mean- and Q = (l2 I + delta delta')^-1, the L2 problem is

    min_w max_theta  sum_i (theta_i b_i.w - theta_i^2 / 2) + 1/2 (1 - w.delta)^2 + l2/2 |w|^2
    w = Q (delta - sum_i theta_i b_i)                                 the minimiser for given theta

and a step maximises over one theta_i exactly: there is no step size, and any order of the rows is safe.

    step = (b_i.w - theta_i) / (1 + b_i'Q b_i),    theta_i <- theta_i + step,    w <- w - step Q b_i
    Q b_i = (b_i - f_i delta) / l2,                f_i = b_i.delta / (l2 + |delta|^2)

With w = v + c+ mean+ + c- mean-, and w.mean+ and w.mean- tracked, a step costs O(nonzeros of x_i), regardless of dim.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver, State
from aucmax.solvers.visiting_order import shuffled_blocks


@dataclass(frozen=True, eq=False)
class SDCAState(State):
    """The dual variables, and the parts of w = v + c.means."""

    theta: np.ndarray  # dual variables
    v: np.ndarray  # combination of rows
    c: tuple[float, float]  # coefficients of the class means
    terms: np.ndarray  # of shape (n, 4): y_i sqrt(r_i), x_i.mean+, x_i.mean- and 1 / (1 + b_i'Q b_i)


@dataclass(repr=False, kw_only=True)
class SDCA(Solver):
    """Stochastic dual coordinate ascent for L2: no step size, and the fewest passes of the stochastic solvers.

    Row i is visited with frequency proportional to 1 + b_i'Q b_i, so that neither outliers nor a rare class slow it
    down.

    Parameters
    ----------
    max_epochs, tol
        See `Solver`.
    """

    max_epochs: int = 200

    penalties = ("l2",)
    certificates = "second"

    def init(self, problem: Problem, w: np.ndarray) -> SDCAState:
        data = problem.data
        l2 = problem.penalty.l2
        theta, Sw = _dual_of(problem, w) if w.any() else (np.zeros(data.n), np.zeros(data.dim))
        share = (l2 + data.delta @ Sw) / (l2 + data.delta @ data.delta) / l2
        v = -Sw / l2
        return SDCAState(v + share * data.delta, float(w.any()), theta, v, (share, -share), row_terms(problem))

    def epoch(self, problem: Problem, state: SDCAState, rng: np.random.Generator) -> SDCAState:
        means = problem.data.means
        theta = state.theta.copy()
        v = state.v.copy()
        visits = _systematic(1.0 / state.terms[:, 3], shuffled_blocks(problem.data, rng), rng)
        gram = means @ means.T
        products = means @ state.w
        l2 = problem.penalty.l2
        c = _epoch(problem.data.rows, state.terms, visits, gram, l2, theta, v, *state.c, *products)
        return SDCAState(v + np.array(c) @ means, state.passes + 1.0, theta, v, c, state.terms)


def _dual_of(problem: Problem, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """theta = t Bw and B'theta = t Sw for the best scalar t: optimal if w is, never worse than theta = 0."""
    data = problem.data
    l2 = problem.penalty.l2
    root = np.sqrt(data.r)
    theta = root * (data.scores(w) - np.where(data.y > 0, *(data.means @ w)))
    Sw = data.combine(root * theta)
    along = data.delta @ Sw / (l2 + data.delta @ data.delta)
    curvature = theta @ theta + (Sw @ Sw - along * (data.delta @ Sw)) / l2
    t = along / curvature if curvature > 0 else 0.0
    return t * theta, t * Sw


def row_terms(problem: Problem) -> np.ndarray:
    """See `SDCAState`; b_i'Q b_i = r_i (|x_i - mean|^2 - ((x_i - mean).delta)^2 / (l2 + |delta|^2)) / l2.

    They are stored side by side, so that a visit costs one cache miss.
    """
    data = problem.data
    l2 = problem.penalty.l2
    own = np.where(data.y > 0, 0, 1)
    gram = data.means @ data.means.T
    x_pos, x_neg = data.mean_products.T
    along = x_pos - x_neg - (gram[own, 0] - gram[own, 1])
    curvature = data.r * (data.class_centred_norms - along**2 / (l2 + data.delta @ data.delta)) / l2
    return np.stack([data.y * np.sqrt(data.r), x_pos, x_neg, 1.0 / (1.0 + np.maximum(curvature, 0.0))], axis=1)


def _systematic(frequency: np.ndarray, visits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """n visits, to row i its share of them rounded up or down; repeated visits are scattered at random."""
    n = frequency.size
    ends = np.cumsum(frequency)
    ends = (ends * (n / ends[-1]) + rng.random()).astype(np.int64)
    ends[-1] = n
    times = np.diff(ends, prepend=0)
    often = np.flatnonzero(times > 1)
    again = rng.permutation(np.repeat(often, times[often] - 1))
    return np.concatenate([np.flatnonzero(times), again])[visits]


@compiled
def _epoch(X, terms, visits, gram, l2, theta, v, c_pos, c_neg, a, b):
    pp, pn, nn = gram[0, 0], gram[0, 1], gram[1, 1]
    scale = l2 + pp - 2.0 * pn + nn
    for i in visits:
        signed_root, x_pos, x_neg, inverse = terms[i, 0], terms[i, 1], terms[i, 2], terms[i, 3]
        positive = signed_root > 0
        root = abs(signed_root)
        q = row_dot(X, i, v) + c_pos * x_pos + c_neg * x_neg
        step = (root * (q - (a if positive else b)) - theta[i]) * inverse
        theta[i] += step
        u = step * root / l2
        f = u * (x_pos - x_neg - (pp - pn if positive else pn - nn)) / scale
        to_pos = f + u if positive else f
        to_neg = -f if positive else u - f
        row_axpy(X, i, -u, v)
        c_pos += to_pos
        c_neg += to_neg
        a += to_pos * pp + to_neg * pn - u * x_pos
        b += to_pos * pn + to_neg * nn - u * x_neg
    return c_pos, c_neg
