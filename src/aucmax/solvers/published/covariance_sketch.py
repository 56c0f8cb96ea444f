"""OPAUC's sketch of the class covariances, in a form whose steps cost O(nonzeros of the row), regardless of dim.

    Gao, Jin, Zhu, Zhou. "One-Pass AUC Optimization." ICML 2013, section 3.3 (OPAUCr).

Every row is paired with a random vector a of tau signs over sqrt(tau), so that E[aa'] = I/tau and |a| = 1 (Gaussians,
as in the paper, give the sketch a larger variance). For each class, with sums over its rows of weight s,

    C = sum s x,  Z = sum sqrt(s) x a',  r = sum sqrt(s) a,  T = sum s;    mean = C/T,    Zc = Z - mean r'
    covariance = Zc Zc' / T,                              positive semidefinite, and unbiased over a

The authors' code subtracts another term instead of centring Z, and keeps most of mean mean'. A step on w is dense, as
the means are; but w stays in the span of the rows seen, and can be kept as coefficients th of a few columns:

    M = [C- Z- | v | C+ Z+]  (dim x m, m = 2 tau + 3 padded to whole cache lines),    w = M th,    G = M'M

Per row, Mx = M'x, and with C, Z, r, T of the other class, c.w = (G th)_C / T,  q = (G th)_Z - r c.w,  k = w.x - c.w,

    th <- (1 - eta l2) th,   th_C <- th_C - eta (y - k - r.q/T) / T,   th_Z <- th_Z - eta q / T
    h_v = eta (y - k) / th_v,
    own class: h_C = s,  h_Z = sqrt(s) a,  h_v <- h_v - (h_C th_C + h_Z.th_Z) / th_v
    M <- M + x h',   G <- G + Mx h' + h Mx' + |x|^2 hh'

The blocks are laid out so that the nonzeros of h, those of the own class and of v, are contiguous. Most of the time
goes into fetching the rows of M, which rarely fits in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import cast

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_entry, row_size
from aucmax.problem.data import Data
from aucmax.solvers.base import State
from aucmax.solvers.published.one_pass import relative_weights

SMALL = 1e-6  # th_v below which v is multiplied out
LINE = 8  # numbers in a cache line
REFRESH = 1_000_000  # rows after which G is recomputed; its rounding errors are then about 1e-12


@dataclass(frozen=True, eq=False)
class OPAUCSketchState(State):
    """The state of `OPAUC` with sketched covariances."""

    t: int  # rows so far
    seed: int | None  # of the signs; None before the first row
    M: np.ndarray  # the columns that span w
    th: np.ndarray  # coefficients of w
    G: np.ndarray  # M'M
    T: np.ndarray  # total weight of each class
    r: np.ndarray  # sum of sqrt(s) a over each class

    @classmethod
    def start(cls, w: np.ndarray, tau: int) -> OPAUCSketchState:
        """From weights w, stored in the column v."""
        m = -(-(2 * tau + 3) // LINE) * LINE
        v = tau + 1
        M = _lines(w.size, m)
        th = np.zeros(m)
        G = np.zeros((m, m))
        M[:, v] = w
        th[v] = 1.0
        G[v, v] = w @ w
        return cls(w, 0.0, 0, None, M, th, G, np.zeros(2), np.zeros((2, tau)))

    def after_rows(self, data: Data, l2: float, eta: float, order: np.ndarray) -> OPAUCSketchState:
        """The state, which has a seed, after one pass over these rows in the given order."""
        th, G, T, r = (array.copy() for array in (self.th, self.G, self.T, self.r))
        M = _lines(*self.M.shape)
        M[...] = self.M
        signs = row_signs(cast(int, self.seed), self.t, data.n, r.shape[1])
        rows = (data.rows, data.y, data.squared_norms, data.weight, relative_weights(data))
        _epoch(*rows, order, signs, l2, eta, M, th, G, T, r)
        t = self.t + data.n
        if t // REFRESH > self.t // REFRESH:
            G = M.T @ M
        return OPAUCSketchState(M @ th, self.passes + 1.0, t, self.seed, M, th, G, T, r)

    def rescaled(self, ratio: np.ndarray) -> OPAUCSketchState:
        """The state after the scale of column j has been multiplied by ratio[j] (`State.rescaled`); O(dim m^2)."""
        if (ratio == 1.0).all():
            return self
        v = self.r.shape[1] + 1
        M = self.M / ratio[:, None]
        th = np.zeros_like(self.th)
        M[:, v] = self.w
        th[v] = 1.0
        return replace(self, M=M, th=th, G=M.T @ M)


def _lines(dim: int, m: int) -> np.ndarray:
    """Zeros, each row aligned to a cache line: m is a multiple of LINE."""
    memory = np.zeros(dim * m + LINE)
    start = -memory.ctypes.data % (8 * LINE) // 8
    return memory[start : start + dim * m].reshape(dim, m)


def row_signs(seed: int, t: int, n: int, tau: int) -> np.ndarray:
    """Signs of rows t + 1 to t + n, as 0 and 1: a function of the seed and the row number alone."""
    blocks = -(-tau // 256)  # a step of the counter yields four words of 64 bits
    words = np.random.Philox(key=seed).advance(t * blocks).random_raw(4 * n * blocks)
    return np.unpackbits(words.view(np.uint8).reshape(n, -1), axis=1, count=tau)


@compiled
def _epoch(X, y, norms, weight, relative, order, signs, l2, eta, M, th, G, T, r):
    m = th.size
    tau = r.shape[1]
    v = tau + 1
    Mx, h = np.zeros(m), np.zeros(m)
    Gth = np.zeros(v)
    for place in range(order.size):
        i = order[place]
        own, other = (1, 0) if y[i] > 0 else (0, 1)
        _combine(X, i, M, Mx)
        h[:] = 0.0
        if T[other] > 0.0:
            start = other * (tau + 2)
            h[v] = _step(y[i], l2, eta * relative[i], start, Mx, norms[i], G, T[other], r[other], th, Gth)
            if abs(th[v]) < SMALL:
                _multiply_out(M, G, th, h, Mx, v)
        first = own * (tau + 2)
        s = weight[i]
        root = sqrt(weight[i] / tau)
        h[first] = s
        drift = s * th[first]
        for k in range(tau):
            a = root if signs[place, k] else -root
            h[first + 1 + k] = a
            r[own, k] += a
            drift += a * th[first + 1 + k]
        h[v] -= drift / th[v]
        T[own] += s
        _add_row(X, i, norms[i], own * v, (own + 1) * v + 1, h, Mx, M, G)


@compiled
def _combine(X, i, M, Mx):
    """Mx = M'x of row i; four entries at once, since each addition to a sum has to wait for the previous one."""
    size = row_size(X, i)
    fours = size // 4 * 4
    Mx[:] = 0.0
    for p in range(0, fours, 4):
        (e, a), (f, b) = row_entry(X, i, p), row_entry(X, i, p + 1)
        (g, c), (h, d) = row_entry(X, i, p + 2), row_entry(X, i, p + 3)
        A, B, C, D = M[e], M[f], M[g], M[h]
        for k in range(Mx.size):
            Mx[k] += a * A[k] + b * B[k] + c * C[k] + d * D[k]
    for p in range(fours, size):
        e, a = row_entry(X, i, p)
        A = M[e]
        for k in range(Mx.size):
            Mx[k] += a * A[k]


