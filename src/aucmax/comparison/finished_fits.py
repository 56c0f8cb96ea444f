"""FinishedFits: a file of the fits that a comparison has done, so that an interrupted one can continue.

The file holds one JSON object per line: first what the fits belong to, then one line per fit. A line is appended when
its fit is done; a line cut off by a crash is ignored and its fit done again. A file that belongs to other data, folds
or seeds is refused, never overwritten; a model whose parameters have changed is fitted again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from aucmax.comparison.data import ComparisonData
from aucmax.comparison.out_of_fold import FoldFit
from aucmax.tables.json_journal import JsonJournal

__all__ = ["FinishedFits", "fingerprint", "hash_rows"]

FORMAT = "aucmax-comparison-1"


def hash_rows(X: Any, y: np.ndarray, weight: np.ndarray | None = None) -> str:
    """SHA-256 of a table, its labels and its weights."""
    digest = hashlib.sha256()
    for part in _arrays(X):
        digest.update(part)
    digest.update(repr(y.tolist()).encode())
    digest.update(b"" if weight is None else np.ascontiguousarray(weight).tobytes())
    return digest.hexdigest()


def fingerprint(data: ComparisonData) -> str:
    """Hash of the rows, labels, weights and folds."""
    digest = hashlib.sha256(hash_rows(data.X, data.y, data.weight).encode())
    for train, test in data.folds:
        digest.update(train.tobytes())
        digest.update(test.tobytes())
    return digest.hexdigest()


class FinishedFits:
    """The finished fits of one comparison, kept in a file if one is given.

    Parameters
    ----------
    path : str, Path or None
        The file; created if it does not exist. None keeps nothing.
    data : ComparisonData
        What the fits belong to.
    """

    def __init__(self, path: str | Path | None, data: ComparisonData) -> None:
        self._journal: JsonJournal | None = None
        self._fits: dict[tuple[str, str, int], FoldFit] = {}
        if path is not None:
            header = {"format": FORMAT, "fingerprint": fingerprint(data)}
            self._journal = JsonJournal(path, header)
            _check_header(self._journal, header)
            self._fits = dict(map(_fold_fit, self._journal.lines))

    def get(self, name: str, model: Any, fold: int) -> FoldFit | None:
        """The fit of that model on that fold, if it is finished."""
        return self._fits.get((name, _parameters(model), fold))

    def add(self, name: str, model: Any, fold: int, fit: FoldFit) -> None:
        """Keep a fit."""
        if self._journal is not None:
            line = {"model": name, "parameters": _parameters(model), "fold": fold}
            for field, value in fit._asdict().items():
                line[field] = value.tolist() if isinstance(value, np.ndarray) else value
            self._journal.append(line)


def _check_header(journal: JsonJournal, expected: dict[str, Any]) -> None:
    """Refuse a file of anything else."""
    if journal.header is None or journal.header.get("format") != FORMAT:
        raise ValueError(f"{journal.path} is not a file of finished fits; give the name of a new file")
    if journal.header != expected:
        raise ValueError(
            f"{journal.path} holds fits of other data, folds or seeds; give the name of a new file, or delete it"
        )


def _fold_fit(line: dict[str, Any]) -> tuple[tuple[str, str, int], FoldFit]:
    """The key of a fit, and the fit."""
    values = dict(line)
    key = (values.pop("model"), values.pop("parameters"), values.pop("fold"))
    arrays = {name: np.array(value) for name, value in values.items() if isinstance(value, list)}
    return key, FoldFit(**values | arrays)


def _parameters(model: Any) -> str:
    """The class and parameters of a model as a string."""
    return hashlib.sha256(f"{type(model).__qualname__} {model.get_params()!r}".encode()).hexdigest()


def _arrays(X: Any) -> Iterator[bytes]:
    """The bytes of a table."""
    if scipy.sparse.issparse(X):
        csr = X.tocsr()
        parts = [np.array(csr.shape), csr.indptr, csr.indices, csr.data]
    elif hasattr(X, "columns") and hasattr(X, "dtypes"):
        parts = [np.asarray(X[name]) for name in X.columns]
        yield repr([str(name) for name in X.columns]).encode()
    else:
        parts = [np.asarray(X)]
    for part in parts:
        yield repr((part.shape, str(part.dtype))).encode()
        yield repr(part.tolist()).encode() if part.dtype.kind in "OTUS" else np.ascontiguousarray(part).tobytes()
