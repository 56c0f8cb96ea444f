"""Changepoint problems that tests share: the stored reference values, and small penalty tables."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from aucmax.changepoint import PenaltyTable

FIXTURES = Path(os.environ.get("AUCMAX_FIXTURES", "")) / "aum" / "changepoint"
NUMBERS = {"Inf": np.inf, "-Inf": -np.inf, "NaN": np.nan}
stored_only = pytest.mark.skipif(
    "AUCMAX_FIXTURES" not in os.environ, reason="set AUCMAX_FIXTURES to the folder of the reference problems"
)


def stored(name):
    """A stored problem with its reference values."""
    return json.loads((FIXTURES / f"{name}.json").read_text())


def numbers(values):
    """Numbers, some of which are stored as strings."""
    return np.array([NUMBERS.get(value, value) if isinstance(value, str) else value for value in values], dtype=float)


def learnable(n=40, seed=0, noise=0.5):
    """Features of which the first two predict the midpoint of the interval of log penalties without errors."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    middle = 3.0 * X[:, 0] - X[:, 1] + noise * rng.normal(size=n)
    low = np.column_stack([np.full(n, -np.inf), middle - rng.exponential(1, n), middle + rng.exponential(1, n)])
    fp, fn = np.tile([2, 0, 0], n), np.tile([0, 0, 1], n)
    return X, PenaltyTable.from_rows(np.repeat(np.arange(n), 3), low.ravel(), fp, fn, np.full(n, 3))


def without_errors(n_labels):
    """Two sequences whose labels no penalty violates."""
    return PenaltyTable.from_rows([0, 1], [0, 0], [0, 0], [0, 0], n_labels)
