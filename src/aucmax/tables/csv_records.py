"""Where the records of a CSV file end.

`scan_records` reads byte by byte, in a compiled loop, and knows quotation marks, fields and lines. Most files need
less: where `quotes_are_regular`, the last newline will do, and a header is short enough for plain Python.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled

_QUOTE, _NEWLINE, _RETURN = b'"\n\r'
_FIELD_START, _UNQUOTED, _QUOTED, _AFTER_QUOTE = range(4)
_NO_ERROR, _WRONG_WIDTH, _STRAY_QUOTE, _OPEN_QUOTE = range(4)


_HEADER_BYTES = 1 << 16  # that plain Python scans for the end of a header, before Numba is asked


class Scan(NamedTuple):
    """What a scan found."""

    end: int  # where the last complete record ends
    n_lines: int  # lines up to there
    error: str  # what is wrong with a record; empty if nothing is
    line: int  # the line of that error, counted from 1


def scan_records(text: bytes, delimiter: str, width: int, *, at_end: bool, one: bool = False) -> Scan:
    """Scan the records of a text that begins where a record does.

    Parameters
    ----------
    text : bytes
        Some of a file.
    delimiter : str
        Between fields.
    width : int
        Number of fields that every record must have; 0 for any.
    at_end : bool
        Whether the file ends with the text, so that a last line without a newline is a record.
    one : bool
        Whether to stop after the first record.

    Examples
    --------
    >>> scan_records(b'1,2\\n"a\\nb",4\\n5', ",", 2, at_end=False)
    Scan(end=12, n_lines=3, error='', line=0)
    >>> scan_records(b'1,2\\n3\\n', ",", 2, at_end=True)
    Scan(end=4, n_lines=1, error='1 fields, but the header has 2', line=2)
    """
    if one and len(text) > _HEADER_BYTES:
        first = scan_records(text[:_HEADER_BYTES], delimiter, width, at_end=False, one=True)
        if first.end:
            return first
    scan = getattr(_scan, "py_func", _scan) if one and len(text) <= _HEADER_BYTES else _scan
    end, n_lines, error, n_fields, line = scan(
        np.frombuffer(text, dtype=np.uint8), ord(delimiter), width, at_end, one
    )
    messages = {
        _NO_ERROR: "",
        _WRONG_WIDTH: f"{n_fields} fields, but the header has {width}",
        _STRAY_QUOTE: f"{delimiter!r} expected after '\"'; is a quotation mark not closed?",
        _OPEN_QUOTE: "unexpected end of data; is a quotation mark not closed?",
    }
    return Scan(end, n_lines, messages[error], line)


def quotes_are_regular(text: bytes, delimiter: str) -> bool:
    """Whether each pair of quotation marks encloses a whole field, and none is left open.

    A text that ends with a newline then ends with a record. False says nothing: there are quotation marks within
    fields, or the text ends between two of them, and `scan_records` has to look.

    Examples
    --------
    >>> quotes_are_regular(b'"a","b\\n c"\\n', ","), quotes_are_regular(b'5" pipe,2\\n', ",")
    (True, False)
    """
    codes = np.frombuffer(text, dtype=np.uint8)
    quotes = np.flatnonzero(codes == _QUOTE)
    if quotes.size % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    separators = np.zeros(256, dtype=bool)
    separators[[ord(delimiter), _NEWLINE, _RETURN]] = True
    starts = separators[codes[opening - 1]] | (opening == 0)
    ends = separators[codes[np.minimum(closing + 1, codes.size - 1)]] | (closing == codes.size - 1)
    return bool(starts.all() and ends.all())


@compiled
def _scan(text, delimiter, width, at_end, one):
    """The end of the last record, the lines up to it, an error with its number of fields and its line."""
    state = _FIELD_START
    start = 0
    end = 0
    lines = 0
    line = 0
    fields = 1
    n = text.size
    for i in range(n):
        c = text[i]
        if c == _NEWLINE or (c == _RETURN and (i + 1 == n or text[i + 1] != _NEWLINE)):
            if c == _RETURN and i + 1 == n and not at_end:
                break  # a newline may follow
            line += 1
            if state == _QUOTED:
                continue
            blank = state == _FIELD_START and fields == 1
            if not blank and width > 0 and fields != width:
                return end, lines, _WRONG_WIDTH, fields, line
            start = end = i + 1
            lines = line
            fields = 1
            state = _FIELD_START
            if one and not blank:
                break
        elif state == _QUOTED:
            if c == _QUOTE:
                state = _AFTER_QUOTE
        elif c == _RETURN:
            continue
        elif c == delimiter:
            fields += 1
            state = _FIELD_START
        elif state == _AFTER_QUOTE:
            if c != _QUOTE:
                return end, lines, _STRAY_QUOTE, fields, line + 1
            state = _QUOTED
        else:
            state = _QUOTED if state == _FIELD_START and c == _QUOTE else _UNQUOTED
    if at_end and start < n and not (one and end > 0):
        if state == _QUOTED:
            return end, lines, _OPEN_QUOTE, fields, line + 1
        if width > 0 and fields != width and not (state == _FIELD_START and fields == 1):
            return end, lines, _WRONG_WIDTH, fields, line + 1
        end = n
        lines = line + 1
    return end, lines, _NO_ERROR, 0, 0
