"""Parquet and Arrow files, read by pyarrow (`pip install '.[files]'`).

Integers stay integers, other numbers become float64 and strings stay strings. Numbers that would be rounded (long
decimals, large integers in a column with nulls) become strings, so that no id changes. Everything else (dates, lists)
becomes strings too, which `TableEncoder` leaves out and reports unless there are few distinct values.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.tables.cells import STRING_DTYPE
from aucmax.tables.table import Table, check_distinct_names

_DOUBLE_DIGITS = 15  # decimal digits that float64 always holds


def read_parquet(path: str | Path, *, rows: int) -> Iterator[Table]:
    """Read a Parquet file as tables of at most `rows` rows."""
    parquet = _import("pyarrow.parquet")
    with _describe_errors(path, "Parquet"):
        file = parquet.ParquetFile(path)
        names = file.schema_arrow.names
    check_distinct_names(names, path)
    with file, _describe_errors(path, "Parquet"):
        for batch in file.iter_batches(batch_size=rows):
            batch.validate(full=True)
            if len(batch):
                yield _as_table(batch)


def read_arrow(path: str | Path, *, rows: int) -> Iterator[Table]:
    """Read an Arrow file, in the file or the stream format, as tables of at most `rows` rows."""
    ipc = _import("pyarrow.ipc")
    with open(path, "rb") as stream:
        opener = ipc.open_file if stream.read(6) == b"ARROW1" else ipc.open_stream
    with _describe_errors(path, "Arrow"):
        file = opener(_import("pyarrow").memory_map(str(path)))
        names = file.schema.names
    check_distinct_names(names, path)
    with file, _describe_errors(path, "Arrow"):
        for batch in _batches(file):
            batch.validate(full=True)  # offsets of a damaged file may point outside of it
            yield from (_as_table(batch.slice(start, rows)) for start in range(0, len(batch), rows))


def _import(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError("Parquet and Arrow files need pyarrow: pip install '.[files]'") from None


@contextmanager
def _describe_errors(path: str | Path, format: str) -> Iterator[None]:
    """Turn whatever pyarrow raises for damaged files into a ValueError that names the file."""
    try:
        yield
    except Exception as error:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) is not None:
            raise  # described by the caller, or from the operating system
        message = str(error) or type(error).__name__
        raise ValueError(f"{path} is not a valid {format} file: {message}") from None


def _batches(file: Any) -> Iterator[Any]:
    """Record batches of the file format, which is indexed, or of the stream format, which is iterated."""
    if hasattr(file, "num_record_batches"):
        return (file.get_batch(i) for i in range(file.num_record_batches))
    return iter(file)


def _as_table(batch: Any) -> Table:
    return Table({name: _as_column(array) for name, array in zip(batch.schema.names, batch.columns)})


def _as_column(array: Any) -> np.ndarray:
    pyarrow = _import("pyarrow")
    types = pyarrow.types
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    if (types.is_boolean(kind) or types.is_integer(kind)) and not array.null_count:
        return array.to_numpy(zero_copy_only=False)
    short_decimal = types.is_decimal(kind) and kind.precision <= _DOUBLE_DIGITS
    if types.is_boolean(kind) or types.is_floating(kind) or short_decimal:
        return array.cast("float64", safe=False).to_numpy(zero_copy_only=False)
    if types.is_integer(kind):
        with suppress(pyarrow.ArrowInvalid):  # above 2^53
            return array.cast("float64").to_numpy(zero_copy_only=False)
    return np.array(["" if cell is None else str(cell) for cell in array.to_pylist()], dtype=STRING_DTYPE)
