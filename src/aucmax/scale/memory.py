"""Memory: how many rows a chunk may have, so that the chunks under way stay within a limit."""

from __future__ import annotations

import math
import re

from aucmax.numerics.matrix import nonzeros
from aucmax.scale.source import Source
from aucmax.tables.read_table import CHUNK_ROWS

_MIN_ROWS = 256  # in a chunk
_CELL_BYTES = 64  # of a cell while its chunk is read, encoded and used
_NUMBERS = 2**21  # most numbers in a chunk of encoded rows: 16 MB
_SAMPLED_ROWS = 1000  # of a matrix, from which the mean number of entries of a row is estimated
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


def chunk_rows(memory: int | str | None, width: int, n_threads: int, most: int = CHUNK_ROWS) -> int:
    """The number of rows of a chunk, of which each thread reads one while two others wait; `width` numbers a row."""
    most = max(_MIN_ROWS, min(most, _NUMBERS // max(width, 1)))
    if memory is None:
        return most
    row_bytes = _CELL_BYTES * max(width, 1) * (n_threads + 2)
    rows = parse_memory(memory) // row_bytes
    if rows < _MIN_ROWS:
        raise ValueError(
            f"memory={memory!r} is too little for the chunks; rows of {width} numbers need at least "
            f"{math.ceil(_MIN_ROWS * row_bytes / 1e5) / 10} MB with {n_threads} thread{'s' if n_threads > 1 else ''}"
        )
    return min(rows, most)


def row_width(source: Source) -> int:
    """How many columns the rows have; of a matrix, how many entries on average in its first rows."""
    for partition in source.partitions:
        if partition.width is not None:
            return partition.width
        for chunk in partition.chunks(_SAMPLED_ROWS):
            return len(chunk.names) if chunk.X is None else -(-nonzeros(chunk.X) // len(chunk))
    raise ValueError(f"{source.name} has no rows")
