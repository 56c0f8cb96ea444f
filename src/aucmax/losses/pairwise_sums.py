"""Sums of piecewise polynomials of the margin over all pairs of a positive and a negative row, in O(n log n).

    Lee, Lin. "Large-Scale Linear RankSVM." Neural Computation 2014. (With two classes, sorting suffices: no trees.)

Positive rows have scores a_i and weights p_i, negative rows b_j and q_j, both in ascending order of score. At margin
c the pair is active if b_j + c > a_i, a test that both sweeps share, and falls short by z_ij = b_j + c - a_i. Over
the active partners of a row,

    Q_i = sum_j q_j    Z_i = sum_j q_j z_ij    V_i = sum_j q_j z_ij^2    P_j = sum_i p_i    Y_j = sum_i p_i z_ij

In a sweep over the scores a step of length d gives V += d (2 Z + d Q) and Z += d Q: only non-negative numbers are
ever added, so that large scores cause no cancellation, as they do in differences of prefix sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled

MOVES = 4  # moves per row that repairing a sort may take before sorting from scratch is cheaper


class ActivePairs(NamedTuple):
    """The active pairs at a margin, with their sums."""

    first: np.ndarray  # the first partner of each positive row
    partners: np.ndarray  # the number of partners of each negative row
    Q: np.ndarray  # for each positive row, the sum of q_j over its partners
    Z: np.ndarray  # and of q_j z_ij
    P: np.ndarray  # for each negative row, the sum of p_i over its partners
    Y: np.ndarray  # and of p_i z_ij
    weight: float  # sum of p_i q_j over all active pairs
    short: float  # sum of p_i q_j z_ij
    square: float  # sum of p_i q_j z_ij^2


class SortedScores(NamedTuple):
    """Scores of all rows, with the rows of each class in ascending order of score."""

    scores: np.ndarray  # in the order of the rows
    pos: np.ndarray  # positive rows, in ascending order of score
    neg: np.ndarray  # negative rows, in ascending order of score
    a: np.ndarray  # scores of the positive rows, ascending
    b: np.ndarray  # scores of the negative rows, ascending
    p: np.ndarray  # weights of the positive rows, in the order of a
    q: np.ndarray  # weights of the negative rows, in the order of b

    @classmethod
    def of(cls, data: Any, scores: np.ndarray) -> SortedScores:
        """Sort the scores of the rows of `data`."""
        (pos, a), (neg, b) = _sorted_classes(scores, data.y)
        if data.weight.min() == data.weight.max():  # sorting equal weights would cost as much as a product with X
            p = np.full(pos.size, data.r[pos[0]])
            q = np.full(neg.size, data.r[neg[0]])
            return cls(scores, pos, neg, a, b, p, q)
        return cls(scores, pos, neg, a, b, data.r[pos], data.r[neg])

    def active(self, margin: float) -> ActivePairs:
        """All sums over the pairs that are active at the given margin."""
        first = np.empty(self.pos.size, dtype=np.int64)
        partners = np.empty(self.neg.size, dtype=np.int64)
        Q = np.empty(self.pos.size)
        Z = np.empty(self.pos.size)
        P = np.empty(self.neg.size)
        Y = np.empty(self.neg.size)
        totals = _down(self.a, self.b, self.p, self.q, margin, first, Q, Z)
        _up(self.a, self.b, self.p, margin, partners, P, Y)
        return ActivePairs(first, partners, Q, Z, P, Y, *totals)

    def spread(self, of_pos: np.ndarray, of_neg: np.ndarray) -> np.ndarray:
        """p_i times `of_pos` and q_j times `of_neg`, in the order of the rows."""
        out = np.empty(self.scores.size)
        _spread(self.pos, self.p, of_pos, out)
        _spread(self.neg, self.q, of_neg, out)
        return out

    def laplacian(self, active: ActivePairs, u: np.ndarray) -> np.ndarray:
        """sum over the active pairs of p_i q_j (u_i - u_j) (e_i - e_j), a vector over the rows like u."""
        out = np.empty(u.size)
        _laplacian(self.pos, self.neg, self.p, self.q, active.first, active.partners, active.Q, active.P, u, out)
        return out


def _sorted_classes(scores: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The positive and the negative rows in ascending order of score, with their scores.

    The leading bits of a score and the index of its row are packed into one integer: sorting integers is several
    times faster than `argsort`. Neighbours that differ only in the lost bits are swapped afterwards.
    """
    mask = (1 << max(1, (y.size - 1).bit_length())) - 1
    n_pos = int(np.count_nonzero(y > 0))
    pos = np.empty(n_pos, dtype=np.int64)
    neg = np.empty(y.size - n_pos, dtype=np.int64)
    shifted = scores - scores.mean()  # doubles are densest near zero
    _keys(shifted.view(np.int64), y, mask, pos, neg)
    return [_settled(keys, mask, scores) for keys in (pos, neg)]


