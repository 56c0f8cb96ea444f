"""Open a file, unpacking `.gz`, `.bz2` and `.xz` on the way."""

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
    """The bytes of a file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".gz") as file:
    ...     _ = file.write(gzip.compress(b"1 2:3"))
    ...     file.flush()
    ...     with open_bytes(file.name) as stream:
    ...         stream.read()
    b'1 2:3'
    """
    with _damage_told(path), _opener(path)(path, "rb") as stream:
        yield stream


@contextmanager
def open_text(path: str | Path) -> Iterator[IO[str]]:
    """The UTF-8 text of a file, without a byte-order mark, its line ends untouched."""
    with _damage_told(path), _opener(path)(path, "rt", encoding="utf-8-sig", newline="") as stream:
        yield stream


def _opener(path: str | Path) -> Callable[..., Any]:
    return OPENERS.get(Path(path).suffix.lower(), open)


@contextmanager
def _damage_told(path: str | Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text ({error.reason}); save it as UTF-8") from None
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        if getattr(error, "errno", None) is not None:
            raise  # the system's own, which names the file
        raise ValueError(f"{path} is cut off or not compressed as its name says: {error}") from None
