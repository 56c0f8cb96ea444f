"""`keeps_freed_memory`: the memory of freed arrays is kept for the next ones, in loops over the chunks of a table.

Dask starts its workers with `MALLOC_TRIM_THRESHOLD_=65536`. The C library then returns every freed array to the
system, and the next array is mapped page by page, which doubles the time of a pass.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_TRIM_THRESHOLD = -1  # the parameters of glibc's mallopt
_MMAP_THRESHOLD = -3
_LARGEST_MMAP_THRESHOLD = 2**25  # that glibc accepts
_KEPT = 2**27  # bytes of freed memory
_DEFAULT_MMAP_THRESHOLD = 2**17


@contextmanager
def keeps_freed_memory() -> Iterator[None]:
    """Keep freed memory, if the environment tells glibc not to; return it to the system in the end."""
    setting = os.environ.get("MALLOC_TRIM_THRESHOLD_", "")
    libc: Any = ctypes.CDLL(None) if os.name == "posix" and setting.isdigit() else None
    if not hasattr(libc, "mallopt") or not hasattr(libc, "malloc_trim"):
        yield
        return
    libc.mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD)
    libc.mallopt(_TRIM_THRESHOLD, _KEPT)
    try:
        yield
    finally:
        libc.mallopt(_TRIM_THRESHOLD, int(setting))
        libc.mallopt(_MMAP_THRESHOLD, int(os.environ.get("MALLOC_MMAP_THRESHOLD_", _DEFAULT_MMAP_THRESHOLD)))
        libc.malloc_trim(0)
