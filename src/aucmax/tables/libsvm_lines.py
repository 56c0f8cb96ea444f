"""Lines of a libsvm file, parsed to numbers by one kernel.

Numbers are exactly those of Python's `float`: the few that the kernel cannot round by itself are handed to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.tables.decimals import read_double

_WRONG = {
    1: "expected index:value, found {token!r}",
    2: "index {token!r} is too large; at most 2147483647 is possible",
    3: "index {token!r} is not larger than the one before it; indices must be increasing",
    4: "index 0 in a file said to be one-based; add 1 to all its indices, or say that it is zero-based",
}


class Parsed(NamedTuple):
    """Rows as they stand in the file: indices not yet shifted."""

    labels: np.ndarray
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


def parse_block(block: bytes, line: int, lowest: int, path: str | Path) -> tuple[Parsed, int]:
    """The rows of a block whose first line has number `line`, and the number of its lines."""
    text = np.frombuffer(block, dtype=np.uint8)
    n_lines, n_values = block.count(b"\n"), block.count(b":")
    labels, data = np.empty(n_lines + 1), np.empty(n_values)
    indices, indptr = np.empty(n_values, dtype=np.int32), np.zeros(n_lines + 2, dtype=np.int64)
    left = np.empty((n_lines + 1 + n_values, 4), dtype=np.int64)
    bits = labels.view(np.uint64), data.view(np.uint64)
    n, n_left, wrong, at = _parse(text, lowest, *bits, indices, indptr, left)
    for start, stop, row, k in left[:n_left]:
        token = block[start:stop]
        try:
            (labels if k < 0 else data)[row if k < 0 else k] = float(token)
        except ValueError:
            what = "label" if k < 0 else "value"
            raise _error(block, start, line, path, f"{what} {_shown(token)!r} is not a number") from None
    if wrong:
        raise _error(block, at, line, path, _WRONG[wrong].format(token=_shown(_token(block, at))))
    nnz = indptr[n]
    return Parsed(labels[:n], data[:nnz], indices[:nnz], indptr[: n + 1]), n_lines


def _token(block: bytes, start: int) -> bytes:
    """What stands at `start`, up to white space or a comment."""
    words = block[start : start + 1000].split(b"#", 1)[0].split(None, 1)
    return words[0] if words else b""


def _shown(token: bytes) -> str:
    text = token.decode("utf-8", "replace")
    return text if len(text) <= 40 else text[:37] + "..."


def _error(block: bytes, at: int, line: int, path: str | Path, message: str) -> ValueError:
    return ValueError(f"{path}, line {line + block.count(bytes([10]), 0, at)}: {message}")


@compiled
def _is_space(byte):
    return byte == 32 or (9 <= byte <= 13 and byte != 10)


@compiled
def _ends_token(text, at):
    return at == text.size or text[at] <= 32 or text[at] == 35


@compiled
def _is_qid(text, at):
    """Whether `qid:` stands there."""
    if at + 4 > text.size:
        return False
    return text[at] == 113 and text[at + 1] == 105 and text[at + 2] == 100 and text[at + 3] == 58


@compiled
def _token_end(text, at):
    while not _ends_token(text, at):
        at += 1
    return at


@compiled
def _leave(left, n_left, start, stop, row, k):
    left[n_left, 0], left[n_left, 1], left[n_left, 2], left[n_left, 3] = start, stop, row, k
    return n_left + 1


@compiled
def _parse(text, lowest, labels, data, indices, indptr, left):
    """Fill the arrays from whole lines: number of rows, of numbers left to Python, what is wrong, and where.

    A number left to Python is a row of `left`: where it starts and stops, its row, its place in `data` (-1: a label).
    """
    n = k = n_left = at = 0
    size = text.size
    while at < size:
        in_row, previous = False, np.int64(-1)
        while at < size and text[at] != 10:
            if _is_space(text[at]):
                at += 1
            elif text[at] == 35:
                while at < size and text[at] != 10:
                    at += 1
            elif not in_row:
                in_row, start = True, at
                at, labels[n], known = read_double(text, at, size)
                if not (known and _ends_token(text, at)):
                    at = _token_end(text, at)
                    n_left = _leave(left, n_left, start, at, n, -1)
            elif previous < 0 and _is_qid(text, at):
                at = _token_end(text, at)
            else:
                start, index = at, np.int64(0)
                while at < size and 48 <= text[at] <= 57 and index < 2**31:
                    index = index * 10 + np.int64(text[at]) - 48
                    at += 1
                if index >= 2**31:
                    return n, n_left, 2, start
                if start == at or at == size or text[at] != 58:
                    return n, n_left, 1, start
                if index <= previous or index < lowest:
                    return n, n_left, (4 if index < lowest else 3), start
                previous, indices[k], start = index, index, at + 1
                at, data[k], known = read_double(text, at + 1, size)
                if not (known and _ends_token(text, at)):
                    at = _token_end(text, at)
                    n_left = _leave(left, n_left, start, at, n, k)
                k += 1
        if in_row:
            n += 1
            indptr[n] = k
        at += 1
    return n, n_left, 0, at
