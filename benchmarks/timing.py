"""Alternating timings: the machine is noisy, so both sides meet the same noise, and medians are compared."""

from collections.abc import Callable
from time import perf_counter

import numpy as np


def medians(*calls: Callable[[], object], repeats: int = 7) -> list[float]:
    """Median milliseconds of each call, the calls taking turns; the first round warms up and is not counted."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(repeats + 1):
        for call, seen in zip(calls, times, strict=True):
            start = perf_counter()
            call()
            seen.append(perf_counter() - start)
    return [1e3 * float(np.median(seen[1:])) for seen in times]


def row(what: str, ours_ms: float, theirs_ms: float, bar: str) -> dict:
    """A row of the table; `ratio` is theirs over ours: how many times faster we are."""
    return {"what": what, "ours_ms": ours_ms, "theirs_ms": theirs_ms, "ratio": theirs_ms / ours_ms, "bar": bar}
