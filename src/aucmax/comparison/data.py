"""ComparisonData: the rows and folds that all models of a comparison share, validated once."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import indexable

from aucmax.metrics.inputs import binary_labels, check_1d
from aucmax.numerics.sparse_structure import check_structure
from aucmax.selection.splits import FewerFoldsWarning, Fold, make_splits
from aucmax.tables.cells import truncate
from aucmax.validation.inputs import warn_frequent_positive
from aucmax.validation.messages import warn_caller
from aucmax.validation.params import Integer, check_param
from aucmax.validation.weights import check_class_weights

__all__ = ["ComparisonData", "Splitting", "make_comparison_data"]


class ComparisonData(NamedTuple):
    """The data and folds on which all models are evaluated."""

    X: Any  # rows, as the user passed them
    y: np.ndarray  # labels
    is_pos: np.ndarray  # whether the label is the positive one
    weight: np.ndarray | None  # sample weights
    folds: list[Fold]  # pairs of training and test rows, those of the first repeat first
    repeats: int  # how often the table was split into folds
    reduced: bool = False  # whether there are fewer folds than asked for, which was said

    @property
    def n_folds(self) -> float:
        """Folds of one repeat."""
        return len(self.folds) / self.repeats

    @property
    def mean_sizes(self) -> tuple[float, float]:
        """Mean number of training and of test rows."""
        return (
            float(np.mean([train.size for train, _ in self.folds])),
            float(np.mean([test.size for _, test in self.folds])),
        )


class Splitting(NamedTuple):
    """How rows are split into folds, as the user asked for it."""

    cv: Any  # number of folds, or a splitter
    repeats: int = 1  # how often the rows are split
    groups: Any = None  # rows of a group stay in the same fold
    random_state: int = 0


def make_comparison_data(X: Any, y: Any, sample_weight: Any, splitting: Splitting) -> ComparisonData:
    """Validate the input once and make the folds, each with at least two test rows of each class."""
    check_param("repeats", splitting.repeats, Integer(1))
    _check_order(X, y)
    check_structure(X)
    labels = check_1d(y, "y")
    classes = binary_labels(labels)
    is_pos = labels == classes[1]
    weight = None if sample_weight is None else check_class_weights(sample_weight, is_pos)
    X, labels, groups = indexable(X, labels, splitting.groups)
    weights = np.ones(labels.size) if weight is None else weight
    warn_frequent_positive(is_pos, weights, classes)
    cv = _cv(splitting, is_pos[weights > 0])
    sign = np.where(is_pos, 1.0, -1.0)
    rng = np.random.default_rng(splitting.random_state)
    folds = [fold for _ in range(splitting.repeats) for fold in make_splits(cv, X, sign, weights, groups, rng)]
    _check_folds(folds, is_pos)
    reduced = cv is not splitting.cv and cv != splitting.cv
    return ComparisonData(X, labels, is_pos, weight, folds, splitting.repeats, reduced=reduced)


def _check_folds(folds: list[Fold], is_pos: np.ndarray) -> None:
    """Refuse folds with less than two test rows of a class."""
    for number, (_, test) in enumerate(folds, 1):
        rare = int(np.bincount(is_pos[test], minlength=2).min())
        if rare < 2:
            where = f"fold {number} of {len(folds)}"
            raise ValueError(f"{where} needs 2 test rows of each class, but one class has {rare}; lower cv")


def _cv(splitting: Splitting, is_pos: np.ndarray) -> Any:
    """The splitter, or a number of folds that the rows of positive weight allow."""
    if isinstance(splitting.cv, Integral):
        return _reduced_n_folds(splitting.cv, is_pos)
    if splitting.repeats > 1:
        asked = f"repeats={splitting.repeats} with a splitter"
        raise ValueError(f"{asked}; pass cv as a number, or a splitter that repeats itself")
    return splitting.cv


def _reduced_n_folds(cv: Any, is_pos: np.ndarray) -> int:
    """The number of folds, reduced so that every fold has two test rows of each class."""
    check_param("cv", cv, Integer(2))
    rare = int(np.bincount(is_pos, minlength=2).min())
    if rare < 4:
        raise ValueError(f"the rarer class has {rare} rows; cross-validation needs at least 4, so add rows")
    if rare < 2 * cv:
        why = f"cv={cv}, but the rarer class has only {rare} rows, and every fold must test two"
        warn_caller(f"{why}; using {rare // 2} folds", FewerFoldsWarning)
    return min(int(cv), rare // 2)


def _check_order(X: Any, y: Any) -> None:
    """Refuse models in place of the table or of its labels."""
    for name, value in (("X", X), ("y", y)):
        if _is_models(value):
            raise TypeError(f"{name} is {_brief(value)}, not data; call compare(X, y, models), the models last")


def _is_models(value: Any) -> bool:
    """Whether a value is a classifier, a name, or a list or a dict of classifiers or names."""
    if isinstance(value, str) or (hasattr(value, "fit") and not hasattr(value, "shape")):
        return True
    if isinstance(value, Mapping):
        return bool(value) and all(hasattr(model, "fit") or isinstance(model, str) for model in value.values())
    return isinstance(value, (list, tuple)) and any(hasattr(model, "fit") for model in value)


def _brief(value: Any) -> str:
    """The value as one line of a message."""
    return truncate(" ".join(repr(value).split()), 60)
