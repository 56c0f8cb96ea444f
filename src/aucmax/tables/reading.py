"""Tables in: CSV, Parquet, Arrow, libsvm and npz, whole or in chunks.

`read` and `read_chunks` choose the format by the file's name and give a `Table`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from aucmax.tables import arrow, delimited, libsvm, npz
from aucmax.tables.compressed import OPENERS
from aucmax.tables.table import Table, join
from aucmax.tables.writing import is_special

FORMATS = {
    "csv": (".csv", ".tsv"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "libsvm": (".svm", ".libsvm", ".svmlight"),
    "npz": (".npz",),
}
_PIPED = ("csv", "libsvm")  # what is read from its first byte to its last
_NAMED: dict[str, Callable[..., Iterator[Table]]] = {
    "csv": delimited.read_chunks,
    "parquet": arrow.read_parquet,
    "arrow": arrow.read_arrow,
}


def read(
    path: str | Path,
    *,
    format: str | None = None,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
) -> Table:
    """Read a whole file.

    Parameters
    ----------
    path : str or Path
        The file. CSV and libsvm files may be compressed (`.csv.gz`).
    format : {"csv", "parquet", "arrow", "libsvm", "npz"}, optional
        The format; from the end of the name if not given.
    n_features : int, optional
        For libsvm: the number of columns, when the largest index may not occur in this file.
    zero_based : bool or "auto"
        For libsvm: whether indices start at 0.

    Examples
    --------
    >>> import tempfile
    >>> from aucmax.tables import Columns, read, split_target
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("amount,country,fraud\\n10,NO,no\\n2000,IT,yes\\n15,NO,no\\n12,IT,no\\n")
    ...     file.flush()
    ...     table = read(file.name)
    >>> y, labels = split_target(table, "fraud")
    >>> y, labels
    (array([0, 1, 0, 0]), ('no', 'yes'))
    >>> columns = Columns.learn(table, target="fraud")
    >>> columns.names
    ('amount', 'country=IT', 'country=NO')
    >>> columns.encode(table).shape
    (4, 3)
    """
    format = _format(path, format)
    if format == "npz":
        return npz.read(path)
    if format == "libsvm":
        chunks = iter([libsvm.read(path, n_features=n_features, zero_based=zero_based)])
    else:
        chunks = _NAMED[format](path, rows=65536)
    return join(list(_with_rows(chunks, path)))


def read_chunks(
    path: str | Path,
    *,
    rows: int = 65536,
    format: str | None = None,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
) -> Iterator[Table]:
    """Read a file as tables of at most `rows` rows, in bounded memory (npz files are loaded whole).

    The other parameters are those of `read`. A libsvm file is read twice unless both `n_features` and `zero_based`
    are given.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("a,b\\n1,2\\n3,4\\n5,6\\n")
    ...     file.flush()
    ...     [len(table) for table in read_chunks(file.name, rows=2)]
    [2, 1]
    """
    if rows < 1:
        raise ValueError(f"rows must be at least 1, not {rows}")
    format = _format(path, format)
    if format == "npz":
        chunks = _slices(npz.read(path), rows)
    elif format == "libsvm":
        chunks = libsvm.read_chunks(path, rows=rows, n_features=n_features, zero_based=zero_based)
    else:
        chunks = _NAMED[format](path, rows=rows)
    return _with_rows(chunks, path)


def format_of(path: str | Path) -> str | None:
    """The format that the end of a name tells, if it does.

    Examples
    --------
    >>> format_of("data.csv.xz"), format_of("digits")
    ('csv', None)
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() not in OPENERS]
    return next((name for name, known in FORMATS.items() if suffixes and suffixes[-1] in known), None)


def _format(path: str | Path, format: str | None) -> str:
    if format is not None and format not in FORMATS:
        raise ValueError(f"unknown format {format!r}; choose one of {list(FORMATS)}")
    found = format or format_of(path)
    if found is None:
        endings = [ending for known in FORMATS.values() for ending in known]
        raise ValueError(f"the name of {path} does not tell its format; end it in one of {endings}, or give a format")
    if found not in _PIPED and is_special(path):
        raise ValueError(f"{path} is a pipe or a device, from which only {_PIPED} can be read; give a file")
    return found


def _slices(table: Table, rows: int) -> Iterator[Table]:
    X, y = table.X, table.y
    for i in range(0, len(table), rows):
        yield Table(X=X[i : i + rows], y=None if y is None else y[i : i + rows])


def _with_rows(chunks: Iterator[Table], path: str | Path) -> Iterator[Table]:
    """The chunks; an error if there is no row in all of them."""
    n = 0
    for chunk in chunks:
        n += len(chunk)
        yield chunk
    if not n:
        raise ValueError(f"{path} has no rows")
