"""SPAM: stochastic proximal AUC maximisation.

    Natole, Ying, Lyu. "Stochastic Proximal Algorithms for AUC Maximization." ICML 2018.

With class means m+ and m-, m_{-y} the mean of the other class, e_i = n r_i and xi = (m+ + m-)/2 (printed: xi = 0):

    G_i = e_i (w.(x_i - m_{-y_i}) - y_i) (x_i - xi),        E[G_i] = gradient of the squared pair loss
    w_t = prox_{eta_t penalty}(w_{t-1} - eta_t G_i),        eta_t = 1 / (L + l2 t),  L = 2 max_i e_i |x_i - xi|^2

and the answer is the average of the w_t with weights t. Any xi leaves G_i unbiased; the midpoint makes a run
independent of the origin of the columns, as the objective is, and far less noisy. Without l2, eta_t = 1/(L sqrt(t)).

For L2, w = s v + c xi with numbers s and c; a = w.m+ and b = w.m- are tracked, so that a step costs O(nonzeros of
x_i), and so does the average: with C_t = sum_{k <= t} k s_k and u the sum of C_{t-1} times the change of v at t,

    sum_t t w_t = C v - u + (sum_t t c_t) xi

Soft-thresholding is not linear and a, b couple all coordinates, so that with l1 no exact O(nonzeros) step exists:
there a step takes the mean of G over k rows, and one O(dim) prox. The mean allows L/k + (1 - 1/k) top instead of L,
top being the largest eigenvalue of the Hessian of the loss (spec 2.8); k = min(dim / nonzeros of a row, L / top), as
fewer rows would leave most of the work to the prox, and more would not lengthen the step.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from aucmax.jit import kernel
from aucmax.problem import Data, Problem
from aucmax.rows import nonzeros, row_axpy, row_dot
from aucmax.solvers.base import Solver
from aucmax.solvers.order import shuffled_blocks

THETA = 0.5  # of Theorem 4.1, which takes any in (0, 1)
SMALL = 1e-4  # s below which v is written out, so that v and C v - u keep their digits
POWER_ROWS, POWER_ITERATIONS = 1000, 8  # for the largest eigenvalue; few rows overestimate it, which is safe


@dataclass(frozen=True, eq=False)
class Iterate:
    """Weights to return, last iterate, passes over the data, steps taken t, and what steps are made of.

    `seen` are the rows in the statistics, `longest` the largest s_i |x_i - xi|^2 in each class, `L` follows from it,
    `top` is the largest eigenvalue (only with l1), `cap` the longest step that the guard allows.
    """

    w: np.ndarray
    last: np.ndarray
    passes: float = 0.0
    t: int = 0
    seen: float = 0.0
    longest: tuple[float, float] = (0.0, 0.0)
    L: float = 0.0
    top: float = 0.0
    cap: float = np.inf
    variance: float = np.nan

    def rescaled(self, ratio: np.ndarray) -> Iterate:
        """The same state with weight j multiplied by ratio[j], for streams whose column scale has changed."""
        return replace(self, w=self.w * ratio, last=self.last * ratio)


@dataclass(repr=False, kw_only=True)
class SPAM(Solver):
    """Stochastic proximal AUC maximisation, for the squared loss.

    The squared distance to the optimum falls as 1/t: for a few passes or a stream, not for many digits.

    Parameters
    ----------
    step : {"capped", "theorem_4_1", "theorem_4_2"} or float
        Steps 1/(L + l2 t), those of the paper's theorems (the first hardly moves, the second begins with steps far
        too long), or 1/(1/step + l2 t). All but "capped" are guarded: an epoch that diverges is repeated with its
        longest steps halved, and a warning tells.
    average : bool
        Return the weighted average of the iterates instead of the last one.
    centre : bool
        Take the midpoint of the class means as xi, instead of 0 as printed.
    batch : int, optional
        Rows in a step with an l1 norm; chosen from the data if not given.
    track_variance : bool
        Compute the variance of the update after every epoch, for two more passes, which are not counted.
    max_epochs, tol
        See `Solver`.
    """

    step: str | float = "capped"
    average: bool = True
    centre: bool = True
    batch: int | None = None
    track_variance: bool = False
    max_epochs: int = 10
    tol: float = 1e-3

    stochastic: ClassVar[bool] = True
    online: ClassVar[bool] = True

    def init(self, problem: Problem, w: np.ndarray) -> Iterate:
        warn_of_outliers(problem.data)
        return Iterate(w, w)

    def epoch(self, problem: Problem, state: Iterate, rng: np.random.Generator) -> Iterate:
        order = shuffled_blocks(problem.data.n, rng)
        if state.seen != rows_seen(problem.data):
            state = self._seen(problem, state, order[:POWER_ROWS], rng)
        new = self._guarded(problem, state, order, self._batch(problem, state))
        return replace(new, variance=self._variance(problem, new.last)) if self.track_variance else new

    def _seen(self, problem: Problem, state: Iterate, sample: np.ndarray, rng: np.random.Generator) -> Iterate:
        """The state with the constants of the rows that came."""
        data, seen, moments = problem.data, rows_seen(problem.data), problem.data.raw_moments
        sizes = data.weight * _distances(data, self.centre)
        pos = float(sizes[data.y > 0].max(initial=state.longest[0]))
        neg = float(sizes[data.y < 0].max(initial=state.longest[1]))
        L = 2.0 * seen * max(pos / moments.pos.weight, neg / moments.neg.weight)
        top = max(state.top, top_eigenvalue(data, sample, rng)) if problem.penalty.l1 > 0 else 0.0
        return replace(state, seen=seen, longest=(pos, neg), L=L, top=top)

    def _batch(self, problem: Problem, state: Iterate) -> int:
        if problem.penalty.l1 == 0:
            return 1
        return batch_size(problem.data, state.L, state.top) if self.batch is None else min(self.batch, problem.data.n)

    def _guarded(self, problem: Problem, state: Iterate, order: np.ndarray, batch: int) -> Iterate:
        """One epoch; unless its steps are known to be safe, repeated with shorter ones while it diverges."""
        L = batch_smoothness(state.L, state.top, batch)
        eta = np.minimum(self._steps(problem, L, state.t, -(-order.size // batch)), state.cap)
        new = self._visit(problem, state, order, eta)
        if isinstance(self.step, str) and self.step == "capped":
            return new
        limit = 2.0 * max(_objective(problem, state.last), 0.5)  # 0.5 is P(0)
        while eta[0] * L > 1.0 and _objective(problem, new.last) > limit:
            eta = np.minimum(eta, eta[0] / 2.0)
            new = self._visit(problem, replace(state, cap=float(eta[0]), passes=new.passes), order, eta)
        if new.cap < state.cap == np.inf:
            warn_of_divergence(self.step, new.cap, L)
        return new

    def _visit(self, problem: Problem, state: Iterate, order: np.ndarray, eta: np.ndarray) -> Iterate:
        """The rows in that order, with these steps."""
        visit = _visit_rows if problem.penalty.l1 == 0 else _visit_batches
        with np.errstate(over="ignore", invalid="ignore"):  # for the guard to see
            last, average = visit(problem, state, order, eta, 0.5 if self.centre else 0.0, self.average)
        w = average if self.average else last
        return replace(state, w=w, last=last, passes=state.passes + 1.0, t=state.t + eta.size)

    def _steps(self, problem: Problem, L: float, t: int, n_steps: int) -> np.ndarray:
        """The steps after the first t."""
        l2, k = problem.penalty.l2, t + np.arange(1.0, n_steps + 1.0)
        if l2 == 0 or not isinstance(self.step, str) or self.step == "capped":
            first = L if isinstance(self.step, str) else 1.0 / self.step
            return 1.0 / (first + l2 * k) if l2 > 0 else 1.0 / (first * np.sqrt(k))
        factor, M4 = paper_scale(problem.data, _distances(problem.data, self.centre))
        beta = factor * l2
        if self.step == "theorem_4_1":
            return factor * beta / (128.0 * M4) * k**-THETA
        if self.step == "theorem_4_2":
            return factor * (1.0 + beta**2 / (128.0 * M4)) ** 2 / (beta * (k + 1.0))
        raise ValueError(f"step={self.step!r}; choose 'capped', 'theorem_4_1', 'theorem_4_2' or a number")

    def _variance(self, problem: Problem, w: np.ndarray) -> float:
        """E|G_i - E[G_i]|^2 at w; G_i is a number times x_i - xi, so that none is formed."""
        data = problem.data
        a, b = data.means @ w
        numbers = pair_weights(data) * (data.scores(w) - np.where(data.y > 0, b, a) - data.y)
        gradient = problem.gradient(w)
        return float(np.mean(numbers**2 * _distances(data, self.centre)) - gradient @ gradient)


def rows_seen(data: Data) -> float:
    """Rows in the statistics, which in a stream are more than those of `data`."""
    return max(float(data.n), data.raw_moments.pos.count + data.raw_moments.neg.count)


def pair_weights(data: Data) -> np.ndarray:
    """e = n r, n being all rows seen."""
    return rows_seen(data) * data.r


def paper_scale(data: Data, norms: np.ndarray) -> tuple[float, float]:
    """2 p (1-p), by which the papers' objective and the inverse of their steps differ from ours, and M^4."""
    pos, neg = data.raw_moments.pos.weight, data.raw_moments.neg.weight
    M2 = rows_seen(data) / (pos + neg) * float((data.weight * norms).max())
    return 2.0 * pos * neg / (pos + neg) ** 2, M2**2


