"""Timings on a shared machine: the candidates alternate, and CPU time on one BLAS thread is compared."""

from collections.abc import Callable
from contextlib import nullcontext
from time import perf_counter, process_time

import numpy as np
from threadpoolctl import threadpool_limits


def medians(*calls: Callable[[], object], repeats: int = 7, wall: bool = False) -> list[float]:
    """Median milliseconds of each call; the first round is a warm-up and not counted.

    CPU time on one BLAS thread, or, if `wall`, wall-clock time with all threads.
    """
    clock = perf_counter if wall else process_time
    times: list[list[float]] = [[] for _ in calls]
    with nullcontext() if wall else threadpool_limits(1):
        for _ in range(repeats + 1):
            for call, measured in zip(calls, times, strict=True):
                start = clock()
                call()
                measured.append(clock() - start)
    return [1e3 * float(np.median(measured[1:])) for measured in times]


def row(what: str, ours_ms: float, theirs_ms: float, bar: str) -> dict:
    """A row of the table; `ratio` is theirs over ours, the speed-up, and `bar` the ratio to reach."""
    return {"what": what, "ours_ms": ours_ms, "theirs_ms": theirs_ms, "ratio": theirs_ms / ours_ms, "bar": bar}
