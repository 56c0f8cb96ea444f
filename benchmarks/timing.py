"""Timings on a shared machine: both sides take turns, and CPU time on one BLAS thread is compared."""

from collections.abc import Callable
from contextlib import nullcontext
from time import perf_counter, process_time

import numpy as np
from threadpoolctl import threadpool_limits


def medians(*calls: Callable[[], object], repeats: int = 7, wall: bool = False) -> list[float]:
    """Median milliseconds of each call; the first round warms up and is not counted.

    Of CPU time on one BLAS thread, or, if `wall`, of the clock on the wall with as many threads as there are.
    """
    clock = perf_counter if wall else process_time
    times: list[list[float]] = [[] for _ in calls]
    with nullcontext() if wall else threadpool_limits(1):
        for _ in range(repeats + 1):
            for call, seen in zip(calls, times, strict=True):
                start = clock()
                call()
                seen.append(clock() - start)
    return [1e3 * float(np.median(seen[1:])) for seen in times]


def row(what: str, ours_ms: float, theirs_ms: float, bar: str) -> dict:
    """A row of the table; `ratio` is theirs over ours: how many times faster we are."""
    return {"what": what, "ours_ms": ours_ms, "theirs_ms": theirs_ms, "ratio": theirs_ms / ours_ms, "bar": bar}