def batch_smoothness(L: float, top: float, batch: int) -> float:
    """What replaces L for the mean of a batch of rows."""
    return (L / batch + (1.0 - 1.0 / batch) * top) or 1.0


def batch_size(data: Data, L: float, top: float) -> int:
    """Rows in a step with l1: as many as make the prox as cheap as they are, while the step grows with them."""
    enough = min(data.n * data.dim / max(nonzeros(data.X), 1), L / (top or 1.0), data.n)
    return max(int(enough), 1)


def top_eigenvalue(data: Data, index: np.ndarray, rng: np.random.Generator) -> float:
    """Largest eigenvalue of the Hessian of the loss, by power iterations on some of the rows."""
    part, u, value = data.permuted(index), rng.normal(size=data.dim), 0.0
    pos = part.y > 0
    r = part.weight / np.where(pos, part.weight[pos].sum() or 1.0, part.weight[~pos].sum() or 1.0)
    for _ in range(POWER_ITERATIONS):
        u /= np.linalg.norm(u) or 1.0
        q = part.scores(u)
        centres = np.where(pos, r[pos] @ q[pos], r[~pos] @ q[~pos])
        u = part.combine(r * (q - centres)) + (data.delta @ u) * data.delta
        value = float(np.linalg.norm(u))
    return value


