"""Benchmark sets: features and label errors of published sets of labelled sequences.

The files are not part of the package. Each set is a folder of `$AUCMAX_DATA/changepoint`, laid out as in
https://github.com/tdhock/neuroblastoma-data: `inputs.csv.xz` (features), `evaluation.csv.xz` (errors by log penalty)
and folds in `cv/`. The set "neuroblastomaProcessed" comes from the R package penaltyLearning with other file names.
"""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aucmax.changepoint.penalty_table import PenaltyTable
from aucmax.tables import Table, read
from aucmax.tables.cells import as_numbers, as_strings

_SOURCE = "https://github.com/tdhock/neuroblastoma-data"
_FILES = {"inputs.csv.xz": "evaluation.csv.xz", "feature.mat.csv.gz": "errors.csv.gz"}  # features: errors
_ID = "sequenceID"


@dataclass(frozen=True, eq=False)
class BenchmarkSet:
    """A set of labelled sequences, given by features and errors.

    Attributes
    ----------
    X : array of shape (n, n_features)
        Features of each sequence; may hold NaN and infinity.
    table : PenaltyTable
        Their label errors.
    folds : dict of name to array of shape (n,)
        The published test fold of each sequence, if there are any.
    features, sequences : lists of str
        Names of columns and rows.
    name : str
    """

    X: np.ndarray
    table: PenaltyTable
    folds: dict[str, np.ndarray]
    features: list[str]
    sequences: list[str]
    name: str


def benchmark_names(folder: str | Path | None = None) -> list[str]:
    """The names of the sets in a folder, by default `$AUCMAX_DATA/changepoint`.

    Parameters
    ----------
    folder : str or Path, optional
        Where the sets are; by default `$AUCMAX_DATA/changepoint`.

    Examples
    --------
    `load_benchmark` shows which files a set consists of; other folders are not listed:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (Path(folder) / "not_a_set").mkdir()
    ...     benchmark_names(folder)
    []
    """
    return sorted(path.name for path in _folder(folder).iterdir() if _files(path))


def load_benchmark(name: str, folder: str | Path | None = None) -> BenchmarkSet:
    """Load a set of labelled sequences by its name.

    Parameters
    ----------
    name : str
        One of `benchmark_names()`.
    folder : path, optional
        The folder of all sets; `$AUCMAX_DATA/changepoint` by default.

    Returns
    -------
    BenchmarkSet

    Examples
    --------
    A set of two sequences, written as the published ones are:

    >>> import lzma, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "two_sequences"
    >>> path.mkdir()
    >>> features = "sequenceID,log.n\\na,3.2\\nb,4.1\\n"
    >>> errors = "sequenceID,min.log.lambda,fp,fn,labels\\na,-Inf,1,0,2\\na,0.5,0,0,2\\nb,-Inf,0,0,1\\nb,2,0,1,1\\n"
    >>> _ = (path / "inputs.csv.xz").write_bytes(lzma.compress(features.encode()))
    >>> _ = (path / "evaluation.csv.xz").write_bytes(lzma.compress(errors.encode()))
    >>> benchmark_names(folder.name)
    ['two_sequences']
    >>> data = load_benchmark("two_sequences", folder.name)
    >>> data.X, data.table
    (array([[3.2],
           [4.1]]), PenaltyTable(2 sequences, 3 labels, 4 rows))
    >>> folder.cleanup()
    """
    sets = _folder(folder)
    path = sets / str(name)
    files = _files(path)
    if files is None:
        known = benchmark_names(sets)
        close = difflib.get_close_matches(str(name), known, n=5, cutoff=0.3) or known
        raise ValueError(f"there is no set {name!r} in {sets}; choose one of {close}")
    inputs = read(files[0])
    features = [column for column in inputs.names if column != _ID]
    sequences = as_strings(inputs.column(_ID)).to_pylist()
    X = np.column_stack([_numbers(inputs, column, files[0]) for column in features])
    folds = {file.parent.name: _folds(file, sequences) for file in sorted(path.glob("cv/*/folds.csv.gz"))}
    return BenchmarkSet(X, _penalty_table(files[1], sequences), folds, features, sequences, name)


def _folder(folder: str | Path | None) -> Path:
    """The folder of the sets, or an error that says where it was expected."""
    data = os.environ.get("AUCMAX_DATA")
    if folder is None and not data:
        missing = "the environment variable AUCMAX_DATA is not set"
    else:
        path = Path(data or "") / "changepoint" if folder is None else Path(folder)
        if path.is_dir():
            return path
        missing = f"there is no folder {path}"
    raise FileNotFoundError(
        f"the labelled sequences are not part of aucmax, and {missing}; AUCMAX_DATA names a folder with "
        f"changepoint/<set>/inputs.csv.xz and evaluation.csv.xz, available from {_SOURCE}"
    )


def _files(path: Path) -> tuple[Path, Path] | None:
    """The files of features and of errors, if this is the folder of a set."""
    pairs = ((path / inputs, path / errors) for inputs, errors in _FILES.items())
    return next((pair for pair in pairs if all(file.is_file() for file in pair)), None)


def _numbers(table: Table, column: str, path: Path) -> np.ndarray:
    found = as_numbers(table.column(column))
    if found is None:
        raise ValueError(f"{path}: column {column!r} holds strings; it should hold numbers")
    return found


def _sequence_index(ids: list[str], sequences: list[str], path: Path) -> np.ndarray:
    """The index of the sequence that each row names."""
    index = {sequence: i for i, sequence in enumerate(sequences)}
    unknown = [name for name in ids if name not in index]
    if unknown:
        raise ValueError(f"{path} names {unknown[0]!r}, which has no features; are these files of one set?")
    return np.array([index[name] for name in ids])


def _penalty_table(path: Path, sequences: list[str]) -> PenaltyTable:
    rows = read(path)
    if _ID in rows.names:
        ids = as_strings(rows.column(_ID)).to_pylist()
    else:
        parts = (as_strings(rows.column(name)).to_pylist() for name in ("profile.id", "chromosome"))
        ids = [".".join(pair) for pair in zip(*parts)]
    example = _sequence_index(ids, sequences, path)
    low, fp, fn, labels = (_numbers(rows, column, path) for column in ("min.log.lambda", "fp", "fn", "labels"))
    n_labels = np.zeros(len(sequences))
    n_labels[example] = labels
    return PenaltyTable.from_rows(example, low, fp, fn, n_labels)


def _folds(path: Path, sequences: list[str]) -> np.ndarray:
    rows = read(path)
    fold = np.zeros(len(sequences), dtype=int)
    ids = as_strings(rows.column(_ID)).to_pylist()
    fold[_sequence_index(ids, sequences, path)] = _numbers(rows, "fold", path).astype(int)
    return fold
