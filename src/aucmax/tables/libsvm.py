"""The libsvm (SVMlight) format: `label index:value index:value ... # comment`, one row a line.

Files are read in blocks of whole lines. `qid:` is skipped. What is wrong is told with its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
from scipy import sparse

from aucmax.tables.compressed import open_bytes
from aucmax.tables.libsvm_lines import Parsed, parse_block
from aucmax.tables.table import Table
from aucmax.tables.writing import is_special

_BLOCK = 1 << 22  # bytes


def read(path: str | Path, *, n_features: int | None = None, zero_based: bool | str = "auto") -> Table:
    """Read a whole file.

    Parameters
    ----------
    path : str or Path
        A file; `.gz`, `.bz2` and `.xz` are unpacked on the way.
    n_features : int, optional
        Number of columns; the largest index found if not given.
    zero_based : bool or "auto"
        Whether indices start at 0; "auto" says so if a 0 occurs.

    Returns
    -------
    Table
        X as csr_array of float64, y of float64, and the `zero_based` that was given or found.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".svm") as file:
    ...     _ = file.write("+1 1:0.5 3:2 # a comment\\n-1 2:25e-2\\n")
    ...     file.flush()
    ...     table = read(file.name)
    >>> table.X.toarray()
    array([[0.5 , 0.  , 2.  ],
           [0.  , 0.25, 0.  ]])
    >>> table.y, table.zero_based
    (array([ 1., -1.]), False)
    """
    rows = _joined(list(_parsed_blocks(path, zero_based)))
    shift, width = _shape([(_smallest(rows), _largest(rows))], n_features, zero_based, path)
    return _as_table(rows, shift, width, path)


def read_chunks(
    path: str | Path, *, rows: int, n_features: int | None = None, zero_based: bool | str = "auto"
) -> Iterator[Table]:
    """Read a file in chunks of `rows` rows, all of the same width, in bounded memory.

    Without `n_features` and a known `zero_based` the file is read twice, first for its smallest and largest index; a
    pipe, which cannot be, is kept in memory.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".svm") as file:
    ...     _ = file.write("1 1:1\\n0 2:1\\n1 3:1\\n")
    ...     file.flush()
    ...     [table.X.shape for table in read_chunks(file.name, rows=2)]
    [(2, 3), (1, 3)]
    """
    twice, ranges = n_features is None or zero_based == "auto", []
    kept = list(_parsed_blocks(path, zero_based)) if twice and is_special(path) else None
    if twice:
        ranges = [(_smallest(block), _largest(block)) for block in kept or _parsed_blocks(path, zero_based)]
    shift, width = _shape(ranges, n_features, zero_based, path)
    held: list[Parsed] = []
    for block in kept or _parsed_blocks(path, zero_based):
        held.append(block)
        n = sum(part.labels.size for part in held)
        if n >= rows:
            joined = _joined(held)
            parts = (_part(joined, i, i + rows) for i in range(0, n - rows + 1, rows))
            yield from (_as_table(part, shift, width, path) for part in parts)
            held = [_part(joined, n - n % rows, n)]
    if (rest := _joined(held)).labels.size:
        yield _as_table(rest, shift, width, path)


def _shape(
    ranges: Iterable[tuple[int, int]], n_features: int | None, zero_based: bool | str, path: str | Path
) -> tuple[int, int]:
    """What to subtract from the indices, and the number of columns, from the ranges of the indices."""
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"zero_based must be True, False or 'auto', not {zero_based!r}")
    found = [pair for pair in ranges if pair[1] >= 0]
    shift = int(min(low for low, _ in found) > 0) if zero_based == "auto" and found else int(zero_based is False)
    needed = max((high for _, high in found), default=shift) + 1 - shift
    if n_features is not None and needed > n_features and found:
        raise ValueError(f"{path} has {needed} features, more than the {n_features} asked for")
    return shift, needed if n_features is None else n_features


def _smallest(rows: Parsed) -> int:
    return int(rows.indices.min(initial=2**31 - 1))


def _largest(rows: Parsed) -> int:
    return int(rows.indices.max(initial=-1))


def _as_table(rows: Parsed, shift: int, width: int, path: str | Path) -> Table:
    indices = rows.indices - np.int32(shift)
    if indices.size and indices.max() >= width:
        raise ValueError(f"{path} has {indices.max() + 1} features, more than the {width} asked for")
    indptr = rows.indptr.astype(np.int32) if rows.indptr[-1] < 2**31 else rows.indptr
    X = sparse.csr_array((rows.data, indices, indptr), shape=(rows.labels.size, width))
    X.has_sorted_indices = X.has_canonical_format = True  # checked by the kernel
    return Table(X=X, y=rows.labels, zero_based=shift == 0)


def _part(rows: Parsed, start: int, stop: int) -> Parsed:
    first, last = rows.indptr[start], rows.indptr[stop]
    indptr = rows.indptr[start : stop + 1] - first
    return Parsed(rows.labels[start:stop], rows.data[first:last], rows.indices[first:last], indptr)


def _joined(parts: list[Parsed]) -> Parsed:
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0, *(part.data.size for part in parts)])
    indptr = [np.zeros(1, dtype=np.int64), *(part.indptr[1:] + end for part, end in zip(parts, ends))]
    return Parsed(
        np.concatenate([np.empty(0), *(part.labels for part in parts)]),
        np.concatenate([np.empty(0), *(part.data for part in parts)]),
        np.concatenate([np.empty(0, dtype=np.int32), *(part.indices for part in parts)]),
        np.concatenate(indptr),
    )


def _parsed_blocks(path: str | Path, zero_based: bool | str) -> Iterator[Parsed]:
    line = 1
    with open_bytes(path) as stream:
        for block in _whole_lines(stream):
            rows, n_lines = parse_block(block, line, int(zero_based is False), path)
            yield rows
            line += n_lines


def _whole_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Blocks that end at the end of a line."""
    rest = b""
    while block := stream.read(_BLOCK):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield rest + block[:cut]
            rest = block[cut:]
        else:
            rest += block
    if rest:
        yield rest
