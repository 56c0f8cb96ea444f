"""`ReadLimits`: how much a file may make us hold in memory, so that a damaged or hostile one is refused early."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aucmax.validation.params import Integer, check_param

_MIN_DECOMPRESSED = 1 << 26  # 64 MiB: small enough for any machine, however well it compresses
_MIN_COLUMNAR = 1 << 30  # a constant column of Parquet takes a few bytes, whatever its length
_BLOCK_SLACK = 1 << 23  # bytes read at a time
_MAX_RATIO = 200  # tables compress to a tenth, one-hot columns to a hundredth


@dataclass(frozen=True)
class ReadLimits:
    """Limits on a line of text and on the decompressed size of a file.

    Parameters
    ----------
    line_bytes : int
        The longest line of a CSV or libsvm file; 64 MiB by default.
    decompressed_bytes : int, optional
        The largest decompressed size of a file; by default 200 times its size, but at least 64 MiB for `.gz`, `.bz2`,
        `.xz`, `.npz` and `.xlsx`, and 1 GiB for Parquet and Arrow, which store a repeated value once.

    Examples
    --------
    >>> from aucmax.tables import read
    >>> _ = Path("w.csv").write_text("a,b\\n1," + "2" * 1000)
    >>> read("w.csv", limits=ReadLimits(line_bytes=100))
    Traceback (most recent call last):
    ValueError: w.csv has a line of more than 100 bytes; if that is right, raise the limit: line_bytes, or --max-line
    """

    line_bytes: int = 1 << 26
    decompressed_bytes: int | None = None

    def __post_init__(self) -> None:
        check_param("line_bytes", self.line_bytes, Integer(1))
        check_param("decompressed_bytes", self.decompressed_bytes, None, Integer(1))

    def max_decompressed(self, path: str | Path, *, columnar: bool = False) -> int:
        """The largest decompressed size of this file, in bytes.

        Parameters
        ----------
        path : str or Path
            The file, whose size on disk counts.
        columnar : bool
            Whether it is Parquet or Arrow, which compress far better than text.
        """
        if self.decompressed_bytes is not None:
            return self.decompressed_bytes
        return max(_MIN_COLUMNAR if columnar else _MIN_DECOMPRESSED, _MAX_RATIO * Path(path).stat().st_size)

    def check_decompressed(self, size: int, path: str | Path, *, columnar: bool = False) -> None:
        """Refuse a decompressed size above the limit.

        Parameters
        ----------
        size : int
            Bytes.
        path : str or Path
            The file, named in the message.
        columnar : bool
            Whether it is Parquet or Arrow, which compress far better than text.
        """
        if size > (limit := self.max_decompressed(path, columnar=columnar)):
            raise ValueError(
                f"{path} is more than {limit} bytes when decompressed; if that is right, raise the limit: "
                "decompressed_bytes, or --max-decompressed"
            )

    def check_record(self, size: int, path: str | Path) -> None:
        """Refuse a record of more bytes than a line may have, as one without a closing quotation mark becomes.

        Parameters
        ----------
        size : int
            Bytes.
        path : str or Path
            The file, named in the message.
        """
        if size > self.line_bytes + _BLOCK_SLACK:
            raise ValueError(
                f"{path} has a record of more than {self.line_bytes} bytes; is a quotation mark not closed? if it is "
                "right, raise the limit: line_bytes, or --max-line"
            )


class LimitedStream(io.RawIOBase):
    """The bytes of a file, refused when a line or the decompressed file is longer than the limits.

    Parameters
    ----------
    stream : binary stream
        The bytes, decompressed.
    path : str or Path
        The file, for messages.
    limits : ReadLimits
        The limits.
    newlines : sequence of bytes
        What ends a line.
    compressed : bool
        Whether the file is compressed, so that its size is limited too.
    """

    def __init__(
        self, stream: Any, path: str | Path, limits: ReadLimits, newlines: Sequence[bytes], compressed: bool
    ) -> None:
        super().__init__()
        self._stream = stream
        self._path = path
        self._limits = limits
        self._newlines = newlines
        self._compressed = compressed
        self._n_read = 0
        self._line_length = 0  # bytes since the last newline

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes into the buffer; returns their number."""
        n = self._stream.readinto(buffer)
        if n:
            self._check(bytes(buffer[:n]))
        return n

    def _check(self, block: bytes) -> None:
        self._n_read += len(block)
        if self._compressed:
            self._limits.check_decompressed(self._n_read, self._path)
        last = next((at for newline in self._newlines if (at := block.rfind(newline)) >= 0), -1)
        self._line_length = len(block) - 1 - last if last >= 0 else self._line_length + len(block)
        if self._line_length > self._limits.line_bytes:
            raise ValueError(
                f"{self._path} has a line of more than {self._limits.line_bytes} bytes; if that is right, raise the "
                "limit: line_bytes, or --max-line"
            )
