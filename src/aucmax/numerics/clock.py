"""The clock of recorded runs, which does not count compilation: that happens once per machine, not once per run."""

from __future__ import annotations

from time import perf_counter

from aucmax.numerics.compiled import compile_timer

__all__ = ["run_clock"]


def run_clock() -> float:
    """Seconds on a clock that stops while this thread compiles functions or loads them from the disk cache."""
    return perf_counter() - compile_timer.seconds
