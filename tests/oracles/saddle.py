"""SOLAM and FSAUC as published, in the papers' scale, on rows that are explicitly centred and divided."""

import numpy as np


def onto_l2(w, radius):
    return w / max(1.0, np.linalg.norm(w) / radius)


def onto_l1(w, radius):
    """By bisection on the threshold, unlike the solvers."""
    if np.abs(w).sum() <= radius:
        return w
    low, high = 0.0, np.abs(w).max()
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if np.maximum(np.abs(w) - middle, 0).sum() < radius else (middle, high)
    return np.sign(w) * np.maximum(np.abs(w) - high, 0.0)


class ScaledRows:
    """The rows minus the midpoint of the class means, divided by the root of the mean over classes of |x|^2."""

    def __init__(self, X, y, weight, centred, scaled=True):
        m_pos = np.average(X[y > 0], axis=0, weights=weight[y > 0])
        m_neg = np.average(X[y < 0], axis=0, weights=weight[y < 0])
        self.centre = 0.5 * (m_pos + m_neg) * centred
        squares = ((X - self.centre) ** 2).sum(axis=1)
        self.unit = np.sqrt(sum(np.average(squares[y == c], weights=weight[y == c]) for c in (1, -1)) / 2)
        self.unit = self.unit if scaled else 1.0
        self.rows = (X - self.centre) / self.unit
        self.delta = (m_pos - m_neg) / self.unit
        self.y = y
        self.weight = weight
        self.relative = weight / weight.mean()
        self.p = weight[y > 0].sum() / weight.sum()
        self.kappa = np.sqrt((self.rows**2).sum(axis=1).max())

    def curvature(self, size):
        """L: the largest e_i (|x'_i|^2 + 1), or its bound for batches."""
        e = self.relative / np.where(self.y > 0, self.p, 1 - self.p)
        return (e * ((self.rows**2).sum(axis=1) + 1)).max() / size + 4 * (1 - 1 / size)


class Prior:
    """p: that of all rows, or of the rows so far."""

    def __init__(self, table, running):
        self.table = table
        self.running = running
        self.pos = self.total = 0.0

    def after(self, i):
        """p once row i has come too."""
        self.total += self.table.weight[i]
        self.pos += self.table.weight[i] * (self.table.y[i] > 0)
        return self.pos / self.total if self.running else self.table.p


def slopes(table, batch, prior, w, a, b, al):
    """The mean over a batch of the derivatives of F with respect to w, a, b and al."""
    dw = np.zeros_like(w)
    da = db = dal = 0.0
    for i in batch:
        x = table.rows[i]
        p = prior.after(i)
        share = table.relative[i] / len(batch)
        dal -= 2 * p * (1 - p) * al / len(batch)
        if table.y[i] > 0:
            dw = dw + share * 2 * (1 - p) * ((w @ x - a) - (1 + al)) * x
            da -= share * 2 * (1 - p) * (w @ x - a)
            dal -= share * 2 * (1 - p) * (w @ x)
        else:
            dw = dw + share * 2 * p * ((w @ x - b) + (1 + al)) * x
            db -= share * 2 * p * (w @ x - b)
            dal += share * 2 * p * (w @ x)
    return dw, da, db, dal


def solam(table, batches, zeta, project, radius, *, l1=0.0, l2=0.0, tilt=0.0, cap=np.inf, running=False):
    """The average, the last w, and (a, b, al); a step is a batch of rows."""
    factor = 2 * table.p * (1 - table.p)
    prior = Prior(table, running)
    w = np.zeros(table.rows.shape[1])
    a = b = al = 0.0
    total = np.zeros_like(w)
    shares = 0.0
    for t, batch in enumerate(batches, start=1):
        gamma = min(zeta / np.sqrt(t), cap) / factor
        dw, da, db, dal = slopes(table, batch, prior, w, a, b, al)
        total = total + gamma * t**tilt * w
        shares = shares + gamma * t**tilt
        w = w - gamma * (dw + factor * l2 * w)
        w = project(np.sign(w) * np.maximum(np.abs(w) - gamma * factor * l1, 0.0), radius)
        a, b = np.clip([a - gamma * da, b - gamma * db], -radius * table.kappa, radius * table.kappa)
        al = np.clip(al + gamma * dal, -2 * radius * table.kappa, 2 * radius * table.kappa)
    return total / shares, w, (a, b, al)


