"""Rows of a stream: dictionaries of features, validated and collected into a table."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from aucmax.metrics.prequential import is_missing
from aucmax.validation.inputs import LabeledData

DENSE = 0.1  # share of present features from which a batch becomes a dense array
LARGEST = 1e100  # largest magnitude of a feature that can be learned: weighted squares must not overflow


class BufferedRow(NamedTuple):
    """A row of the batch that is being filled."""

    x: dict[Any, float]  # features by name
    side: int  # 0 for the label seen first, 1 for the other
    weight: float


def finite_feature(name: Any, value: Any) -> float:
    """A feature as a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = nan
    if not isfinite(number):
        raise ValueError(f"feature {name!r} is {value!r}; give finite numbers, such as from river's OneHotEncoder")
    return number


def learnable_feature(name: Any, value: Any) -> float:
    """A feature as a number whose square does not overflow."""
    number = finite_feature(name, value)
    if abs(number) > LARGEST:
        raise ValueError(f"feature {name!r} is {value!r}, too large: squares overflow; rescale it")
    return number


def check_labels(labels: list[Any], pos_label: Any) -> None:
    """Reject more than two labels, and labels of which neither is known to be positive."""
    if len(labels) > 2 or (len(labels) == 2 and isinstance(labels[0], bool) and labels[1] not in (False, True)):
        raise ValueError(f"label {labels[-1]!r} besides {labels[:-1]}; ranking takes two labels")
    if pos_label is not None and len(labels) == 2 and pos_label not in labels:
        raise ValueError(f"pos_label={pos_label!r} is not among the labels {labels}; choose one of them")
    if pos_label is None:
        try:
            max(labels)
        except TypeError as error:
            raise ValueError(f"labels {labels} cannot be ordered; pass the positive one as pos_label") from error


def frame_rows(X: Any) -> Iterator[dict[Any, Any]]:
    """The rows of a pandas or polars frame, without empty cells."""
    if not hasattr(X, "to_dict"):
        raise ValueError(f"X is of type {type(X).__name__}; give a pandas or polars frame")
    for row in X.iter_rows(named=True) if hasattr(X, "iter_rows") else X.to_dict("records"):
        yield {name: value for name, value in row.items() if not is_missing(value)}


def batch_table(rows: list[BufferedRow], columns: dict[Any, int]) -> LabeledData:
    """The rows in the given columns: a dense array, or CSR if they are mostly empty."""
    sizes = [len(row.x) for row in rows]
    indices = np.array([columns[name] for row in rows for name in row.x], dtype=np.int32)
    values = np.array([value for row in rows for value in row.x.values()])
    shape = (len(rows), len(columns))
    if sum(sizes) >= DENSE * shape[0] * shape[1]:
        X = np.zeros(shape)
        X[np.repeat(np.arange(shape[0]), sizes), indices] = values
    else:
        X = sparse.csr_array((values, indices, np.cumsum([0, *sizes], dtype=np.int32)), shape=shape)
        X.sort_indices()
    y = np.array([1.0 if row.side else -1.0 for row in rows])
    return LabeledData(X, y, np.array([row.weight for row in rows]))
