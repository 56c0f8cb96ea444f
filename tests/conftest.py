"""Seeded tables, and the brute force over all pairs that results are compared with."""

import numpy as np
import pytest


class Pairs:
    """The differences x - x' of all pairs, one a row, with their weights: the definition itself."""

    def __init__(self, X, y, weight=None):
        weight = np.ones(y.size) if weight is None else weight
        pos, neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        self.differences = (X[pos][:, None, :] - X[neg][None, :, :]).reshape(-1, X.shape[1])
        products = np.outer(weight[pos], weight[neg]).ravel()
        self.weights = products / products.sum()

    def squared(self, w):
        return 0.5 * self.weights @ (1.0 - self.differences @ w) ** 2

    def ridge(self, alpha):
        D = self.differences
        hessian = D.T @ (self.weights[:, None] * D) + alpha * np.eye(D.shape[1])
        return np.linalg.solve(hessian, D.T @ self.weights)


@pytest.fixture
def pairs():
    return Pairs


def make_table(n=60, dim=6, *, rate=0.3, seed=0, unscaled=False, sparsity=0.4):
    """A table with zeros, shifted columns and both classes; labels -1/+1, weights between 0.2 and 3."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < max(3, int(rate * n)), 1.0, -1.0)
    rng.shuffle(y)
    X = rng.normal(size=(n, dim)) + 0.7 * y[:, None] * rng.random(dim) + rng.normal(size=dim)
    X[rng.random(X.shape) < sparsity] = 0.0
    if unscaled:
        X = X * 10.0 ** rng.uniform(-3, 3, size=dim)
    return X, y, rng.uniform(0.2, 3.0, size=n)


@pytest.fixture
def table():
    return make_table
