"""The libsvm (SVMlight) format: `label index:value index:value ... # comment`, one row a line.

Files are parsed in blocks of complete lines. `qid:` is ignored. Errors report the line number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
import scipy

from aucmax.tables.atomic_write import is_pipe_or_device
from aucmax.tables.compression import open_bytes
from aucmax.tables.libsvm_parser import ParsedRows, parse_block
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.table import Table
from aucmax.validation.params import Boolean, Integer, Option, check_param

_BLOCK_BYTES = 1 << 22


def read(
    path: str | Path,
    *,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    limits: ReadLimits | None = None,
) -> Table:
    """Read a whole file.

    Parameters
    ----------
    path : str or Path
        A file; `.gz`, `.bz2` and `.xz` are decompressed.
    n_features : int, optional
        Number of columns; the largest index found if not given.
    zero_based : bool or "auto"
        Whether column indices start at 0; "auto" assumes it if an index 0 occurs.
    limits : ReadLimits, optional
        Limits on the length of a line and the decompressed size.

    Returns
    -------
    Table
        X as csr_array of float64, y of float64, and the `zero_based` that was given or inferred.

    Examples
    --------
    >>> _ = Path("rows.svm").write_text("+1 1:0.5 3:2 # a comment\\n-1 2:25e-2\\n")
    >>> table = read("rows.svm")
    >>> table.X.toarray()
    array([[0.5 , 0.  , 2.  ],
           [0.  , 0.25, 0.  ]])
    >>> table.y, table.zero_based
    (array([ 1., -1.]), False)
    """
    _check_settings(n_features, zero_based)
    rows = _concatenate(list(_parse_blocks(path, zero_based, limits)))
    shift, width = _column_layout([_index_range(rows)], n_features, zero_based, path)
    return _as_table(rows, shift, width, path)


def read_chunks(
    path: str | Path,
    *,
    rows: int,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    limits: ReadLimits | None = None,
) -> Iterator[Table]:
    """Read a file in chunks of `rows` rows, all of the same width, in bounded memory.

    Unless both `n_features` and `zero_based` are given the file is read twice, first for its smallest and largest
    index; a pipe, which can be read only once, is kept in memory.

    Examples
    --------
    >>> _ = Path("rows.svm").write_text("1 1:1\\n0 2:1\\n1 3:1\\n")
    >>> [table.X.shape for table in read_chunks("rows.svm", rows=2)]
    [(2, 3), (1, 3)]
    """
    _check_settings(n_features, zero_based)
    needs_range = n_features is None or zero_based == "auto"
    cached = list(_parse_blocks(path, zero_based, limits)) if needs_range and is_pipe_or_device(path) else None

    def blocks() -> Iterable[ParsedRows]:
        return _parse_blocks(path, zero_based, limits) if cached is None else cached

    ranges = [_index_range(block) for block in blocks()] if needs_range else []
    shift, width = _column_layout(ranges, n_features, zero_based, path)
    for chunk in _regroup(blocks(), rows):
        yield _as_table(chunk, shift, width, path)


def _check_settings(n_features: int | None, zero_based: bool | str) -> None:
    check_param("n_features", n_features, None, Integer(1))
    check_param("zero_based", zero_based, Option("auto"), Boolean())


def _regroup(blocks: Iterable[ParsedRows], rows: int) -> Iterator[ParsedRows]:
    """The rows of the blocks in chunks of `rows`, the last one shorter."""
    pending: list[ParsedRows] = []
    for block in blocks:
        pending.append(block)
        n = sum(part.labels.size for part in pending)
        if n >= rows:
            joined = _concatenate(pending)
            yield from (_slice(joined, start, start + rows) for start in range(0, n - rows + 1, rows))
            pending = [_slice(joined, n - n % rows, n)]
    if (rest := _concatenate(pending)).labels.size:
        yield rest


def _column_layout(
    ranges: Iterable[tuple[int, int]], n_features: int | None, zero_based: bool | str, path: str | Path
) -> tuple[int, int]:
    """The first column index, 0 or 1, and the number of columns, from the ranges of the indices."""
    found = [(low, high) for low, high in ranges if high >= 0]
    if zero_based == "auto" and found:
        shift = int(min(low for low, _ in found) > 0)
    else:
        shift = _known_shift(zero_based)
    needed = max((high for _, high in found), default=shift) + 1 - shift
    if n_features is not None and needed > n_features and found:
        raise ValueError(f"{path} has {needed} features, more than n_features={n_features}")
    return shift, needed if n_features is None else n_features


def _known_shift(zero_based: bool | str) -> int:
    """The first column index, as far as it was given."""
    return 0 if zero_based == "auto" or zero_based else 1


def _index_range(rows: ParsedRows) -> tuple[int, int]:
    """The smallest and the largest column index; the largest is -1 if there are none."""
    return int(rows.indices.min(initial=2**31 - 1)), int(rows.indices.max(initial=-1))


def _as_table(rows: ParsedRows, shift: int, width: int, path: str | Path) -> Table:
    indices = rows.indices - np.int32(shift)
    if indices.size and indices.max() >= width:
        raise ValueError(f"{path} has {indices.max() + 1} features, more than n_features={width}")
    indptr = rows.indptr.astype(np.int32) if rows.indptr[-1] < 2**31 else rows.indptr
    X = scipy.sparse.csr_array((rows.data, indices, indptr), shape=(rows.labels.size, width))
    X.has_sorted_indices = X.has_canonical_format = True  # the parser has checked it
    return Table(X=X, y=rows.labels, zero_based=shift == 0)


def _slice(rows: ParsedRows, start: int, stop: int) -> ParsedRows:
    first, last = rows.indptr[start], rows.indptr[stop]
    indptr = rows.indptr[start : stop + 1] - first
    return ParsedRows(rows.labels[start:stop], rows.data[first:last], rows.indices[first:last], indptr)


def _concatenate(parts: list[ParsedRows]) -> ParsedRows:
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0, *(part.data.size for part in parts)])
    indptr = [np.zeros(1, dtype=np.int64), *(part.indptr[1:] + end for part, end in zip(parts, ends))]
    return ParsedRows(
        np.concatenate([np.empty(0), *(part.labels for part in parts)]),
        np.concatenate([np.empty(0), *(part.data for part in parts)]),
        np.concatenate([np.empty(0, dtype=np.int32), *(part.indices for part in parts)]),
        np.concatenate(indptr),
    )


def _parse_blocks(path: str | Path, zero_based: bool | str, limits: ReadLimits | None) -> Iterator[ParsedRows]:
    line = 1
    with open_bytes(path, limits) as stream:
        for block in _complete_lines(stream):
            rows, n_lines = parse_block(block, line, _known_shift(zero_based), path)
            yield rows
            line += n_lines


def _complete_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Blocks that end at the end of a line."""
    parts: list[bytes] = []  # joined once a line, so that a long line takes linear time
    while block := stream.read(_BLOCK_BYTES):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join((*parts, block[:cut]))
            parts = []
        parts.append(block[cut:])
    if rest := b"".join(parts):
        yield rest
