"""Ready tables: features and label errors of published sets of labelled sequences.

The files are not part of the package: the environment variable AUCMAX_DATA names a folder, and each set is a folder
of `changepoint/` in it, as in https://github.com/tdhock/neuroblastoma-data: `inputs.csv.xz` (features),
`evaluation.csv.xz` (errors by log penalty) and folds in `cv/`. The set "neuroblastomaProcessed" comes from the R
package penaltyLearning, with names of its own.
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
_INPUTS = {"inputs.csv.xz": "evaluation.csv.xz", "feature.mat.csv.gz": "errors.csv.gz"}
_NAME = "sequenceID"


@dataclass(frozen=True, eq=False)
class ReadySet:
    """A set of labelled sequences, given by features and errors.

    Attributes
    ----------
    X : array of shape (n, n_features)
        Features of each sequence; may hold NaN and infinity.
    table : PenaltyTable
        Their label errors.
    folds : dict of name to array of shape (n,)
        The published numbers of test folds, if there are any.
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


def names() -> list[str]:
    """The names that `load` knows: the sets found in the folder.

    Examples
    --------
    >>> isinstance(names(), list) if os.environ.get("AUCMAX_DATA") else True
    True
    """
    return sorted(path.name for path in _folder().iterdir() if _files(path))


def load(name: str) -> ReadySet:
    """Load a set by its name.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    ReadySet

    Examples
    --------
    >>> if os.environ.get("AUCMAX_DATA"):
    ...     data = load("H3K4me3_TDH_immune")
    ...     assert data.X.shape == (378, 36) and len(data.table) == 378
    """
    path = _folder() / str(name)
    files = _files(path)
    if files is None:
        near = difflib.get_close_matches(str(name), names(), n=5, cutoff=0.3) or names()
        raise ValueError(f"there is no set {name!r} in {path.parent}; choose one of {near}")
    inputs = read(files[0])
    features = [column for column in inputs.names if column != _NAME]
    sequences = as_strings(inputs.column(_NAME)).tolist()
    X = np.column_stack([_numbers(inputs, column, files[0]) for column in features])
    folds = {file.parent.name: _folds(file, sequences) for file in sorted(path.glob("cv/*/folds.csv.gz"))}
    return ReadySet(X, _penalties(files[1], sequences), folds, features, sequences, name)


def _folder() -> Path:
    """The folder of the sets, or an error that says where it was looked for."""
    data = os.environ.get("AUCMAX_DATA")
    folder = Path(data) / "changepoint" if data else None
    if folder is None or not folder.is_dir():
        looked = f"there is no folder {folder}" if folder else "the environment variable AUCMAX_DATA is not set"
        raise FileNotFoundError(
            f"the labelled sequences are not part of aucmax, and {looked}; AUCMAX_DATA names a folder with "
            f"changepoint/<set>/inputs.csv.xz and evaluation.csv.xz, to be had from {_SOURCE}"
        )
    return folder


def _files(path: Path) -> tuple[Path, Path] | None:
    """The files of features and of errors, if it is the folder of a set."""
    pairs = ((path / inputs, path / errors) for inputs, errors in _INPUTS.items())
    return next((pair for pair in pairs if all(file.is_file() for file in pair)), None)


def _numbers(table: Table, column: str, path: Path) -> np.ndarray:
    found = as_numbers(table.column(column))
    if found is None:
        raise ValueError(f"{path}: column {column!r} holds text; it should hold numbers")
    return found


def _numbered(found: np.ndarray, sequences: list[str], path: Path) -> np.ndarray:
    """Which of the sequences each row names."""
    number = {sequence: i for i, sequence in enumerate(sequences)}
    strange = [name for name in found.tolist() if name not in number]
    if strange:
        raise ValueError(f"{path} names {strange[0]!r}, which has no features; are these files of one set?")
    return np.array([number[name] for name in found.tolist()])


def _penalties(path: Path, sequences: list[str]) -> PenaltyTable:
    rows = read(path)
    if _NAME in rows.names:
        named = as_strings(rows.column(_NAME))
    else:
        named = as_strings(rows.column("profile.id")) + "." + as_strings(rows.column("chromosome"))
    example = _numbered(named, sequences, path)
    low, fp, fn, labels = (_numbers(rows, column, path) for column in ("min.log.lambda", "fp", "fn", "labels"))
    n_labels = np.zeros(len(sequences))
    n_labels[example] = labels
    return PenaltyTable.from_rows(example, low, fp, fn, n_labels)


def _folds(path: Path, sequences: list[str]) -> np.ndarray:
    rows = read(path)
    fold = np.zeros(len(sequences), dtype=int)
    fold[_numbered(as_strings(rows.column(_NAME)), sequences, path)] = _numbers(rows, "fold", path).astype(int)
    return fold
