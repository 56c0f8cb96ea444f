"""Memory limits: how many rows a chunk may have, so that the process stays below a given figure."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from aucmax.numerics.matrix import nonzeros
from aucmax.scale.engines import Engine
from aucmax.scale.first_pass import with_matrix_layout
from aucmax.scale.source import Source
from aucmax.tables.read_table import CHUNK_ROWS

_MIN_ROWS = 256  # in a chunk
_CELL_BYTES = 64  # of a cell while its chunk is read, encoded and used
_RESERVE = 400 << 20  # for what a pass adds up, and for what the allocators keep: measured, docs/scale.md
_LIBRARIES = 250 << 20  # of Python with its libraries
_FEATURE_BYTES = 300  # of a feature in each thread and in the sums: measured with 300,000 and a million features
_SAMPLED_ROWS = 1000  # of a sparse table, from which the mean number of its entries is estimated
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def parse_memory(memory: int | str) -> int:
    """A number of bytes, such as 1_000_000_000 or "1GB" or "512MiB".

    Examples
    --------
    >>> parse_memory("1GB"), parse_memory("1.5 GiB"), parse_memory(10)
    (1000000000, 1610612736, 10)
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?I?)B?\s*", str(memory).upper())
    if match is None or match[2] not in _UNITS:
        raise ValueError(f"memory={memory!r}; give a number of bytes, such as '1GB' or '512MiB'")
    return int(float(match[1]) * _UNITS[match[2]])


def chunk_rows(memory: int | str, width: int, engine: Engine) -> int:
    """How many rows a chunk may have, so that the process stays below the limit."""
    threads = _threads(engine)
    left = parse_memory(memory) - _resident() - _RESERVE
    rows = left // ((threads + 1) * max(width, 1) * _CELL_BYTES)
    if rows < _MIN_ROWS:
        needed = _resident() + _RESERVE + _MIN_ROWS * (threads + 1) * width * _CELL_BYTES
        raise ValueError(
            f"memory={memory!r} is too little; {width} columns need at least {needed / 1e6:.0f} MB, of which the "
            f"process has {_resident() / 1e6:.0f} MB already"
        )
    return int(min(2 ** int(np.log2(rows)), CHUNK_ROWS))  # a power of two, so that it seldom differs between runs


def rows_beside(features: int, rows: int, memory: int | str, engine: Engine) -> int:
    """The rows of a chunk once the number of features is known, of which each takes some numbers in every pass."""
    available = parse_memory(memory) - _LIBRARIES - _RESERVE // 2
    taken = (_threads(engine) + 1) * _FEATURE_BYTES * features
    left = available - taken
    if left < available // 8:
        needed = _LIBRARIES + _RESERVE // 2 + taken * 8 // 7
        raise ValueError(f"memory={memory!r} is too little; {features} features need at least {needed / 1e6:.0f} MB")
    return max(_MIN_ROWS, int(rows * min(1.0, 2.0 * left / available)))


def row_size(source: Source, features: int | None = None) -> int:
    """How many numbers a row has: `features` or, if not given, columns; of a matrix, entries in its first rows."""
    first = next(with_matrix_layout(source).partitions[0].chunks(_SAMPLED_ROWS))
    if first.X is None:
        return len(first.names) if features is None else features
    return -(-nonzeros(first.X) // len(first))


def _threads(engine: Engine) -> int:
    """How many threads of this process read rows."""
    return getattr(engine, "n_threads", None) or os.cpu_count() or 1


def _resident() -> int:
    """Bytes of memory that this process uses now; a guess where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 300 << 20
