"""`@compiled`: loops that Numba compiles when they are first called.

Nothing here imports Numba, which takes a third of a second: programs that call no compiled loop do without it. What
talks to Numba is `compiler`.

With `NUMBA_DISABLE_JIT=1` the loops run as plain Python and give the same results.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from time import perf_counter
from types import CodeType
from typing import Any

_lock = threading.RLock()
_row_operations: list[tuple[Callable, ...]] = []  # those that Numba does not know yet


class CompileTimer(threading.local):
    """Seconds that each thread has spent on importing Numba, in its compiler and in the disk cache."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0  # a function is compiled within the compilation of its caller
        self._start = 0.0

    def start(self) -> None:
        """Begin to count, unless that is so already."""
        if self._depth == 0:
            self._start = perf_counter()
        self._depth += 1

    def stop(self) -> None:
        """End what the last `start` began."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += perf_counter() - self._start


compile_timer = CompileTimer()


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
        self._compiled: Callable | None = None
        self._linked = False

    def __call__(self, *args: Any) -> Any:
        """Run the loop, compiled for these types."""
        compiled = self._compiled if self._linked else self.link()
        return compiled(*args)  # type: ignore[misc]

    def link(self) -> Callable:
        """The function that Numba calls; from now on its name means that, as do the names which it refers to."""
        with _lock:
            if self._compiled is None:
                compile_timer.start()
                try:
                    self._compiled = _compile(self)
                    self._link_names()
                    self._linked = True
                finally:
                    self._compiled = self._compiled if self._linked else None  # Ctrl-C may come at any time
                    compile_timer.stop()
        return self._compiled  # type: ignore[return-value]

    def _link_names(self) -> None:
        """Numba must find its own functions where this one names compiled functions; its own name comes last.

        Another thread that already calls the new function would otherwise compile it with names that are not linked.
        """
        names = self.py_func.__globals__
        for name in (*_names(self.py_func.__code__), self.py_func.__name__):
            if isinstance(value := names.get(name), CompiledFunction):
                names[name] = value.link()


def _names(code: CodeType) -> Iterator[str]:
    """The globals that some code may refer to."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _compile(function: CompiledFunction) -> Callable:
    from aucmax.numerics.compiler import compile_function, compile_row_operation

    while _row_operations:
        compile_row_operation(*_row_operations.pop())
    return compile_function(function.py_func, strict=function.strict)


def compiled(function: Callable | None = None, *, strict: bool = False) -> Callable:
    """Compile a loop over plain arrays and numbers; the machine code is cached on disk.

    `@compiled(strict=True)` keeps the written order of additions, where reordering would lose digits.
    """
    if function is None:
        return functools.partial(compiled, strict=strict)
    return CompiledFunction(function, strict)


def row_operation(is_csr: Callable[[Any], bool], dense: Callable, csr: Callable) -> Callable:
    """Combine a dense and a CSR implementation into one operation on rows, for compiled loops and for plain Python.

    `is_csr` chooses between them: from the type of X in Python, from its Numba type inside a compiled loop.
    """

    def operation(X, *args):
        return (csr if is_csr(type(X)) else dense)(X, *args)

    operation.__doc__ = dense.__doc__
    _row_operations.append((operation, is_csr, dense, csr))
    return operation


def prefetch(array: Any, i: int, j: int) -> None:
    """Prefetch the cache line of array[i, j]; does nothing in plain Python."""
