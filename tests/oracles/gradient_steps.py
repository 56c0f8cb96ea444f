"""SPAM and VRSPAM as their equations say, step by step and with all columns (docs/mathematics.md, section 8)."""

import numpy as np
from problems import class_statistics, soft


def stochastic_gradients(X, y, weight, w, *, centre):
    """All G_i at w, a row each."""
    r, pos, neg = class_statistics(X, y, weight)
    others = np.where((y > 0)[:, None], neg, pos)
    numbers = y.size * r * ((X - others) @ w - y)
    return numbers[:, None] * (X - centre * (pos + neg) / 2)


def spam(X, y, weight, penalty, batches, eta, *, centre):
    """Last iterate and average."""
    w = np.zeros(X.shape[1])
    average = np.zeros(X.shape[1])
    for t, batch in enumerate(batches, 1):
        G = stochastic_gradients(X, y, weight, w, centre=centre)[batch].mean(axis=0)
        w = soft(w - eta(t) * G, eta(t) * penalty.l1) / (1 + eta(t) * penalty.l2)
        average += 2 / (t + 1) * (w - average)
    return w, average


def largest_curvature(X, y, weight, *, centre):
    """L = 2 max e_i |x_i - xi|^2."""
    r, pos, neg = class_statistics(X, y, weight)
    return 2 * np.max(y.size * r * ((X - centre * (pos + neg) / 2) ** 2).sum(axis=1))


def spam_in_the_papers_scale(X, y, l2, order, theorem, theta):
    """The objective p(1-p) E[(1 - w.(x - x'))^2] + beta/2 |w|^2 and the steps of the paper's theorems; unweighted."""
    p = np.mean(y > 0)
    beta = 2 * p * (1 - p) * l2
    M = np.sqrt((X**2).sum(axis=1).max())
    pos, neg = X[y > 0].mean(axis=0), X[y < 0].mean(axis=0)
    w = np.zeros(X.shape[1])
    for t, i in enumerate(order, 1):
        factor, other = (2 * (1 - p), neg) if y[i] > 0 else (2 * p, pos)
        G = factor * (w @ (X[i] - other) - y[i]) * X[i]
        eta = {
            "theorem_4_1": beta / (128 * M**4) / t**theta,
            "theorem_4_2": (1 + beta**2 / (128 * M**4)) ** 2 / (beta * (t + 1)),
        }[theorem]
        w = (w - eta * G) / (1 + eta * beta)
    return w


def gradient(X, y, weight, w):
    """Of the loss."""
    r, pos, neg = class_statistics(X, y, weight)
    centred = X - np.where((y > 0)[:, None], pos, neg)
    delta = pos - neg
    return centred.T @ (r * (centred @ w)) - (1 - w @ delta) * delta


def directions(X, y, weight, p, z, w, estimator, rows=slice(None)):
    """The directions of rows at w from the snapshot z."""
    r, pos, neg = class_statistics(X, y, weight)
    u = w - z
    delta = pos - neg
    mu = gradient(X, y, weight, z)
    h = (r / p)[rows]
    x = X[rows]
    positive = (y > 0)[rows, None]
    own, other = np.where(positive, pos, neg), np.where(positive, neg, pos)
    if estimator == "printed":
        return (h * ((x - other) @ u))[:, None] * x + mu
    return (h * ((x - own) @ u))[:, None] * (x - own) + (u @ delta) * delta + mu


def probabilities(X, y, weight, sampling, estimator):
    """Of the rows."""
    r, pos, neg = class_statistics(X, y, weight)
    if sampling == "uniform":
        return np.full(y.size, 1 / y.size)
    centres = np.where((y > 0)[:, None], pos, neg) if estimator == "centred" else 0.0
    sizes = r * ((X - centres) ** 2).sum(axis=1)
    p = np.maximum(sizes / sizes.sum(), 1e-3 / y.size)
    return p / p.sum()


def smoothness(X, y, weight, sampling, estimator, size):
    """L of the directions for batches of a size: steps of 1/L are stable."""
    r, pos, neg = class_statistics(X, y, weight)
    h = r / probabilities(X, y, weight, sampling, estimator)
    delta = pos - neg
    centred = X - np.where((y > 0)[:, None], pos, neg)
    top = np.linalg.eigvalsh((centred * r[:, None]).T @ centred + np.outer(delta, delta))[-1]
    L = 2 * (h * (X**2).sum(axis=1)).max()
    if estimator == "centred":
        L = (h * (centred**2).sum(axis=1)).max() + delta @ delta
    return L / size + (1 - 1 / size) * top


def inner_loop(X, y, weight, penalty, z, batches, eta, sampling, estimator):
    """The next snapshot."""
    p = probabilities(X, y, weight, sampling, estimator)
    w = z.copy()
    for batch in batches:
        d = directions(X, y, weight, p, z, w, estimator, batch).mean(axis=0)
        w = soft(w - eta * d, eta * penalty.l1) / (1 + eta * penalty.l2)
    return w
