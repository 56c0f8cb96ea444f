"""Make the folder that AUCMAX_DATA names from official files: an npz file for each, and MANIFEST.json."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import io, sparse
from scipy.stats import zscore

from aucmax.datasets.official_files import OFFICIAL_FILES, OfficialFile
from aucmax.tables import libsvm_reader
from aucmax.tables.atomic_write import atomic_write
from aucmax.tables.compression import open_bytes

MOST_DENSE = 1000  # columns of a table that is stored dense


class MadeFolder(NamedTuple):
    """What became of the official files."""

    made: list[str]  # data sets written now
    kept: list[str]  # data sets that the manifest already lists
    missing: list[OfficialFile]  # files that are not in the folder


def make_folder(folder: str | Path, files: Sequence[OfficialFile] = OFFICIAL_FILES) -> MadeFolder:
    """Turn the official files in a folder into npz files beside them, listed in MANIFEST.json.

    Data sets that the manifest lists already are kept. A file whose checksum or size is not the published one is
    refused, before anything is written for it.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}; download official files into it first")
    entries = _entries(folder)
    found = MadeFolder([], [], [])
    for file in files:
        if file.name in entries:
            found.kept.append(file.name)
        elif (folder / file.file_name).is_file():
            entries[file.name] = _convert(folder, file)
            _write_manifest(folder, entries)
            found.made.append(file.name)
        else:
            found.missing.append(file)
    return found


def _convert(folder: Path, file: OfficialFile) -> dict[str, Any]:
    """Write the npz file; gives its entry in the manifest."""
    path = folder / file.file_name
    if file.md5 and (digest := _digest(path, "md5")) != file.md5:
        raise ValueError(f"{path} is not the official file: its MD5 is {digest}, not {file.md5}; download it again")
    X, y = READERS[file.format](path, file.columns)
    if X.shape != (file.rows, file.columns):
        found, expected = (f"{n:,} rows of {d:,} columns" for n, d in (X.shape, (file.rows, file.columns)))
        raise ValueError(f"{path} has {found}, not {expected}; see {file.address}")
    X = CHANGES[file.change](X)
    arrays = {"X": X} if isinstance(X, np.ndarray) else _csr_arrays(X)
    with atomic_write(folder / f"{file.name}.npz", "wb") as target:
        np.savez_compressed(target, y=y, **arrays)
    classes = {str(label): int(count) for label, count in zip(*np.unique(y, return_counts=True))}
    return {
        "name": file.name,
        "file": f"{file.name}.npz",
        "sha256": _digest(folder / f"{file.name}.npz", "sha256"),
        "n": file.rows,
        "d": file.columns,
        "classes": classes,
        "source": file.address,
        "note": f"made from {file.file_name}" + (f"; columns: {file.change}" if file.change else ""),
    }


def _read_libsvm(path: Path, columns: int) -> tuple[Any, np.ndarray]:
    table = libsvm_reader.read(path, n_features=columns)
    assert table.X is not None and table.y is not None
    X: Any = table.X.astype(np.float32)
    return (X.toarray() if columns <= MOST_DENSE else X), table.y.astype(np.int64)


def _read_odds(path: Path, columns: int) -> tuple[Any, np.ndarray]:
    content = io.loadmat(path)
    return content["X"].astype(float), content["y"].ravel().astype(np.int64)


def _read_csv(path: Path, columns: int) -> tuple[Any, np.ndarray]:
    """Numbers separated by commas or spaces, the label last."""
    with open_bytes(path) as file:
        lines = [line.replace(b",", b" ") for line in file if line.strip()]
    values = np.loadtxt(lines, dtype=np.float64)
    return values[:, :-1], values[:, -1].astype(np.int64)


READERS: dict[str, Callable[[Path, int], tuple[Any, np.ndarray]]] = {
    "libsvm": _read_libsvm,
    "odds": _read_odds,
    "csv": _read_csv,
}
CHANGES: dict[str, Callable[[Any], Any]] = {
    "": lambda X: X,
    "z-scores": lambda X: zscore(X.astype(float), axis=0),
    "letters": lambda X: (X - 2.5) / 1.5,  # 1, 2, 3, 4 to -1, -1/3, 1/3, 1, as in splice_scale
}


def _csr_arrays(X: sparse.csr_array) -> dict[str, np.ndarray]:
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}


def _digest(path: Path, algorithm: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def _entries(folder: Path) -> dict[str, dict[str, Any]]:
    """The entries of a manifest that is already there, by name."""
    path = folder / "MANIFEST.json"
    content = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"datasets": []}
    return {entry["name"]: entry for entry in content["datasets"]}


def _write_manifest(folder: Path, entries: dict[str, dict[str, Any]]) -> None:
    with atomic_write(folder / "MANIFEST.json") as file:
        json.dump({"format": "npz without pickle", "datasets": list(entries.values())}, file, indent=1)