@compiled
def _step(y, l2, eta, first, Mx, norm2, G, T, r, th, Gth):
    """Update th, where the block of the other class starts at `first`; return h_v, the step left to the column v."""
    tau = r.size
    v = tau + 1
    wx = 0.0
    Gth[:] = 0.0
    for k in range(th.size):
        wx += Mx[k] * th[k]
        line = G[k, first : first + v]
        value = th[k]
        for z in range(v):
            Gth[z] += value * line[z]
    cw = Gth[0] / T
    q = Gth[1:]
    rq, rr = 0.0, 0.0
    trace, along = 0.0, 0.0
    for z in range(tau):
        q[z] -= r[z] * cw
        rq += r[z] * q[z]
        rr += r[z] * r[z]
        trace += G[first + 1 + z, first + 1 + z]
        along += r[z] * G[first, first + 1 + z]
    cc = G[first, first] / (T * T)
    square = max(norm2 - 2.0 * Mx[first] / T + cc, 0.0)
    trace = max(trace - 2.0 * along / T + rr * cc, 0.0) / T
    eta = min(eta, 1.0 / (l2 + square + trace + 1e-300))
    slope = y - wx + cw
    shrink = max(1.0 - eta * l2, SMALL)
    for k in range(th.size):
        th[k] *= shrink
    th[first] -= eta * (slope - rq / T) / T
    for z in range(tau):
        th[first + 1 + z] -= eta * q[z] / T
    return eta * slope / th[v]


@compiled
def _multiply_out(M, G, th, h, Mx, v):
    """Multiply the column v by th_v and set th_v to 1."""
    factor = th[v]
    for j in range(M.shape[0]):
        M[j, v] *= factor
    for k in range(th.size):
        G[k, v] *= factor
        G[v, k] *= factor
    Mx[v] *= factor
    h[v] *= factor
    th[v] = 1.0


@compiled
def _add_row(X, i, norm2, start, stop, h, Mx, M, G):
    """Add xh' to M and update G = M'M; h is zero outside start to stop."""
    start = start // LINE * LINE
    stop = -(-stop // LINE) * LINE
    part = h[start:stop]
    for p in range(row_size(X, i)):
        e, a = row_entry(X, i, p)
        A = M[e, start:stop]
        for k in range(part.size):
            A[k] += a * part[k]
    for row in range(h.size):
        line = G[row]
        a = Mx[row] + norm2 * h[row]
        b = h[row]
        for k in range(h.size):
            line[k] += a * h[k] + b * Mx[k]
