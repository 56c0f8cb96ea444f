"""The door: tables, weights, labels and settings are checked here, once.

An error says what was wrong, with the value, and what to do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import validate_data

from aucmax.numerics.matrix import canonical


class LabeledData(NamedTuple):
    """A table that passed the door: rows, labels -1/+1, weights."""

    X: Any
    y: np.ndarray
    weight: np.ndarray

    def rows(self, index: np.ndarray) -> LabeledData:
        """Some of the rows."""
        return LabeledData(self.X[index], self.y[index], self.weight[index])

    def weighted(self) -> LabeledData:
        """Without the rows of weight zero."""
        return self if self.weight.min() > 0 else self.rows(np.flatnonzero(self.weight > 0))


def check_table(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, dense: bool = False
) -> tuple[LabeledData, np.ndarray]:
    """Check a table and its labels; return it with the two classes. Sets the estimator's feature names.

    A `dense` table is refused if it is sparse, and also if it is not finite: else `make_data` does that.
    """
    X, y = validate_data(
        estimator,
        X,
        y,
        accept_sparse=False if dense else "csr",
        dtype=[np.float64, np.float32],
        order="C",
        ensure_all_finite=dense,  # else seen in the moments, without a pass of its own
    )
    classes, codes = _classes(y)
    return LabeledData(canonical(X), np.where(codes == 1, 1.0, -1.0), _check_weight(sample_weight, codes)), classes


def check_batch(
    estimator: Any, X: Any, y: Any, sample_weight: Any, classes: Any, *, first: bool
) -> tuple[LabeledData, np.ndarray]:
    """Check a batch of a stream, which may hold one class only; return it with the two classes."""
    X, y = validate_data(estimator, X, y, reset=first, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
    check_classification_targets(y)
    if classes is not None:
        labels = np.unique(classes)
    else:
        labels = np.unique(y) if first else estimator.classes_
    if labels.size == 1:
        raise ValueError(f"only the label {labels.tolist()[0]!r} so far; pass classes=[...], both labels, at first")
    _check_two_classes(labels, labels)
    strange = np.setdiff1d(y, labels)
    if strange.size or not (first or np.array_equal(labels, estimator.classes_)):
        raise ValueError(f"labels {strange.tolist() or labels.tolist()} in a batch; all must keep to the same two")
    labels = labels if first else estimator.classes_
    codes = (y == labels[1]).astype(int)
    weight = np.ones(codes.size) if sample_weight is None else _weights(sample_weight, codes.size)
    return LabeledData(canonical(X), np.where(codes == 1, 1.0, -1.0), weight), labels


def check_validation(estimator: Any, pair: Any) -> tuple[Any, np.ndarray]:
    """A validation set as (X, y), its labels among those of the training set, as -1/+1."""
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2):
        raise ValueError("a validation set is a pair (X, y); pass both")
    X, y = validate_data(estimator, *pair, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
    if not np.array_equal(np.unique(y), estimator.classes_):
        raise ValueError(
            f"the validation set has labels {np.unique(y).tolist()}; it needs {estimator.classes_.tolist()}"
        )
    return X, np.where(y == estimator.classes_[1], 1.0, -1.0)


def make_rng(random_state: Any) -> np.random.Generator:
    """A generator from anything that scikit-learn takes as random_state."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def _classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two classes, and the number of the class of every row."""
    if y.dtype.kind in "iub" and y.min() < y.max() and ((y == y.min()) | (y == y.max())).all():
        return np.array([y.min(), y.max()]), (y == y.max()).astype(int)  # without a sort
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    _check_two_classes(classes, y)
    return classes, codes


def _check_two_classes(classes: np.ndarray, y: Any) -> None:
    if classes.size == 1:
        raise ValueError(f"y has only one class, {classes[0]!r}; ranking needs rows of two classes")
    if classes.size > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(y)}: "
            f"{classes.size} classes; choose one as positive, as in y == {classes[-1]!r}"
        )


def _check_weight(sample_weight: Any, codes: np.ndarray) -> np.ndarray:
    if sample_weight is None:
        return np.ones(codes.size)
    weight = _weights(sample_weight, codes.size)
    for code in (0, 1):
        if weight[codes == code].sum() == 0:
            raise ValueError("all rows of one class have weight zero; ranking needs rows of two classes")
    return weight


def _weights(sample_weight: Any, n: int) -> np.ndarray:
    """One finite number that is not negative for each row; a single number serves for all."""
    weight = np.asarray(sample_weight, dtype=float)
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}; give one number for each of {n} rows")
    if not np.isfinite(weight).all() or weight.min() < 0:
        raise ValueError("sample_weight has negative, NaN or infinite values; give weights of zero or more")
    return weight
