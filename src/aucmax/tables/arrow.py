"""Parquet and Arrow files, with pyarrow (`pip install aucmax[files]`).

Integers stay integers, other numbers become float64 and text stays text. Numbers that neither can hold (long
decimals, large integers beside missing ones) become text, so that an id is never rounded. Anything else (dates,
lists) becomes text too, which `Columns` will leave out and name unless it has few distinct values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.tables.table import TEXT, Table

_DIGITS = 15  # that float64 holds for certain


def read_parquet(path: str | Path, *, rows: int) -> Iterator[Table]:
    """Read a Parquet file as tables of at most `rows` rows."""
    parquet = _pyarrow("pyarrow.parquet")
    with _opened(parquet.ParquetFile, path, "Parquet") as file:
        _check_names(file.schema_arrow.names, path)
        yield from (_table(batch) for batch in file.iter_batches(batch_size=rows) if len(batch))


def read_arrow(path: str | Path, *, rows: int) -> Iterator[Table]:
    """Read an Arrow file, of file or stream layout, as tables of at most `rows` rows."""
    ipc = _pyarrow("pyarrow.ipc")
    with open(path, "rb") as stream:
        opener = ipc.open_file if stream.read(6) == b"ARROW1" else ipc.open_stream
    with _pyarrow("pyarrow").memory_map(str(path)) as source, _opened(opener, source, "Arrow", path) as file:
        _check_names(file.schema.names, path)
        for batch in _batches(file):
            yield from (_table(batch.slice(start, rows)) for start in range(0, len(batch), rows))


def _pyarrow(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError("Parquet and Arrow files need pyarrow: pip install 'aucmax[files]'") from None


def _opened(opener: Any, source: Any, what: str, path: str | Path | None = None) -> Any:
    try:
        return opener(source)
    except ValueError as error:  # pyarrow's ArrowInvalid is one
        raise ValueError(f"{path or source} is not a {what} file, or is damaged: {error}") from None


def _batches(file: Any) -> Iterator[Any]:
    if hasattr(file, "num_record_batches"):
        return (file.get_batch(i) for i in range(file.num_record_batches))
    return iter(file)


def _check_names(names: list[str], path: str | Path) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{path} has several columns named {twice}; give every column its own name")


def _table(batch: Any) -> Table:
    return Table({name: _column(array) for name, array in zip(batch.schema.names, batch.columns)})


def _column(array: Any) -> np.ndarray:
    pyarrow = _pyarrow("pyarrow")
    types = pyarrow.types
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    if (types.is_boolean(kind) or types.is_integer(kind)) and not array.null_count:
        return array.to_numpy(zero_copy_only=False)
    if types.is_boolean(kind) or types.is_floating(kind) or (types.is_decimal(kind) and kind.precision <= _DIGITS):
        return array.cast("float64", safe=False).to_numpy(zero_copy_only=False)
    if types.is_integer(kind):
        with suppress(pyarrow.ArrowInvalid):  # above 2^53
            return array.cast("float64").to_numpy(zero_copy_only=False)
    return np.array(["" if cell is None else str(cell) for cell in array.to_pylist()], dtype=TEXT)
