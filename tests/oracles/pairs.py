"""PairSVRG, MBA and RankOpt on explicit differences of pairs."""

import numpy as np
from problems import class_statistics, soft
from scipy.special import expit


def pair_svrg(X, y, weight, penalty, inner_length, epochs, rng):
    """The snapshots: prox-SVRG (Xiao, Zhang 2014) on pairs drawn in proportion to r_i r_j (h_i + h_j)."""
    n, dim = X.shape
    r, m_pos, m_neg = class_statistics(X, y, weight)
    pos, neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    size = ((X - (m_pos + m_neg) / 2) ** 2).sum(axis=1)
    h = np.maximum(size, 1e-3 * (r @ size))
    eta = 0.5 / (2 * r @ h)
    D = (X[pos][:, None] - X[neg][None]).reshape(-1, dim)
    shares = np.outer(r[pos], r[neg]).ravel()
    z = np.zeros(dim)
    snapshots = []
    for _ in range(epochs):
        mu = -D.T @ (shares * (1 - D @ z))
        w = z.copy()
        for i, j in zip(*drawn_pairs(r, h, pos, neg, max(1, round(inner_length * n)), rng)):
            a = X[i] - X[j]
            v = (r @ h) / (h[i] + h[j]) * (a @ (w - z)) * a + mu
            w = soft(w - eta * v, eta * penalty.l1) / (1 + eta * penalty.l2)
        z = w
        snapshots.append(z)
    return snapshots


def drawn_pairs(r, h, pos, neg, m, rng):
    """For each pair, one side by r h and the other by r: which one, by the size of the sides."""
    tilted = rng.random(m) * (r @ h) < r[pos] @ h[pos]
    sides = []
    for rows, tilt in ((pos, tilted), (neg, ~tilted)):
        drawn = np.empty(m, dtype=int)
        long = r[rows] * h[rows]
        drawn[tilt] = rng.choice(rows, tilt.sum(), p=long / long.sum())
        drawn[~tilt] = rng.choice(rows, (~tilt).sum(), p=r[rows] / r[rows].sum())
        sides.append(drawn)
    return sides


def mba(X, y, weight, penalty, pairs, rounds, rng):
    """Cyclic coordinate descent on the moments of all pairs drawn so far, in each round from the last weights."""
    r, _, _ = class_statistics(X, y, weight)
    pos, neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    w = np.zeros(X.shape[1])
    D = np.empty((0, w.size))
    for _ in range(rounds):
        i, j = (rng.choice(rows, pairs, p=r[rows]) for rows in (pos, neg))
        D = np.vstack([D, X[i] - X[j]])
        mu = D.mean(axis=0)
        Sigma = D.T @ D / len(D)
        for _ in range(100):
            largest = 0.0
            for k in range(w.size):
                curvature = Sigma[k, k] + penalty.l2
                new = soft(mu[k] - Sigma[k] @ w + Sigma[k, k] * w[k], penalty.l1) / curvature
                largest = max(largest, abs(new - w[k]) * np.sqrt(curvature))
                w[k] = new
            if largest <= 1e-8:
                break
    return w


def rankopt(X, y, weight, radius, epochs, rng):
    """Descent along great circles, ten steps an epoch; the angle is halved on failure and doubled on success."""
    r, m_pos, m_neg = class_statistics(X, y, weight)
    w = (m_pos - m_neg) * radius / np.linalg.norm(m_pos - m_neg)
    pos, neg = rng.permutation(np.flatnonzero(y > 0)), rng.permutation(np.flatnonzero(y < 0))
    K = max(pos.size, neg.size)
    pos, neg = np.resize(pos, K), np.resize(neg, K)  # k mod P and k mod M
    D = X[pos] - X[neg]
    share = r[pos] * r[neg] / (r[pos] * r[neg]).sum()
    angle = 0.1
    for _ in range(10 * epochs):
        sigma = expit(-D @ w)
        gradient = -D.T @ (share * sigma * (1 - sigma))
        tangent = gradient - (gradient @ w) * w / radius**2
        steepness = np.linalg.norm(tangent)
        u = -radius * tangent / steepness
        enough = 1e-4 * radius * steepness
        while share @ expit(-D @ (np.cos(angle) * w + np.sin(angle) * u)) > share @ sigma - enough * angle:
            angle /= 2
        w = np.cos(angle) * w + np.sin(angle) * u
        w = w * radius / np.linalg.norm(w)
        angle = min(2 * angle, 1.0)
    return w
