"""Minimisers of objectives over explicit pairs, to the last digits: proximal Newton, and for the hinge its dual."""

import numpy as np
from problems import soft


def squared(m):
    return 0.5 * (1 - m) ** 2, m - 1, np.ones_like(m)


def squared_hinge(m):
    z = np.maximum(1 - m, 0.0)
    return z**2, -2 * z, 2.0 * (z > 0)


def exponential(m):
    return np.exp(-m), -np.exp(-m), np.exp(-m)


def logistic(m):
    p = 1 / (1 + np.exp(m))
    return np.logaddexp(0.0, -m), -p, p * (1 - p)


def minimiser(D, share, loss, penalty):
    """argmin of the mean loss of the margins D w plus the penalty: full Newton steps on explicit Hessians, damped."""

    def objective(w):
        return share @ loss(D @ w)[0] + penalty.l1 * np.abs(w).sum() + 0.5 * penalty.l2 * w @ w

    w = np.zeros(D.shape[1])
    for _ in range(100):
        _, slope, curvature = loss(D @ w)
        gradient = D.T @ (share * slope)
        hessian = D.T @ ((share * curvature)[:, None] * D)
        d = quadratic_minimiser(hessian, gradient - hessian @ w, w, penalty) - w
        size = 1.0
        while objective(w + size * d) > objective(w) + 1e-16 and size > 1e-12:
            size /= 2
        w = w + size * d
        if np.abs(d).max() < 1e-15 * max(1.0, np.abs(w).max()):
            break
    return w


def quadratic_minimiser(H, linear, w, penalty):
    """argmin w'Hw/2 + linear.w + penalty: a solve, or coordinate descent until nothing changes."""
    if penalty.l1 == 0:
        return np.linalg.solve(H + penalty.l2 * np.eye(w.size), -linear)
    w = w.copy()
    for _ in range(100_000):
        before = w.copy()
        for j in range(w.size):
            z = H[j, j] * w[j] - H[j] @ w - linear[j]
            w[j] = soft(z, penalty.l1) / (H[j, j] + penalty.l2)
        if np.abs(w - before).max() <= 1e-13:
            break
    kept = np.flatnonzero(w)  # the last digits, from the linear system of the columns that are kept
    system = H[np.ix_(kept, kept)] + penalty.l2 * np.eye(kept.size)
    w[kept] = np.linalg.solve(system, -linear[kept] - penalty.l1 * np.sign(w[kept]))
    return w


def hinge_minimiser(D, share, l2, sweeps=3000):
    """Dual coordinate ascent finds which pairs are at the margin; a linear system then gives w to the last digits.

    The optimality conditions are checked, so that the answer does not depend on how it was found.
    """
    C = share / l2
    alpha = np.zeros(share.size)
    w = np.zeros(D.shape[1])
    squares = (D**2).sum(axis=1)
    for _ in range(sweeps):
        for k in range(share.size):
            new = min(max(alpha[k] + (1 - D[k] @ w) / squares[k], 0.0), C[k])
            w += (new - alpha[k]) * D[k]
            alpha[k] = new
    at = (alpha > 1e-9 * C) & (alpha < (1 - 1e-9) * C)
    above = alpha >= (1 - 1e-9) * C
    fixed = D[above].T @ C[above]
    free = np.linalg.lstsq(D[at] @ D[at].T, 1 - D[at] @ fixed, rcond=1e-12)[0]
    w = fixed + D[at].T @ free
    assert (free >= 0).all() and (free <= C[at]).all()
    assert (D[above] @ w <= 1 + 1e-12).all() and (D[~above & ~at] @ w >= 1 - 1e-12).all()
    return w