def _settled(keys: np.ndarray, mask: int, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and scores in order, from keys that are not yet sorted."""
    keys.sort()
    rows = keys
    ordered = np.empty(keys.size)
    if not _settle(rows, mask, scores, ordered, MOVES * rows.size):
        rows = rows[np.argsort(scores[rows])]
        ordered = scores[rows]
    return rows, ordered


@compiled
def _keys(bits, y, mask, pos, neg):
    """Integers in the order of the doubles whose bits are given, with the row index in place of the last bits."""
    i_pos, i_neg = 0, 0
    for i in range(bits.size):
        key = bits[i] if bits[i] >= 0 else bits[i] ^ 0x7FFFFFFFFFFFFFFF
        key = (key & ~mask) | i
        if y[i] > 0:
            pos[i_pos] = key
            i_pos += 1
        else:
            neg[i_neg] = key
            i_neg += 1


@compiled
def _settle(keys, mask, scores, ordered, moves):
    """Turn sorted keys into rows sorted by score, unless it takes too many moves."""
    for k in range(keys.size):
        row = keys[k] & mask
        score = scores[row]
        at = k
        while at > 0 and ordered[at - 1] > score and moves > 0:
            keys[at] = keys[at - 1]
            ordered[at] = ordered[at - 1]
            at -= 1
            moves -= 1
        keys[at] = row
        ordered[at] = score
    return moves > 0


@compiled
def _down(a, b, p, q, margin, first, Q, Z):
    """From the largest positive score down: sums over the active negatives, a growing set."""
    weight, short, square = 0.0, 0.0, 0.0
    weight_all, short_all, square_all = 0.0, 0.0, 0.0
    j = b.size - 1
    last = a[a.size - 1]
    for i in range(a.size - 1, -1, -1):
        step = last - a[i]
        last = a[i]
        square += step * (2.0 * short + step * weight)
        short += step * weight
        while j >= 0 and b[j] + margin > last:
            z = b[j] + margin - last
            weight += q[j]
            short += q[j] * z
            square += q[j] * z * z
            j -= 1
        first[i] = j + 1
        Q[i] = weight
        Z[i] = short
        weight_all += p[i] * weight
        short_all += p[i] * short
        square_all += p[i] * square
    return weight_all, short_all, square_all


@compiled
def _up(a, b, p, margin, partners, P, Y):
    """From the smallest negative score up: sums over the active positives."""
    weight, short = 0.0, 0.0
    i = 0
    last = b[0]
    for j in range(b.size):
        short += (b[j] - last) * weight
        last = b[j]
        while i < a.size and last + margin > a[i]:
            weight += p[i]
            short += p[i] * (last + margin - a[i])
            i += 1
        partners[j] = i
        P[j] = weight
        Y[j] = short


@compiled
def _spread(rows, weight, values, out):
    for k in range(rows.size):
        out[rows[k]] = weight[k] * values[k]


@compiled
def _laplacian(pos, neg, p, q, first, partners, Q, P, u, out):
    total = 0.0
    j = neg.size
    for i in range(pos.size - 1, -1, -1):
        while j > first[i]:
            j -= 1
            total += q[j] * u[neg[j]]
        out[pos[i]] = p[i] * (Q[i] * u[pos[i]] - total)
    total = 0.0
    i = 0
    for j in range(neg.size):
        while i < partners[j]:
            total += p[i] * u[pos[i]]
            i += 1
        out[neg[j]] = q[j] * (P[j] * u[neg[j]] - total)
