"""`@compiled`: loops that Numba compiles when they are first called.

The first call imports `compiler`, and with it Numba: any earlier, `from aucmax import AUCClassifier` would take 30 %
longer. With `NUMBA_DISABLE_JIT=1` the loops run as plain Python and give the same results.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from functools import cached_property
from time import perf_counter
from typing import Any


class CompileTimer(threading.local):
    """Seconds that each thread has spent on importing Numba, in its compiler and in the disk cache."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0  # a function is compiled within the compilation of its caller
        self._start = 0.0

    def start(self) -> None:
        """Start counting, unless an outer compilation already has."""
        if self._depth == 0:
            self._start = perf_counter()
        self._depth += 1

    def stop(self) -> None:
        """Stop counting at the end of the outermost compilation."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += perf_counter() - self._start


compile_timer = CompileTimer()


def run_clock() -> float:
    """Seconds on a clock that stops while this thread compiles: that happens once per machine, not once per run."""
    return perf_counter() - compile_timer.seconds


class CompiledFunction:
    """A function of plain arrays and numbers that is compiled when it is first called.

    Parameters
    ----------
    function : callable
        The loop in plain Python, also the attribute `py_func`.
    strict : bool
        Whether additions keep their written order.
    """

    def __init__(self, function: Callable, strict: bool) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.strict = strict

    def __call__(self, *args: Any) -> Any:
        """Run the loop, compiled for these types."""
        return self.dispatcher(*args)

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's function; with `NUMBA_DISABLE_JIT=1` the plain one."""
        compile_timer.start()
        try:
            from aucmax.numerics.compiler import make_dispatcher

            return make_dispatcher(self.py_func, strict=self.strict)
        finally:
            compile_timer.stop()


def compiled(function: Callable | None = None, *, strict: bool = False) -> Callable:
    """Compile a loop over plain arrays and numbers; the machine code is cached on disk.

    `@compiled(strict=True)` keeps the written order of additions, where reordering would lose digits.
    """
    if function is None:
        return functools.partial(compiled, strict=strict)
    return CompiledFunction(function, strict)
