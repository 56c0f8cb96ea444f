"""Opening files, decompressing `.gz`, `.bz2` and `.xz`."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes.

    Examples
    --------
    >>> _ = Path("rows.svm.gz").write_bytes(gzip.compress(b"1 2:3"))
    >>> with open_bytes("rows.svm.gz") as stream:
    ...     stream.read()
    b'1 2:3'
    """
    with _describe_errors(path), _opener(path)(path, "rb") as stream:
        yield stream


@contextmanager
def open_text(path: str | Path) -> Iterator[IO[str]]:
    """Open a file for reading UTF-8 text without its byte-order mark; newlines are not translated."""
    with _describe_errors(path), _opener(path)(path, "rt", encoding="utf-8-sig", newline="") as stream:
        yield stream


def _opener(path: str | Path) -> Callable[..., Any]:
    return OPENERS.get(Path(path).suffix.lower(), open)


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
