"""Named benchmark sets.

The files are not part of the package: the environment variable AUCMAX_DATA names a folder with npz files and a
MANIFEST.json of their names and checksums. "digits" and "breast_cancer" come with scikit-learn and need no files.
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
from sklearn.datasets import load_breast_cancer, load_digits

from aucmax.tables import npz

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
    """Rows, labels -1 and +1, and where they come from."""

    X: np.ndarray | sparse.csr_array
    y: np.ndarray
    name: str
    description: str
    source: str


def source(name: str) -> str:
    """Where a set comes from; empty for a set that only the manifest knows."""
    return _SOURCE.get(name, "")


def names(*, available: bool = False) -> list[str]:
    """The names that `load` knows; with `available`, only those whose file is there.

    Examples
    --------
    >>> "digits" in names(available=True), "a9a" in names()
    (True, True)
    """
    folder = os.environ.get("AUCMAX_DATA")
    listed = set(_manifest(Path(folder))) if folder else set()
    embedded = set(SOURCES[_SCIKIT_LEARN].split())
    return sorted(embedded | listed if available else set(_SOURCE) | listed)


def load(name: str, *, binarise: Any = None, random_state: int | None = None) -> Dataset:
    """Load a set by its name.

    Parameters
    ----------
    name : str
        One of `names()`.
    binarise : optional
        How many classes become two. "even_odd": even labels are positive; "random_halves": a random half of the
        classes is, drawn by `random_state`; a label, or ("one_vs_rest", label): that one is. A set of two classes
        needs none: its larger label is positive.
    random_state : int, optional
        Seed of "random_halves".

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
    if name in ("digits", "breast_cancer"):
        return _embedded(name, binarise, random_state)
    folder, entry = _entry(name)
    path = folder / entry["file"]
    _check_digest(path, entry["sha256"])
    X, labels = _rows(path)
    description = "; ".join(str(entry[key]) for key in ("published", "note") if entry.get(key))
    return Dataset(X, _two_classes(labels, binarise, random_state, name), name, description, _SOURCE.get(name, ""))


def _embedded(name: str, binarise: Any, random_state: int | None) -> Dataset:
    if name == "digits":
        X, labels = load_digits(return_X_y=True)
        y = _two_classes(labels, 8 if binarise is None else binarise, random_state, name)
        return Dataset(X, y, name, "handwritten digits of 8 x 8 pixels; is it an 8?", _SCIKIT_LEARN)
    X, benign = load_breast_cancer(return_X_y=True)
    y = _two_classes(1 - benign, binarise, random_state, name)
    return Dataset(X, y, name, "Wisconsin breast cancer; malignant is positive", _SCIKIT_LEARN)


def _entry(name: str) -> tuple[Path, dict[str, Any]]:
    """The folder and the line of the manifest, or an error that says where the set can be had."""
    folder = os.environ.get("AUCMAX_DATA")
    listed = _manifest(Path(folder)) if folder else {}
    if folder and name in listed:
        return Path(folder), listed[name]
    if name not in _SOURCE:
        near = difflib.get_close_matches(name, names(), n=5) or names()
        raise ValueError(f"unknown data set {name!r}; choose one of {near}")
    looked = f"it is not in the manifest of {folder}" if folder else "the environment variable AUCMAX_DATA is not set"
    raise FileNotFoundError(
        f"the files of {name!r} are not part of aucmax, and {looked}; the official source is {_SOURCE[name]}. "
        "AUCMAX_DATA names a folder of npz files with a MANIFEST.json; load('digits') needs no files"
    )


def _manifest(folder: Path) -> dict[str, dict[str, Any]]:
    """The lines of the manifest by name, without the changepoint sets."""
    path = folder / "MANIFEST.json"
    if not path.is_file():
        raise FileNotFoundError(f"AUCMAX_DATA is {folder}, but there is no {path}")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    entries = content.get("datasets") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        raise ValueError(f"{path} must hold a list `datasets` of objects with the texts `name`, `file` and `sha256`")
    return {entry["name"]: entry for entry in entries if entry["file"].endswith(".npz")}


def _is_entry(entry: Any) -> bool:
    """Whether a line has all that `load` needs; what is no npz file needs no checksum."""
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("name", "file")):
        return False
    return isinstance(entry.get("sha256"), str) or not entry["file"].endswith(".npz")


def _check_digest(path: Path, expected: str) -> None:
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise ValueError(f"{path} is not the file of the manifest: its SHA-256 is {found}, not {expected}")


def _rows(path: Path) -> tuple[np.ndarray | sparse.csr_array, np.ndarray]:
    arrays = npz.arrays(path)
    if "num" in arrays:
        one_hot = [np.eye(size, dtype=np.float32)[arrays[key]] for key, size in (("wilderness", 4), ("soil", 40))]
        return np.hstack([arrays["num"].astype(np.float32), *one_hot]), arrays["y"]
    X: Any = npz.as_table(arrays, path).X
    if "y" not in arrays:
        raise ValueError(f"{path} has no labels: add an array named y")
    return (X if X.dtype.kind == "f" else X.astype(np.float32)), arrays["y"]


def _two_classes(labels: np.ndarray, binarise: Any, random_state: int | None, name: str) -> np.ndarray:
    """Labels as -1 and +1."""
    classes = np.unique(labels)
    if binarise is None and len(classes) > 2:
        raise ValueError(
            f"{name!r} has {len(classes)} classes; say which are positive, by binarise or --positive: 'even_odd', "
            f"'random_halves' or a label of {classes.tolist()[:10]}"
        )
    if binarise is None:
        positive = classes[-1:]
    elif binarise == "even_odd":
        positive = classes[classes % 2 == 0]
    elif binarise == "random_halves":
        positive = np.random.default_rng(random_state).permutation(classes)[: len(classes) // 2]
    else:
        positive = np.array([_one_label(binarise, classes, name)])
    return np.where(np.isin(labels, positive), 1, -1)


def _one_label(binarise: Any, classes: np.ndarray, name: str) -> Any:
    is_pair = isinstance(binarise, tuple) and len(binarise) == 2 and binarise[0] == "one_vs_rest"
    label = binarise[1] if is_pair else binarise
    if not isinstance(label, Hashable) or isinstance(label, bool) or label not in classes.tolist():
        raise ValueError(
            f"{name!r} has no label {binarise!r}; say which are positive: 'even_odd', 'random_halves' or a label of "
            f"{classes.tolist()[:10]}"
        )
    return label
