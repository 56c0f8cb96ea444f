"""Reading tables of any format, all at once or in chunks; the format is inferred from the file extension."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aucmax.tables import arrow_reader, csv_reader, excel_reader, json_reader, libsvm_reader, npz_reader
from aucmax.tables.atomic_write import is_pipe_or_device
from aucmax.tables.compression import OPENERS
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.table import Table, concatenate
from aucmax.validation.params import Integer, Option, check_param

#: The formats of tables, and the file extensions of each.
FORMATS = {
    "csv": (".csv", ".tsv"),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "excel": (".xlsx",),
    "libsvm": (".svm", ".libsvm", ".svmlight"),
    "npz": (".npz",),
}
CHUNK_ROWS = 65536
_SEQUENTIAL = ("csv", "jsonl", "libsvm")  # read from the first byte to the last, so that a pipe will do


def read(
    path: str | Path,
    *,
    format: str | None = None,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    limits: ReadLimits | None = None,
    encoding: str = "utf-8",
) -> Table:
    """Read a whole file.

    Parameters
    ----------
    path : str or Path
        The file. CSV, JSON lines and libsvm files may be compressed (`.csv.gz`).
    format : {"csv", "jsonl", "parquet", "arrow", "excel", "libsvm", "npz"}, optional
        The format; inferred from the file extension if not given.
    n_features : int, optional
        For libsvm: the number of columns, when the largest index may not occur in this file.
    zero_based : bool or "auto"
        For libsvm: whether column indices start at 0.
    limits : ReadLimits, optional
        Limits on the length of a line and the decompressed size; refuses hostile files, and may be raised.
    encoding : str
        The encoding of CSV and JSON lines.

    Examples
    --------
    >>> from aucmax.tables import TableEncoder, encode_target, read
    >>> _ = Path("payments.csv").write_text("amount,country,fraud\\n10,NO,no\\n2000,IT,yes\\n15,NO,no\\n12,IT,no\\n")
    >>> table = read("payments.csv")
    >>> encode_target(table, "fraud")
    (array([0, 1, 0, 0]), ('no', 'yes'))
    >>> encoder = TableEncoder().fit(table.drop("fraud"))
    >>> encoder.get_feature_names_out().tolist()
    ['amount', 'country=IT', 'country=NO']
    >>> encoder.transform(table).shape
    (4, 3)
    """
    format = _check_format(path, format)
    with _describe_memory_errors(path):
        if format == "npz":
            return npz_reader.read(path, limits=limits)
        if format == "libsvm":
            table = libsvm_reader.read(path, n_features=n_features, zero_based=zero_based, limits=limits)
            chunks = iter([table])
        else:
            chunks = _as_tables(_read_blocks(path, CHUNK_ROWS, format, limits, encoding))
        return concatenate(list(_check_rows(chunks, path)))


def read_chunks(
    path: str | Path,
    *,
    rows: int = CHUNK_ROWS,
    format: str | None = None,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    limits: ReadLimits | None = None,
    encoding: str = "utf-8",
    columns: Collection[str] | None = None,
    numbers: Collection[str] = (),
) -> Iterator[Table]:
    """Read a file as tables of at most `rows` rows, in bounded memory (npz files are loaded as a whole).

    The other parameters are those of `read`. `columns` names those that are needed, so that a CSV or Parquet file is
    read faster, and `numbers` those that probably hold plain numbers, so that a CSV file is. A libsvm file is read
    twice unless both `n_features` and `zero_based` are given.

    Examples
    --------
    >>> _ = Path("table.csv").write_text("a,b\\n1,2\\n3,4\\n5,6\\n")
    >>> [len(table) for table in read_chunks("table.csv", rows=2)]
    [2, 1]
    """
    check_param("rows", rows, Integer(1))
    format = _check_format(path, format)
    if format == "npz":
        with _describe_memory_errors(path):
            table = npz_reader.read(path, limits=limits)
        chunks = _regroup(iter([table]), rows)
    elif format == "libsvm":
        chunks = libsvm_reader.read_chunks(
            path, rows=rows, n_features=n_features, zero_based=zero_based, limits=limits
        )
    else:
        chunks = _regroup(_as_tables(_read_blocks(path, rows, format, limits, encoding, columns, numbers)), rows)
    return _check_rows(chunks, path)


def read_as_they_come(path: str | Path, *, format: str, limits: ReadLimits | None, encoding: str) -> Iterator[Table]:
    """The rows of a CSV or JSON lines file, or of a pipe, in tables of as many rows as there are."""
    check_param("format", format, Option("csv", "jsonl"))
    return _as_tables(_read_blocks(path, CHUNK_ROWS, format, limits, encoding))


def _read_blocks(
    path: str | Path,
    rows: int,
    format: str,
    limits: ReadLimits | None,
    encoding: str,
    columns: Collection[str] | None = None,
    numbers: Collection[str] = (),
) -> Iterator[Any]:
    """The rows of a file with named columns, in order, as Arrow tables."""
    if format == "csv":
        return csv_reader.read_blocks(path, limits=limits, encoding=encoding, columns=columns, numbers=numbers)
    if format == "jsonl":
        return json_reader.read_blocks(path, limits=limits, encoding=encoding, columns=columns)
    if format == "parquet":
        return arrow_reader.read_parquet(path, rows=rows, limits=limits, columns=columns)
    reader = arrow_reader.read_arrow if format == "arrow" else excel_reader.read_blocks
    return reader(path, rows=rows, limits=limits)


def _as_tables(blocks: Iterator[Any]) -> Iterator[Table]:
    return (Table(dict(zip(block.column_names, block.columns))) for block in blocks)


def _regroup(blocks: Iterator[Table], rows: int) -> Iterator[Table]:
    """The rows of the blocks in tables of `rows` rows, the last one shorter."""
    pending: list[Table] = []
    n = 0
    for block in blocks:
        pending.append(block)
        n += len(block)
        if n >= rows:
            joined = concatenate(pending)
            yield from (joined.slice(start, rows) for start in range(0, n - rows + 1, rows))
            pending = [joined.slice(n - n % rows, rows)]
            n %= rows
    if n:
        yield concatenate(pending)


@contextmanager
def _describe_memory_errors(path: str | Path) -> Iterator[None]:
    """Name the file for which there is not enough memory."""
    try:
        yield
    except MemoryError as error:
        if str(path) in str(error):
            raise
        message = f"{path} needs more memory than is available, or is damaged"
        raise MemoryError(f"{message}: {error}" if str(error) else message) from None


def infer_format(path: str | Path) -> str | None:
    """The format inferred from the file extension; None if the extension is unknown.

    Examples
    --------
    >>> infer_format("data.csv.xz"), infer_format("digits")
    ('csv', None)
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() not in OPENERS]
    return next((name for name, known in FORMATS.items() if suffixes and suffixes[-1] in known), None)


def _check_format(path: str | Path, format: str | None) -> str:
    check_param("format", format, None, Option(*FORMATS))
    found = format or infer_format(path)
    if found is None:
        extensions = [extension for known in FORMATS.values() for extension in known]
        raise ValueError(
            f"cannot infer the format of {path}; use one of the extensions {extensions}, or give a format"
        )
    if found not in _SEQUENTIAL and is_pipe_or_device(path):
        raise ValueError(f"{path} is a pipe or a device, from which only {_SEQUENTIAL} can be read; give a file")
    return found


def _check_rows(chunks: Iterator[Table], path: str | Path) -> Iterator[Table]:
    """The chunks; an error if there is no row in any of them."""
    n_rows = 0
    with _describe_memory_errors(path):
        for chunk in chunks:
            n_rows += len(chunk)
            yield chunk
    if not n_rows:
        raise ValueError(f"{path} has no rows")
