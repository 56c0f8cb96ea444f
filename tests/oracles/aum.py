"""Descent on AUM from its definition: the order of the scores, and a line search over all crossings of two scores."""

import numpy as np
from problems import class_statistics


def coefficients(scores, r, y):
    """The derivative of AUM with respect to the scores, none of which are tied: min(FP, FN) after minus before."""
    order = np.argsort(-scores)
    out = np.zeros(scores.size)
    false_pos, false_neg = 0.0, 1.0
    before = 0.0
    for number, i in enumerate(order, 1):
        false_pos += r[i] * (y[i] < 0)
        false_neg -= r[i] * (y[i] > 0)
        after = min(false_pos, false_neg) if number < scores.size else 0.0
        out[i] = after - before
        before = after
    return out


def objective(X, y, r, w, l2):
    """AUM and the penalty."""
    scores = X @ w
    return coefficients(scores, r, y) @ scores + 0.5 * l2 * w @ w


def first_minimum(X, y, r, w, d, l2):
    """Step along d to the minimum of the objective, which is convex: piece by piece between the crossings."""
    scores, move = X @ w, X @ d
    i, j = np.triu_indices(y.size, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = (scores[j] - scores[i]) / (move[i] - move[j])
    crossings = np.unique(crossings[np.isfinite(crossings) & (crossings > 0)])
    low = 0.0
    for high in (*crossings, 2 * crossings[-1]):
        slope = coefficients(scores + 0.5 * (low + high) * move, r, y) @ move
        step = -(slope + l2 * (w @ d)) / (l2 * (d @ d))  # where the derivative on this piece is zero
        if step <= low:
            return low
        if step < high:
            return step
        low = high
    raise AssertionError("the objective falls beyond the last crossing")


def descend(X, y, weight, w, l2, steps, line_search):
    """The weights after some steps on the plane w.delta = 1."""
    r, pos, neg = class_statistics(X, y, weight)
    delta = pos - neg
    w = w / (w @ delta)
    for _ in range(steps):
        d = -(X.T @ coefficients(X @ w, r, y) + l2 * w)
        d = d - (d @ delta) / (delta @ delta) * delta
        if line_search == "grid":
            grid = 10.0 ** np.arange(-9, 10)
            step = min(grid, key=lambda s, w=w, d=d: objective(X, y, r, w + s * d, l2))
        else:
            step = first_minimum(X, y, r, w, d, l2)
        w = w + step * d
    return w
