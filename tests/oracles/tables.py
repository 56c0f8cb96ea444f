"""Tables for the transcriptions, the order in which solvers draw their rows, and how close results must be."""

import numpy as np
import pytest
from problems import FORMS, shifted_table

CLOSE = 1e-10  # how far a solver may be from its transcription
WEIGHTS = {"unweighted": False, "weighted": True}
EACH_TABLE = pytest.mark.parametrize("weighted", WEIGHTS.values(), ids=WEIGHTS)
EACH_FORM = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def drawn_table(weighted, n=150, dim=6, rate=0.4):
    """Rows with zeros and a common shift, labels, and weights, which are ones if unweighted."""
    X, y, weight = shifted_table(n, dim, rate)
    return X, y, weight if weighted else np.ones(n)


def shuffled_runs(n, rng, run=16):
    """Every row once: runs of neighbours in random order, with random boundaries."""
    first = -rng.integers(run)
    number = -(-(n - first) // run)
    runs = [range(max(start, 0), min(start + run, n)) for start in first + run * rng.permutation(number)]
    return np.array([i for part in runs for i in part])


def pass_over_draws_of_top_eigenvalue(n, dim, rng):
    """Draw what solvers draw first with an l1 norm: rows and a start for a power iteration."""
    rng.permutation(n)
    rng.normal(size=dim)


def in_batches(order, size):
    """The order, divided into as few batches of at most `size` rows as possible, of about equal sizes."""
    count = -(-order.size // size)
    return [order[k * order.size // count : (k + 1) * order.size // count] for k in range(count)]


def assert_close(found, expected):
    """Within 1e-10, relative to the largest entry if that is above 1."""
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=CLOSE * max(1.0, np.abs(expected).max()))
