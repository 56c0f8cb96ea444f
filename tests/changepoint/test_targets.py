"""Target intervals against brute force and reference values."""

import numpy as np
from changepoint_problems import numbers, stored, stored_only

from aucmax.changepoint import target_intervals


def brute_target(low, errors):
    """Of all intervals between rows with the fewest errors throughout, the longest, the later of equal ones."""
    ends = [*low[1:], np.inf]
    least = np.flatnonzero(errors == errors.min())
    runs = [(a, b) for a in least for b in least if a <= b and (errors[a : b + 1] == errors.min()).all()]
    first, last = max(runs, key=lambda run: (ends[run[1]] - low[run[0]], run[1], -run[0]))
    return (-np.inf if errors[0] == errors.min() else low[first]), ends[last]


def test_target_is_the_longest_interval_of_fewest_errors():
    rng = np.random.default_rng(3)
    for _ in range(300):
        low = np.concatenate(([-np.inf], np.sort(rng.choice(10, size=int(rng.integers(0, 7)), replace=False))))
        errors = rng.integers(0, 3, size=low.size)
        found = target_intervals(np.array([0, low.size]), low, errors)
        assert tuple(found[0]) == brute_target(low, errors)


def test_targets_of_lists():
    assert target_intervals([0, 4], [-np.inf, 0, 1, 5], [2, 0, 1, 3]).tolist() == [[0.0, 1.0]]


@stored_only
def test_stored_target_intervals():
    for given in stored("target_intervals"):
        low, errors = numbers(given["min_log_lambda"]), np.array(given["errors"])
        assert target_intervals(np.array([0, low.size]), low, errors)[0].tolist() == numbers(given["target"]).tolist()
