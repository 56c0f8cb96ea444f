"""Target intervals: the log penalties of each sequence that violate the fewest of its labels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from aucmax.numerics.compiled import compiled


def target_intervals(starts: ArrayLike, min_log_lambda: ArrayLike, errors: ArrayLike) -> np.ndarray:
    """For each sequence the longest interval of log penalties with the fewest errors.

    Among runs of adjacent rows with the fewest errors it is the longest in log penalty, the later of equal ones. If
    both the smallest and the largest penalties have the fewest errors, the sequence is uninformative: the interval is
    the whole real line.

    Parameters
    ----------
    starts : array of int
        The first row of every sequence, then the number of rows.
    min_log_lambda : array
        The rows of one sequence are in ascending order, from -inf; each holds up to the next row.
    errors : array
        Number of errors in each row.

    Returns
    -------
    array of shape (n_sequences, 2)
        Lower and upper limits, which may be infinite.

    Examples
    --------
    >>> target_intervals(np.array([0, 4]), np.array([-np.inf, 0.0, 1.0, 5.0]), np.array([2, 0, 1, 3]))
    array([[0., 1.]])
    """
    low = np.asarray(min_log_lambda, dtype=float)
    n_errors = np.asarray(errors)
    runs = [_longest_run(low[first:end], n_errors[first:end]) for first, end in pairwise(np.asarray(starts))]
    return np.array(runs).reshape(-1, 2)


@compiled(strict=True)
def _longest_run(low, errors):
    """The ends of the longest run of fewest errors."""
    n = errors.size
    least = errors[0]
    for r in range(1, n):
        least = min(least, errors[r])
    best_low, best_high = -np.inf, -np.inf
    longest = -1.0
    run_low = -np.inf
    for r in range(n):
        if errors[r] != least:
            continue
        if r == 0 or errors[r - 1] != least:
            run_low = low[r]
        if r == n - 1 or errors[r + 1] != least:
            high = np.inf if r == n - 1 else low[r + 1]
            if high - run_low >= longest:
                longest = high - run_low
                best_low, best_high = run_low, high
    return (-np.inf, best_high) if errors[0] == least else (best_low, best_high)
