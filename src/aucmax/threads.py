"""One BLAS thread for small matrices: in a loop of small calls, waiting for other threads costs far more."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController

SMALL = 512  # columns up to which a second thread does not pay


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def threads_for(dim: int) -> AbstractContextManager:
    """A context in which BLAS uses one thread if matrices of `dim` columns are small."""
    return _controller().limit(limits=1, user_api="blas") if dim <= SMALL else nullcontext()
