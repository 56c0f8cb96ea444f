"""Opening files, decompressing `.gz`, `.bz2` and `.xz`."""

from __future__ import annotations

import bz2
import codecs
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
_BUFFER_BYTES = 1 << 16


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
def open_text_bytes(
    path: str | Path, limits: ReadLimits | None = None, encoding: str = "utf-8"
) -> Iterator[IO[bytes]]:
    """Open a text file for reading UTF-8 bytes without its byte-order mark; other encodings are converted.

    Examples
    --------
    >>> _ = Path("latin.csv").write_bytes("é".encode("latin-1"))
    >>> with open_text_bytes("latin.csv", encoding="latin-1") as stream:
    ...     stream.read().decode()
    'é'
    """
    codec = _check_encoding(encoding)
    with _describe_errors(path), _open_limited(path, limits, (b"\n", b"\r")) as stream:
        if codec != "utf-8":
            stream = io.BufferedReader(_Recoded(stream, codec), _BUFFER_BYTES)
        mark = stream.peek(len(codecs.BOM_UTF8))[: len(codecs.BOM_UTF8)]
        if mark == codecs.BOM_UTF8:
            stream.read(len(mark))
        yield stream


class _Recoded(io.RawIOBase):
    """The UTF-8 bytes of a text in another encoding."""

    def __init__(self, stream: Any, encoding: str) -> None:
        super().__init__()
        self._text = io.TextIOWrapper(stream, encoding=encoding, newline="")

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes into the buffer; returns their number."""
        block = self._text.read(max(1, len(buffer) // 4)).encode()  # a character takes at most four bytes
        buffer[: len(block)] = block
        return len(block)


def _check_encoding(encoding: str) -> str:
    """The name that Python has for an encoding."""
    try:
        "".encode(encoding)  # unlike codecs.lookup, refuses codecs of bytes such as hex
        return codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(
            f"unknown encoding {encoding!r}; give one such as utf-8, latin-1, cp1252 or utf-16"
        ) from None


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
    except UnicodeError as error:
        raise ValueError(
            f"{path} is not text in that encoding ({error}); name its encoding, or save it as UTF-8"
        ) from None
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        if getattr(error, "errno", None) is not None:
            raise  # from the operating system, and names the file itself
        raise ValueError(f"{path} is truncated or not compressed as its extension says: {error}") from None
