"""Validation of labels, scores and weights for the metrics, and their split by class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.numerics.compiled import compiled
from aucmax.validation.weights import check_class_weights


class LabeledScores(NamedTuple):
    """Validated rows."""

    is_pos: np.ndarray  # whether the label is the positive one
    score: np.ndarray  # float32 or float64
    weight: np.ndarray | None  # float64; None if all are 1


def check_scores(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None, pos_label: Any, *, rates: bool = False
) -> LabeledScores:
    """Validate the arguments that the metrics share and return them as arrays.

    With `rates`, which make sense only if it is clear what a positive is, labels other than 0/1 and -1/1 need a
    `pos_label`, as in scikit-learn.
    """
    labels = check_1d(y_true, "y_true")
    is_pos = labels == binary_labels(labels, pos_label, "y_true", rates=rates)[1]
    score = check_finite(y_score, "y_score", labels.size)
    if sample_weight is None:
        return LabeledScores(is_pos, score, None)
    return LabeledScores(is_pos, score, check_class_weights(sample_weight, is_pos))


def check_1d(values: ArrayLike, name: str) -> np.ndarray:
    """The values as a non-empty 1-d array."""
    array = np.asarray(values)
    if array.ndim != 1:
        hint = "pass one value per row, such as predict_proba(X)[:, 1] or y.ravel()"
        raise ValueError(f"{name} must be 1-d but has shape {array.shape}; {hint}")
    if array.size == 0:
        raise ValueError(f"{name} is empty; pass at least one row of each class")
    return array


def binary_labels(y: np.ndarray, pos_label: Any = None, name: str = "y", *, rates: bool = False) -> tuple[Any, Any]:
    """The negative and the positive label; the positive one is the larger unless `pos_label` is given."""
    labels = _unique_labels(y, name)
    if len(labels) != 2:
        hint = "pass rows of both classes" if len(labels) < 2 else "keep two, or pass one against the rest"
        shown = labels if len(labels) <= 5 else f"{labels[:5]} and more"
        raise ValueError(f"{name} must have two classes but has {len(labels)}: {shown}; {hint}")
    if rates and pos_label is None and labels not in ([0, 1], [-1, 1]):
        raise ValueError(f"{name} has the labels {labels}, so it is unclear which is positive; pass it as pos_label")
    if pos_label is None or pos_label == labels[1]:
        return labels[0], labels[1]
    if pos_label != labels[0]:
        raise ValueError(f"pos_label={pos_label!r} is not a label of {name}; choose one of {labels}")
    return labels[1], labels[0]


def check_finite(values: ArrayLike, name: str, n_rows: int) -> np.ndarray:
    """A 1-d array of n_rows finite numbers; float32 stays float32."""
    array = check_1d(values, name)
    if array.size != n_rows:
        raise ValueError(f"{name} has {array.size} values for {n_rows} labels; pass one per row")
    if array.dtype not in (np.float32, np.float64):
        try:
            array = array.astype(np.float64, casting="unsafe" if array.dtype == object else "same_kind")
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must be numbers but has type {array.dtype}; pass floats") from error
    finite = np.isfinite(array)
    if not finite.all():
        first = int(finite.argmin())
        raise ValueError(f"{name}[{first}] is {array[first]}; drop or replace the rows that are not finite")
    return array


def split_by_class(rows: LabeledScores) -> tuple[np.ndarray, ...]:
    """Scores of positives and of negatives, and their weights unless all are 1, as `auc_of_classes` takes them."""
    scores = _split(rows.is_pos, rows.score)
    return scores if rows.weight is None else (*scores, *_split(rows.is_pos, rows.weight))


def _unique_labels(y: np.ndarray, name: str) -> list:
    """The distinct labels in sorted order; two numbers need no sort."""
    if y.dtype.kind in "biuf":
        low, high = y.min(), y.max()
        if np.isnan(high):
            raise ValueError(f"{name} contains NaN; drop the rows without a label")
        if low != high and np.count_nonzero(y == low) + np.count_nonzero(y == high) == y.size:
            return [low.item(), high.item()]
    try:
        return np.unique(y).tolist()
    except TypeError as error:
        raise ValueError(f"the labels in {name} cannot be sorted ({error}); use labels of one type") from error


def _split(is_pos: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values of the positives, values of the negatives."""
    out = np.empty_like(values)
    n_pos = _partition(is_pos, values, out)
    return out[:n_pos], out[n_pos:]


@compiled
def _partition(is_pos, values, out):
    """Positives from the front, negatives from the back; branch-free, since labels defeat branch prediction."""
    front = 0
    for i in range(values.size):
        back = values.size - 1 - i + front
        hit = int(is_pos[i])
        out[back + hit * (front - back)] = values[i]
        front += hit
    return front
