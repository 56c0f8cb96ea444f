"""Parsing lines of a libsvm file, in one compiled function.

Numbers are exactly those of Python's `float`: the few that the compiled function cannot round are passed to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.tables.cells import truncate
from aucmax.tables.float_parsing import parse_double

_NO_PAIR, _TOO_LARGE, _NOT_INCREASING, _ZERO_INDEX = 1, 2, 3, 4  # errors of the compiled function; 0 is none
_MESSAGES = {
    _NO_PAIR: "expected index:value, found {token!r}",
    _TOO_LARGE: "index {token!r} is too large; at most 2147483647 is possible",
    _NOT_INCREASING: "index {token!r} is not larger than the previous one; indices must be increasing",
    _ZERO_INDEX: "index 0, but the indices should start at 1; add 1 to all of them, or use zero_based=True",
}
_NEWLINE, _SPACE, _HASH, _COLON, _Q, _I, _D, _DIGIT_0, _DIGIT_9 = b"\n #:qid09"
_TAB, _RETURN = b"\t\r"


class ParsedRows(NamedTuple):
    """Rows in CSR form, with column indices as in the file."""

    labels: np.ndarray  # float64, one a row
    data: np.ndarray  # float64, the values
    indices: np.ndarray  # int32, their column indices, not yet shifted to start at 0
    indptr: np.ndarray  # int64, where each row starts among the values


def parse_block(block: bytes, line: int, first_index: int, path: str | Path) -> tuple[ParsedRows, int]:
    """The rows of a block whose first line has number `line`, and the number of lines in it."""
    text = np.frombuffer(block, dtype=np.uint8)
    n_lines = block.count(b"\n")
    n_values = block.count(b":")
    rows = ParsedRows(
        labels=np.empty(n_lines + 1),
        data=np.empty(n_values),
        indices=np.empty(n_values, dtype=np.int32),
        indptr=np.zeros(n_lines + 2, dtype=np.int64),
    )
    deferred = np.empty((n_lines + 1 + n_values, 4), dtype=np.int64)
    bits = rows.labels.view(np.uint64), rows.data.view(np.uint64)
    n, n_deferred, error, at = _parse(text, first_index, *bits, rows.indices, rows.indptr, deferred)
    for start, stop, row, k in deferred[:n_deferred]:
        try:
            (rows.labels if k < 0 else rows.data)[row if k < 0 else k] = float(block[start:stop])
        except ValueError:
            what = "label" if k < 0 else "value"
            message = f"{what} {_show(block[start:stop])!r} is not a number"
            raise _error(block, start, line, path, message) from None
    if error:
        raise _error(block, at, line, path, _MESSAGES[error].format(token=_show(_token(block, at))))
    nnz = rows.indptr[n]
    return ParsedRows(rows.labels[:n], rows.data[:nnz], rows.indices[:nnz], rows.indptr[: n + 1]), n_lines


def _token(block: bytes, start: int) -> bytes:
    """The token at `start`, up to white space or a comment."""
    tokens = block[start : start + 1000].split(b"#", 1)[0].split(None, 1)
    return tokens[0] if tokens else b""


def _show(token: bytes) -> str:
    return truncate(token.decode("utf-8", "replace"), 40)


def _error(block: bytes, at: int, line: int, path: str | Path, message: str) -> ValueError:
    return ValueError(f"{path}, line {line + block.count(bytes([_NEWLINE]), 0, at)}: {message}")


@compiled
def _is_space(byte):
    return byte == _SPACE or (_TAB <= byte <= _RETURN and byte != _NEWLINE)


@compiled
def _ends_token(text, at):
    return at == text.size or text[at] <= _SPACE or text[at] == _HASH


@compiled
def _is_qid(text, at):
    """Whether `qid:` starts at `at`."""
    if at + 4 > text.size:
        return False
    return text[at] == _Q and text[at + 1] == _I and text[at + 2] == _D and text[at + 3] == _COLON


@compiled
def _token_end(text, at):
    while at < text.size and not _ends_token(text, at):
        at += 1
    return at


@compiled
def _defer(deferred, n_deferred, start, stop, row, k):
    """Leave the number text[start:stop] to Python's `float`."""
    deferred[n_deferred, 0] = start
    deferred[n_deferred, 1] = stop
    deferred[n_deferred, 2] = row
    deferred[n_deferred, 3] = k
    return n_deferred + 1


@compiled
def _parse(text, first_index, labels, data, indices, indptr, deferred):
    """Fill the arrays from complete lines: number of rows, of deferred numbers, the error (0: none), and where.

    A row of `deferred` is where the number starts and stops, its row, and its position in `data` (-1: a label).
    Every pass over a line, and over a part of it, moves on by a character at least.
    """
    n = k = n_deferred = at = 0
    size = text.size
    for _ in range(size):
        if at >= size:
            break
        in_row = False
        previous = np.int64(-1)
        for _ in range(at, size):
            if at >= size or text[at] == _NEWLINE:
                break
            if _is_space(text[at]):
                at += 1
            elif text[at] == _HASH:  # a comment
                while at < size and text[at] != _NEWLINE:
                    at += 1
            elif not in_row:  # the label
                in_row = True
                start = at
                at, labels[n], parsed = parse_double(text, at, size)
                if not (parsed and _ends_token(text, at)):
                    at = _token_end(text, at)
                    n_deferred = _defer(deferred, n_deferred, start, at, n, -1)
            elif previous < 0 and _is_qid(text, at):
                at = _token_end(text, at)
            else:  # index:value
                start = at
                index = np.int64(0)
                while at < size and _DIGIT_0 <= text[at] <= _DIGIT_9 and index < 2**31:
                    index = index * 10 + np.int64(text[at]) - _DIGIT_0
                    at += 1
                if index >= 2**31:
                    return n, n_deferred, _TOO_LARGE, start
                if start == at or at == size or text[at] != _COLON:
                    return n, n_deferred, _NO_PAIR, start
                if index <= previous or index < first_index:
                    return n, n_deferred, (_ZERO_INDEX if index < first_index else _NOT_INCREASING), start
                previous = index
                indices[k] = index
                start = at + 1
                at, data[k], parsed = parse_double(text, at + 1, size)
                if not (parsed and _ends_token(text, at)):
                    at = _token_end(text, at)
                    n_deferred = _defer(deferred, n_deferred, start, at, n, k)
                k += 1
        if in_row:
            n += 1
            indptr[n] = k
        at += 1
    return n, n_deferred, 0, at