def onto_set(v, R, bound):
    """On |w|_1 <= R and |a|, |b| <= bound alone."""
    return np.concatenate([onto_l1(v[:-2], R), np.clip(v[-2:], -bound, bound)])


def dykstra(v, start, R, bound, around, rounds=100_000):
    """The nearest point of the set and of a ball around `start`, by alternating projections with corrections.

    The point itself may rest for a while before it moves on: only when the corrections rest too, it has arrived.
    """
    now = np.stack([v, np.zeros_like(v), np.zeros_like(v)])
    for _ in range(rounds):
        v, p, q = before = now
        inner = onto_set(v + p, R, bound)
        step = inner + q - start
        after = start + step * min(1.0, around / np.linalg.norm(step))
        now = np.stack([after, v + p - inner, inner + q - after])
        if np.abs(now - before).max() < 1e-14:
            break
    return now[0]


def nearest(v, start, R, bound, around):
    """The projection on the set and the ball."""
    inside = onto_set(v, R, bound)
    return inside if np.linalg.norm(inside - start) <= around else dykstra(v, start, R, bound, around)


def fsauc(table, order, size, R, *, eta=None, delta=0.1, running=False, restarted=False):
    """w after one pass of stages, from zero, and the steps of the stages; eta is None for those of the theorem."""
    factor = 2 * table.p * (1 - table.p)
    n = order.size
    k = table.kappa
    m = max(1, int(np.floor(0.5 * np.log2(2 * n / np.log2(n)))) - 1)
    n0 = n // m
    tail = np.sqrt(2 * np.log(12 / delta))
    G = max((1 + 4 * k) * k * (R + 1), 2 * k * (2 * R + 1 + 2 * R * k), 2 * k * (4 * k * R + 11 * R + 1))
    R_k = 2 * np.sqrt(1 + 2 * k**2) * R
    beta = 1 + 8 * k**2
    D = 2 * np.sqrt(2) * k * R_k
    v = np.zeros(table.rows.shape[1] + 2)
    al = 0.0
    prior = Prior(table, running)
    steps = []
    seen = np.empty(0, dtype=int)
    for number, part in enumerate(np.array_split(order, m)):
        step = np.sqrt(beta) * R_k / (G * np.sqrt(2 * n0)) if eta is None else eta / factor / 2**number
        prior = Prior(table, running) if restarted else prior
        start = v.copy()
        start_al = al
        total = np.zeros_like(v)
        count = -(-part.size // size)
        for b in range(count):
            batch = part[b * part.size // count : (b + 1) * part.size // count]
            dw, da, db, dal = slopes(table, batch, prior, v[:-2], v[-2], v[-1], al)
            v = nearest(v - step * np.append(dw, [da, db]), start, R, R * k, R_k)
            low, high = max(-2 * R * k, start_al - D), min(2 * R * k, start_al + D)
            al = np.clip(al + step * dal, low, high)
            total += v / count
        v = total
        seen = part if restarted else np.append(seen, part)
        al = -v[:-2] @ (difference_of_means(table, seen) if running else table.delta)
        steps.append(step * factor)
        R_k /= 2
        p = table.weight[seen] @ (table.y[seen] > 0) / table.weight[seen].sum() if running else table.p
        xi = min(p, 1 - p) - tail / np.sqrt(n0)
        beta = 1 + 8 * k**2
        D = np.inf
        if xi > 0:
            beta += 32 * k**2 * (1 + 2 * k) ** 2 * (2 + tail) ** 2 / xi
            D = 2 * np.sqrt(2) * k * R_k + 4 * np.sqrt(2) * k * (2 + tail) * (1 + 2 * k) * R / np.sqrt(xi * n0)
    return v[:-2], np.array(steps)


def difference_of_means(table, rows):
    """m+ - m- of these rows."""
    means = []
    for sign in (1, -1):
        side = rows[table.y[rows] == sign]
        means.append(np.average(table.rows[side], axis=0, weights=table.weight[side]))
    return means[0] - means[1]
