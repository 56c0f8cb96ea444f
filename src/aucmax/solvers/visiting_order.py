"""The order in which stochastic solvers visit the rows.

Runs of neighbouring rows are visited in random order: on CSR this is far faster than a random permutation, as most
rows are found in the cache, and nearly as good, unless neighbours are alike: rows sorted by label are visited one by
one. Runs of 16 suit solvers that are sensitive to the order (SDCA on a9a: 11 passes to 1e-6; a
permutation needs 10, runs of 64 need 16). SPAM, whose own noise is larger, uses runs of 64, which are faster still.
"""

from __future__ import annotations

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.problem.data import Data

RUN = 16  # longer runs need more epochs, shorter ones more time


def shuffled_blocks(data: Data, rng: np.random.Generator, run: int = RUN) -> np.ndarray:
    """Every row once: runs of neighbours in random order, with random boundaries."""
    n = data.n
    if sorted_by_label(data.y):
        return rng.permutation(n)
    first = -rng.integers(run)
    starts = first + run * rng.permutation(-((first - n) // run))
    order = np.empty(n, dtype=np.int64)
    _fill(starts, run, order)
    return order


@compiled
def _fill(starts, run, order):
    filled = 0
    for start in starts:
        for i in range(max(start, 0), min(start + run, order.size)):
            order[filled] = i
            filled += 1


def sorted_by_label(y: np.ndarray) -> bool:
    """Whether neighbours share a label far more often than in random order (a six-sigma runs test)."""
    n = y.size
    rarer = min(np.count_nonzero(y > 0), np.count_nonzero(y < 0))
    expected = 2.0 * rarer * (n - rarer) / n
    deviation = expected / np.sqrt(max(n - 1, 1))
    changes = np.count_nonzero(y[1:] != y[:-1])
    return n > 8 * RUN and changes < expected - 6.0 * deviation
