"""The order in which stochastic solvers visit the rows.

Blocks of neighbouring rows are shuffled, and the rows within each block: on CSR four times faster than a random
permutation, as most rows are found in the cache, at the same quality, unless neighbours are alike. Rows sorted by
label are therefore permuted once beforehand.
"""

from __future__ import annotations

import numpy as np

from aucmax.problem import Problem

BLOCK = 64


def shuffled_blocks(n: int, rng: np.random.Generator) -> np.ndarray:
    """All rows once: blocks of 64 in random order, shuffled inside."""
    starts = BLOCK * rng.permutation(-(-n // BLOCK))
    order = (starts[:, None] + rng.permutation(BLOCK)).ravel()
    return order[order < n]


def sorted_by_label(y: np.ndarray) -> bool:
    """Whether neighbours share their label far more often than in random order (a runs test, six deviations)."""
    n, rarer = y.size, min(np.count_nonzero(y > 0), np.count_nonzero(y < 0))
    expected = 2.0 * rarer * (n - rarer) / n
    deviation = expected / np.sqrt(max(n - 1, 1))
    changes = np.count_nonzero(y[1:] != y[:-1])
    return n > 2 * BLOCK and changes < expected - 6.0 * deviation


def unsorted(problem: Problem, rng: np.random.Generator) -> Problem:
    """The problem itself, or with its rows permuted if they are sorted by label."""
    if not sorted_by_label(problem.data.y):
        return problem
    return Problem(problem.data.permuted(rng.permutation(problem.data.n)), problem.loss, problem.penalty)
