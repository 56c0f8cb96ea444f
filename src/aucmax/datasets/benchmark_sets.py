"""Benchmark data sets, loaded by name.

The files are not part of the package: the environment variable AUCMAX_DATA names a folder with npz files and a
MANIFEST.json of their names and checksums. "digits" and "breast_cancer" are part of scikit-learn and need no files.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from aucmax.tables import npz_reader

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/"
_UCI = "https://archive.ics.uci.edu/"
_ODDS = "https://odds.cs.stonybrook.edu/"
_CIFAR = "https://www.cs.toronto.edu/~kriz/cifar.html"
_RCV1 = "https://trec.nist.gov/data/reuters/reuters.html"
_SCIKIT_LEARN = "scikit-learn"

SOURCES = {
    _SCIKIT_LEARN: "breast_cancer digits",
    _LIBSVM: """a9a a9a.t australian_scale cod-rna_zscore diabetes diabetes_scale fourclass_scale
        german.numer german.numer_scale ijcnn1 ijcnn1.t ionosphere_scale letter.scale letter.scale.t mnist mnist.t
        news20 news20.t news20.binary.sample sector.scale sector.scale.t splice_scale splice_scale.t svmguide3
        svmguide3.t usps usps.t w8a""",
    _UCI: "australian covtype higgs_slice spambase",
    _ODDS: "arrhythmia breastw mammography thyroid",
    _CIFAR: "cifar10_sub cifar10_sub.t",
    _RCV1: "rcv1_vw_sample rcv1_vw_sample.t",
}
_SOURCE = {name: source for source, listed in SOURCES.items() for name in listed.split()}


@dataclass(frozen=True, eq=False)
class Dataset:
    """A binary classification data set."""

    X: np.ndarray | sparse.csr_array  # float32 or float64, of shape (n, d)
    y: np.ndarray  # labels -1 and +1
    name: str  # by which it is loaded
    description: str  # what the rows and the positives are
    source: str  # the official source: a URL, or scikit-learn


def source(name: str) -> str:
    """The official source of a data set; empty if only the manifest lists it.

    Parameters
    ----------
    name : str
        Name of a data set.

    Examples
    --------
    >>> source("mammography")
    'https://odds.cs.stonybrook.edu/'
    """
    return _SOURCE.get(name, "")


def names(*, available: bool = False) -> list[str]:
    """The names that `load` accepts; with `available`, only those that can be loaded here.

    Parameters
    ----------
    available : bool
        Whether to list only those that can be loaded here.

    Examples
    --------
    >>> "digits" in names(available=True), "a9a" in names()
    (True, True)
    """
    folder = os.environ.get("AUCMAX_DATA")
    listed = set(_read_manifest(Path(folder))) if folder else set()
    bundled = set(SOURCES[_SCIKIT_LEARN].split())
    return sorted(bundled | listed if available else set(_SOURCE) | listed)


def load(name: str, *, binarize: Any = None, random_state: int | None = None) -> Dataset:
    """Load a data set by its name.

    Parameters
    ----------
    name : str
        One of `names()`.
    binarize : optional
        Which of several classes are positive. "even_odd": those with even labels; "random_halves": a random half; a
        label, or ("one_vs_rest", label): that one. With two classes the larger label is positive by default.
    random_state : int, optional
        Random seed of "random_halves".

    Returns
    -------
    Dataset
        X as float32 or float64, dense or CSR; y of -1 and +1.

    Examples
    --------
    >>> data = load("digits")
    >>> data.X.shape, int((data.y > 0).sum())
    ((1797, 64), 174)
    """
    if name in SOURCES[_SCIKIT_LEARN].split():
        return _load_bundled(name, binarize, random_state)
    folder, entry = _find_entry(name)
    path = folder / entry["file"]
    _check_digest(path, entry["sha256"])
    X, labels = _read_rows(path)
    description = "; ".join(str(entry[key]) for key in ("published", "note") if entry.get(key))
    return Dataset(X, _binary_labels(labels, binarize, random_state, name), name, description, source(name))


def _load_bundled(name: str, binarize: Any, random_state: int | None) -> Dataset:
    from sklearn.datasets import load_breast_cancer, load_digits  # slow, and named sets only need them

    if name == "digits":
        X, labels = load_digits(return_X_y=True)
        y = _binary_labels(labels, 8 if binarize is None else binarize, random_state, name)
        return Dataset(X, y, name, "handwritten digits of 8 x 8 pixels; 8 is positive by default", _SCIKIT_LEARN)
    X, benign = load_breast_cancer(return_X_y=True)
    y = _binary_labels(1 - benign, binarize, random_state, name)
    return Dataset(X, y, name, "Wisconsin breast cancer; malignant is positive", _SCIKIT_LEARN)


def _find_entry(name: str) -> tuple[Path, dict[str, Any]]:
    """The folder and the entry of the manifest, or an error that says where the data set is available."""
    folder = os.environ.get("AUCMAX_DATA")
    listed = _read_manifest(Path(folder)) if folder else {}
    if folder and name in listed:
        return Path(folder), listed[name]
    if name not in _SOURCE:
        similar = difflib.get_close_matches(name, names(), n=5) or names()
        raise ValueError(f"unknown data set {name!r}; choose one of {similar}")
    problem = (
        f"it is not in the manifest of {folder}" if folder else "the environment variable AUCMAX_DATA is not set"
    )
    raise FileNotFoundError(
        f"the files of {name!r} are not part of aucmax, and {problem}; the official source is {_SOURCE[name]}. "
        "AUCMAX_DATA names a folder of npz files with a MANIFEST.json; load('digits') needs no files"
    )


def _read_manifest(folder: Path) -> dict[str, dict[str, Any]]:
    """The entries of the manifest by name, without the changepoint data sets."""
    path = folder / "MANIFEST.json"
    if not path.is_file():
        raise FileNotFoundError(f"AUCMAX_DATA is {folder}, but there is no {path}")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    entries = content.get("datasets") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        raise ValueError(
            f"{path} must hold a list `datasets` of objects with the strings `name`, `file` and `sha256`"
        )
    return {entry["name"]: entry for entry in entries if entry["file"].endswith(".npz")}


def _is_entry(entry: Any) -> bool:
    """Whether an entry has everything that `load` needs; only npz files need a checksum."""
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("name", "file")):
        return False
    return isinstance(entry.get("sha256"), str) or not entry["file"].endswith(".npz")


def _check_digest(path: Path, expected: str) -> None:
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise ValueError(f"{path} does not match the manifest: its SHA-256 is {found}, not {expected}")


def _read_rows(path: Path) -> tuple[np.ndarray | sparse.csr_array, np.ndarray]:
    arrays = npz_reader.read_arrays(path)
    if "num" in arrays:  # covtype, stored compactly
        one_hot = [np.eye(size, dtype=np.float32)[arrays[key]] for key, size in (("wilderness", 4), ("soil", 40))]
        return np.hstack([arrays["num"].astype(np.float32), *one_hot]), arrays["y"]
    X: Any = npz_reader.as_table(arrays, path).X
    if "y" not in arrays:
        raise ValueError(f"{path} has no labels: add an array named y")
    return (X if X.dtype.kind == "f" else X.astype(np.float32)), arrays["y"]


def _binary_labels(labels: np.ndarray, binarize: Any, random_state: int | None, name: str) -> np.ndarray:
    """Labels as -1 and +1."""
    classes = np.unique(labels)
    if binarize is None and len(classes) > 2:
        raise ValueError(
            f"{name!r} has {len(classes)} classes; choose the positive ones with binarize or --positive: 'even_odd', "
            f"'random_halves' or one of the labels {classes.tolist()[:10]}"
        )
    if binarize is None:
        positive = classes[-1:]
    elif binarize == "even_odd":
        positive = classes[classes % 2 == 0]
    elif binarize == "random_halves":
        positive = np.random.default_rng(random_state).permutation(classes)[: len(classes) // 2]
    else:
        positive = np.array([_one_label(binarize, classes, name)])
    return np.where(np.isin(labels, positive), 1, -1)


def _one_label(binarize: Any, classes: np.ndarray, name: str) -> Any:
    is_pair = isinstance(binarize, tuple) and len(binarize) == 2 and binarize[0] == "one_vs_rest"
    label = binarize[1] if is_pair else binarize
    if not isinstance(label, Hashable) or isinstance(label, bool) or label not in classes.tolist():
        raise ValueError(
            f"{name!r} has no label {binarize!r}; choose the positive classes: 'even_odd', 'random_halves' or one of "
            f"the labels {classes.tolist()[:10]}"
        )
    return label
