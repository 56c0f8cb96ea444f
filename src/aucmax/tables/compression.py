"""Opening files, decompressing `.gz`, `.bz2` and `.xz`."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from aucmax.tables.read_limits import LimitedStream, ReadLimits

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_BUFFER_BYTES = 1 << 15


@contextmanager
def open_bytes(path: str | Path, limits: ReadLimits | None = None) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes.

    Examples
    --------
    >>> _ = Path("rows.svm.gz").write_bytes(gzip.compress(b"1 2:3"))
    >>> with open_bytes("rows.svm.gz") as stream:
    ...     stream.read()
    b'1 2:3'
    """
    with _describe_errors(path), _open_limited(path, limits, (b"\n",)) as stream:
        yield stream


@contextmanager
def open_text(path: str | Path, limits: ReadLimits | None = None) -> Iterator[IO[str]]:
    """Open a file for reading UTF-8 text without its byte-order mark; newlines are not translated."""
    with _describe_errors(path), _open_limited(path, limits, (b"\n", b"\r")) as stream:
        yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")


@contextmanager
def _open_limited(path: str | Path, limits: ReadLimits | None, newlines: Sequence[bytes]) -> Iterator[Any]:
    opener = OPENERS.get(Path(path).suffix.lower())
    with open(path, "rb", buffering=0) if opener is None else opener(path, "rb") as stream:
        limited = LimitedStream(stream, path, limits or ReadLimits(), newlines, compressed=opener is not None)
        yield io.BufferedReader(limited, _BUFFER_BYTES)


@contextmanager
def _describe_errors(path: str | Path) -> Iterator[None]:
    """Turn errors of decoding and decompressing into a ValueError that names the file."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text ({error.reason}); save it as UTF-8") from None
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        if getattr(error, "errno", None) is not None:
            raise  # from the operating system, and names the file itself
        raise ValueError(f"{path} is truncated or not compressed as its extension says: {error}") from None