def warn_of_outliers(data: Data) -> None:
    """Warn if a row is so long that a step fit for it is useless to all others (spec 7).

    Rows are compared within their class: a rare class makes steps short too, but no scaling would help. Where columns
    were divided by their deviation, rare binary ones make rows of some hundred times the mean, and no great harm.
    """
    sizes, standardized = data.weight * _distances(data, centre=True), bool((data.scale != 1.0).any())
    classes = (sizes[data.y > 0], sizes[data.y < 0])
    worst = max(float(part.max() / (part.mean() or 1.0)) for part in classes if part.size)
    if worst > (1000.0 if standardized else 100.0):
        warnings.warn(
            f"the longest row has {worst:.0f} times the mean squared norm of its class, and uniform sampling takes "
            f"steps short enough for it; use {'' if standardized else 'standardize=True, '}importance sampling "
            "(solver='vrspam'), solver='sdca' or 'exact'",
            RuntimeWarning,
            stacklevel=5,
        )


def warn_of_divergence(step: str | float, used: float, L: float) -> None:
    """Name the step that was given and the one that was used."""
    warnings.warn(
        f"step={step!r} diverges; steps were cut to eta = {used:.3g}. Give at most 1/L = {1.0 / L:.3g}, or leave the "
        "default",
        ConvergenceWarning,
        stacklevel=6,
    )


