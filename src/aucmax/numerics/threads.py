"""Threads: a single BLAS thread for small matrices, where synchronisation dominates; our own threads for long tables.

Our threads share the rows of a table. There are never more of them than BLAS may use, so that a limit set by
`threadpoolctl` or by an environment variable applies to both.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from typing import Any

from threadpoolctl import ThreadpoolController

SMALL = 512  # number of columns up to which a second BLAS thread does not pay off
SHARE = 2**20  # size of the part of a table that is worth a thread of its own


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def threads_for(dim: int) -> AbstractContextManager:
    """A context in which BLAS uses a single thread if matrices of `dim` columns are small."""
    return _controller().limit(limits=1, user_api="blas") if dim <= SMALL else nullcontext()


def workers_for(size: int) -> int:
    """How many threads a pass over `size` numbers is worth."""
    allowed = [library.num_threads for library in _controller().lib_controllers if library.user_api == "blas"]
    return max(min([size // SHARE, *allowed]), 1)


def run_in_order(tasks: Sequence[Callable[[], Any]], most: int | None = None) -> Iterator[Any]:
    """The results of the tasks, in their order; `most` threads, or as many as BLAS may use, work on them."""
    workers = min(most or workers_for(SHARE * len(tasks)), len(tasks))
    if workers <= 1:
        with one_blas_thread() if most else nullcontext():
            yield from (task() for task in tasks)
        return
    with one_blas_thread(), ThreadPoolExecutor(workers) as pool:
        pending: deque[Future] = deque()
        for task in tasks:
            pending.append(pool.submit(task))
            if len(pending) > workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def in_threads(function: Callable[[Any], Any], parts: Iterable[Any]) -> list[Any]:
    """Apply the function to every part, each in its own thread, with BLAS limited to one thread."""
    return list(run_in_order([partial(function, part) for part in parts]))


def one_blas_thread() -> AbstractContextManager:
    """A context in which BLAS uses a single thread, for loops that have threads of their own."""
    return _controller().limit(limits=1, user_api="blas")
