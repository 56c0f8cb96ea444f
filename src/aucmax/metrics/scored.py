"""The door of the measures: labels, scores and weights, checked once and split by class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.numerics.compiled import compiled


class Scored(NamedTuple):
    """Rows as the measures take them: which are positive, their scores, their weights (None: one each)."""

    is_pos: np.ndarray
    score: np.ndarray
    weight: np.ndarray | None


class Classes(NamedTuple):
    """Scores and weights of each class, in no order; the names are the arguments of `auc_of_classes`."""

    pos_scores: np.ndarray
    neg_scores: np.ndarray
    pos_weight: np.ndarray | None
    neg_weight: np.ndarray | None


def checked(y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None, pos_label: Any) -> Scored:
    """Refuse what no measure can judge; return the rest as arrays."""
    labels = column(y, "y")
    is_pos = labels == two_labels(labels, pos_label)[1]
    values = finite_column(score, "score", labels.size)
    if sample_weight is None:
        return Scored(is_pos, values, None)
    return Scored(is_pos, values, checked_weight(sample_weight, is_pos))


def column(values: ArrayLike, name: str) -> np.ndarray:
    """The values as a 1-d array that is not empty."""
    array = np.asarray(values)
    if array.ndim != 1:
        hint = "pass one value per row, such as predict_proba(X)[:, 1] or y.ravel()"
        raise ValueError(f"{name} must be 1-d but has shape {array.shape}; {hint}")
    if array.size == 0:
        raise ValueError(f"{name} is empty; pass at least one row of each class")
    return array


def two_labels(y: np.ndarray, pos_label: Any) -> tuple[Any, Any]:
    """The negative and the positive label; the positive one is the larger unless `pos_label` names it."""
    labels = _distinct(y)
    if len(labels) != 2:
        hint = "pass rows of both classes" if len(labels) < 2 else "keep two, or pass one against the rest"
        raise ValueError(f"y must have two classes but has {len(labels)}: {_short(labels)}; {hint}")
    if pos_label is None or pos_label == labels[1]:
        return labels[0], labels[1]
    if pos_label != labels[0]:
        raise ValueError(f"pos_label={pos_label!r} is not a label of y; choose one of {labels}")
    return labels[1], labels[0]


def checked_weight(sample_weight: ArrayLike, is_pos: np.ndarray) -> np.ndarray:
    """Weights in double precision: finite, not negative, with a positive sum in each class."""
    weight = finite_column(sample_weight, "sample_weight", is_pos.size).astype(np.float64, copy=False)
    if weight.min() < 0:
        where = int(weight.argmin())
        raise ValueError(f"sample_weight[{where}] is {weight[where]}; weights must be zero or positive")
    for name, members in (("positive", is_pos), ("negative", ~is_pos)):
        if not weight[members].any():
            raise ValueError(f"all weights of the {name} class are zero; give one of its rows a positive weight")
    return weight


def split(scored: Scored) -> Classes:
    """The scores and weights of the positives and of the negatives."""
    pos_scores, neg_scores = _split_column(scored.is_pos, scored.score)
    if scored.weight is None:
        return Classes(pos_scores, neg_scores, None, None)
    return Classes(pos_scores, neg_scores, *_split_column(scored.is_pos, scored.weight))


def _distinct(y: np.ndarray) -> list:
    """The sorted distinct labels; two numbers are recognised without sorting."""
    if y.dtype.kind in "biuf":
        low, high = y.min(), y.max()
        if np.isnan(high):
            raise ValueError("y contains NaN; drop the rows without a label")
        if low != high and np.count_nonzero(y == low) + np.count_nonzero(y == high) == y.size:
            return [low.item(), high.item()]
    try:
        return np.unique(y).tolist()
    except TypeError as error:
        raise ValueError(f"the labels in y cannot be sorted ({error}); use labels of one type") from error


def _short(labels: list) -> str:
    """The labels as text, the first five of them if there are many."""
    return str(labels) if len(labels) <= 5 else f"{labels[:5]} and more"


def finite_column(values: ArrayLike, name: str, n_rows: int) -> np.ndarray:
    """A column of n_rows finite numbers; float32 stays float32."""
    array = column(values, name)
    if array.size != n_rows:
        raise ValueError(f"{name} has {array.size} rows but y has {n_rows}; pass one {name} per row of y")
    if array.dtype not in (np.float32, np.float64):
        try:
            array = array.astype(np.float64, casting="unsafe" if array.dtype == object else "same_kind")
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must be numbers but has type {array.dtype}; pass floats") from error
    finite = np.isfinite(array)
    if not finite.all():
        where = int(finite.argmin())
        raise ValueError(f"{name}[{where}] is {array[where]}; drop or replace the rows that are not finite")
    return array


def _split_column(is_pos: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values of the positives, values of the negatives."""
    out = np.empty_like(values)
    n_pos = _partition(is_pos, values, out)
    return out[:n_pos], out[n_pos:]


@compiled
def _partition(is_pos, values, out):
    """Positives from the front, negatives from the back; no branch, since labels cannot be predicted."""
    front = 0
    for i in range(values.size):
        back = values.size - 1 - i + front
        hit = int(is_pos[i])
        out[back + hit * (front - back)] = values[i]
        front += hit
    return front