def _objective(problem: Problem, w: np.ndarray) -> float:
    """P(w), infinite where it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        value = problem.objective(w)
    return value if np.isfinite(value) else np.inf


def _distances(data: Data, centre: bool) -> np.ndarray:
    """|x_i - xi|^2 for every row."""
    if not centre:
        return data.squared_norms
    xi = data.means.mean(axis=0)
    return np.maximum(data.squared_norms - data.mean_products.sum(axis=1) + xi @ xi, 0.0)


def _visit_rows(problem, state, order, eta, share, average):
    """Last iterate and average of an L2 epoch; xi is `share` times the sum of the class means."""
    data, xi = problem.data, share * problem.data.means.sum(axis=0)
    v, u = state.last.copy(), np.zeros(data.dim if average else 0)
    numbers = (share, data.means @ xi, problem.penalty.l2, float(state.t), data.means @ v)
    s, c, C, c_sum = _epoch(data.rows, data.y, order, eta, pair_weights(data), data.mean_products, *numbers, v, u)
    last = s * v + c * xi
    if not average:
        return last, last
    before, after = (0.5 * t * (t + 1.0) for t in (state.t, state.t + eta.size))
    return last, (before * state.w + (C * v - u + c_sum * xi)) / after


def _visit_batches(problem, state, order, eta, share, average):
    """Last iterate and average of an elastic-net epoch."""
    data, penalty, xi = problem.data, problem.penalty, share * problem.data.means.sum(axis=0)
    last, mean = state.last.copy(), state.w.copy() if average else np.empty(0)
    ends = np.linspace(0, data.n, eta.size + 1).astype(np.int64)
    rows = (data.rows, data.y, order, ends, eta, pair_weights(data), data.means)
    _batch_epoch(*rows, xi, penalty.l1, penalty.l2, float(state.t), last, mean)
    return last, mean


@kernel
def _epoch(X, y, order, eta, e, products, share, xi_means, l2, t, start, v, u):
    a, b = start
    s, c, C, c_sum = 1.0, 0.0, 0.0, 0.0
    for k in range(order.size):
        i = order[k]
        pos, neg, inverse = products[i, 0], products[i, 1], 1.0 / s
        q = s * row_dot(X, i, v) + c * share * (pos + neg)
        residual = q - b - 1.0 if y[i] > 0 else q - a + 1.0
        g = eta[k] * e[i] * residual
        row_axpy(X, i, -g * inverse, v)
        if u.size > 0:
            row_axpy(X, i, -g * inverse * C, u)
        shrink = 1.0 / (1.0 + eta[k] * l2)
        a = (a - g * (pos - xi_means[0])) * shrink
        b = (b - g * (neg - xi_means[1])) * shrink
        c = (c + g) * shrink
        s *= shrink
        t += 1.0
        C += t * s
        c_sum += t * c
        if s < SMALL:
            for j in range(u.size):
                u[j] -= C * v[j]
            for j in range(v.size):
                v[j] *= s
            s, C = 1.0, 0.0
    return s, c, C, c_sum


@kernel
def _batch_epoch(X, y, order, ends, eta, e, means, xi, l1, l2, t, w, mean):
    a, b = 0.0, 0.0
    for j in range(w.size):
        a += w[j] * means[0, j]
        b += w[j] * means[1, j]
    g = np.empty(np.max(ends[1:] - ends[:-1]))
    for k in range(eta.size):
        first, size, total = ends[k], ends[k + 1] - ends[k], 0.0
        for m in range(size):
            i = order[first + m]
            q = row_dot(X, i, w)
            residual = q - b - 1.0 if y[i] > 0 else q - a + 1.0
            g[m] = eta[k] * e[i] * residual / size
            total += g[m]
        for m in range(size):
            row_axpy(X, order[first + m], -g[m], w)
        threshold, shrink = eta[k] * l1, 1.0 / (1.0 + eta[k] * l2)
        t += 1.0
        a, b = 0.0, 0.0
        for j in range(w.size):
            z = w[j] + total * xi[j]
            w[j] = np.sign(z) * max(abs(z) - threshold, 0.0) * shrink
            a += w[j] * means[0, j]
            b += w[j] * means[1, j]
        for j in range(mean.size):
            mean[j] += 2.0 / (t + 1.0) * (w[j] - mean[j])
