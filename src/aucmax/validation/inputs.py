"""Inputs: tables, labels, weights and batches, validated once.

An error message says what is wrong, with the value, and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import validate_data

from aucmax.numerics.chunked_matrix import ChunkedMatrix
from aucmax.numerics.matrix import rows_in_memory
from aucmax.numerics.sparse_structure import canonical, check_structure
from aucmax.validation.messages import warn_caller
from aucmax.validation.weights import check_class_weights, check_weights

TABLE = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}

FREQUENT = 0.6  # share of the rows above which a positive class that nobody has chosen is suspicious


class FrequentPositiveWarning(UserWarning):
    """The positive class, which nobody has chosen, has most of the rows."""


class BinaryLabels(NamedTuple):
    """Labels whose classes are known, in place of an array of labels."""

    classes: tuple[Any, Any]  # the negative and the positive one
    is_pos: np.ndarray  # whether each row is positive


class LabeledData(NamedTuple):
    """Validated data."""

    X: Any  # array, CSR or ChunkedMatrix of shape (n, dim)
    y: np.ndarray  # labels -1.0 and +1.0
    weight: np.ndarray  # non-negative weights

    def rows(self, index: np.ndarray) -> LabeledData:
        """A subset of the rows."""
        return LabeledData(self.X[index], self.y[index], self.weight[index])

    def in_memory(self, index: np.ndarray) -> LabeledData:
        """A subset of the rows, with those of a table in chunks as an array."""
        return LabeledData(rows_in_memory(self.X, index), self.y[index], self.weight[index])

    def class_totals(self, seen: np.ndarray) -> np.ndarray:
        """Weights with which the rows in a mask have the total weight of all rows of their class."""
        weight = self.weight.copy()
        for side in (self.y > 0, self.y < 0):
            weight[side] *= self.weight[side].sum() / self.weight[side & seen].sum()
        return weight

    def weighted(self) -> LabeledData:
        """The data without the rows of weight zero."""
        return self if self.weight.min() > 0 else self.rows(np.flatnonzero(self.weight > 0))


def check_table(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, dense: bool = False, chunked: bool = False
) -> LabeledData:
    """Validate a table with its labels and weights; sets `n_features_in_` and `classes_`.

    With `dense`, sparse and non-finite tables are rejected here; otherwise `problem.data.check_finite` detects
    non-finite values from the moments, which saves a pass. `chunked`: the estimator also takes a `ChunkedMatrix`.
    """
    if isinstance(X, ChunkedMatrix):
        y = _check_chunked(estimator, X, y, chunked)
    else:
        options = TABLE | {"accept_sparse": False} if dense else TABLE
        X, y = _check_labeled(estimator, X, y, ensure_all_finite=False, **options)
    if dense:
        check_every_number(X)
    classes_are_known = isinstance(y, BinaryLabels)
    classes, is_pos = y if isinstance(y, BinaryLabels) else _encode_labels(y)
    estimator.classes_ = np.array(classes)
    y = np.where(is_pos, 1.0, -1.0)
    weight = np.ones(y.size) if sample_weight is None else check_class_weights(sample_weight, is_pos)
    if not classes_are_known and estimator.classes_.dtype.kind not in "biuf":
        warn_frequent_positive(y > 0, weight, estimator.classes_.tolist())
    return LabeledData(X, y, weight)


def warn_frequent_positive(is_pos: np.ndarray, weight: np.ndarray, classes: Sequence[Any]) -> None:
    """Warn if labels are strings and the positive one, the last in sorted order, is the more frequent by far."""
    negative, positive = classes
    share = float(weight[is_pos].sum() / weight.sum())
    if isinstance(positive, str) and share > FREQUENT:
        warn_caller(
            f"the positive class is {positive!r}, the last label in sorted order, although {100 * share:.3g} % of "
            f"the rows have it; to find {negative!r}, fit to y == {negative!r} (docs/predictions.md)",
            FrequentPositiveWarning,
        )


def _check_chunked(estimator: Any, X: ChunkedMatrix, y: Any, accepted: bool) -> Any:
    """The labels of a table in chunks; sets `n_features_in_`."""
    if not accepted:
        raise ValueError(
            f"{type(estimator).__name__} needs its table in memory, but this one is read in chunks; use "
            "AUCClassifier, AUCClassifierCV or KernelAUCClassifier, or X.in_memory() if it fits"
        )
    if not isinstance(y, BinaryLabels):
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
    estimator.n_features_in_ = X.shape[1]
    return y


def check_rows(estimator: Any, X: Any) -> Any:
    """Validate rows to score; sparse ones become CSR in canonical form."""
    if isinstance(X, ChunkedMatrix):
        if X.shape[1] != estimator.n_features_in_:
            name = type(estimator).__name__
            wanted = estimator.n_features_in_
            raise ValueError(f"X has {X.shape[1]} features, but {name} is expecting {wanted} features as input")
        return X
    X = check_structure(X)
    _check_cells(X)
    X = validate_data(estimator, X, reset=False, **TABLE)
    return canonical(X)


def check_batch(
    estimator: Any, X: Any, y: Any, sample_weight: Any, classes: Any, *, first: bool
) -> tuple[LabeledData, np.ndarray]:
    """Validate a batch of a stream, which may contain only one class, and return it with the two classes."""
    X, y = _check_labeled(estimator, X, y, reset=first, **TABLE)
    check_classification_targets(y)
    labels = _stream_classes(estimator, y, classes, first)
    y = np.where(y == labels[1], 1.0, -1.0)
    weight = np.ones(y.size) if sample_weight is None else check_weights(sample_weight, y.size)
    return LabeledData(X, y, weight), labels


def _stream_classes(estimator: Any, y: np.ndarray, classes: Any, first: bool) -> np.ndarray:
    """The two classes of a stream, which no batch may change."""
    if classes is not None:
        labels = np.unique(classes)
    else:
        labels = np.unique(y) if first else estimator.classes_
    if labels.size == 1:
        raise ValueError(
            f"only the label {labels.tolist()[0]!r} so far; pass both labels as classes=[...] in the first call"
        )
    _check_two_classes(labels, labels)
    unknown = np.setdiff1d(y, labels)
    if unknown.size or not (first or np.array_equal(labels, estimator.classes_)):
        raise ValueError(
            f"labels {unknown.tolist() or labels.tolist()} in a batch; all batches must have the same two labels"
        )
    return labels if first else estimator.classes_


def check_every_number(X: Any) -> None:
    """Raise ValueError if X contains NaN, with what to do about missing values, or infinity."""
    if isinstance(X, ChunkedMatrix):
        for _ in X.map("check of every number", check_every_number):
            pass
        return
    try:
        assert_all_finite(X, input_name="X")
    except ValueError as error:
        hint = " Fill in missing values first, as in make_pipeline(TableEncoder(), AUCClassifierCV())."
        raise ValueError(f"{error}{hint if 'NaN' in str(error) else ''}") from None


def check_validation(estimator: Any, pair: Any) -> tuple[Any, np.ndarray]:
    """Validate a validation set (X, y) and return it with the labels as -1/+1."""
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2):
        raise ValueError("validation is not a pair; pass validation=(X, y)")
    X, y = _check_labeled(estimator, *pair, reset=False, **TABLE)
    if not np.array_equal(np.unique(y), estimator.classes_):
        raise ValueError(
            f"the validation set has labels {np.unique(y).tolist()}; it needs {estimator.classes_.tolist()}"
        )
    return X, np.where(y == estimator.classes_[1], 1.0, -1.0)


def _check_labeled(estimator: Any, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
    """A table and its labels as arrays; a sparse table becomes CSR in canonical form.

    Its structure is checked first: even a conversion to CSR would write outside of its arrays if it were invalid.
    """
    X = check_structure(X)
    _check_cells(X)
    try:
        X, y = validate_data(estimator, X, y, **options)
    except ValueError as error:
        if "could not convert string to float" not in str(error):
            raise
        name = type(estimator).__name__
        raise ValueError(f"{error}; encode strings first: make_pipeline(TableEncoder(), {name}())") from None
    return canonical(X), y


def _check_cells(X: Any) -> None:
    """Refuse masked cells and times, which NumPy would turn into the numbers below the mask and into nanoseconds."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(
            "X has masked cells; pass X.filled(np.nan) to make_pipeline(TableEncoder(), AUCClassifierCV()), which "
            "fills in missing values"
        )
    for dtype in [X.dtype] if hasattr(X, "dtype") else getattr(X, "dtypes", ()):
        if getattr(dtype, "kind", "") in ("m", "M") or (hasattr(dtype, "is_temporal") and dtype.is_temporal()):
            raise ValueError(
                f"X has times ({dtype}), which are not numbers; encode them first: make_pipeline(TableEncoder(), "
                "AUCClassifierCV())"
            )


def check_labels_and_weights(
    y: Any, sample_weight: Any, classes: np.ndarray, n: int
) -> tuple[np.ndarray | None, np.ndarray]:
    """Labels of two known classes as -1/+1, or None, and the weights of n rows."""
    if y is None:
        return None, np.ones(n) if sample_weight is None else check_weights(sample_weight, n)
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ValueError(f"y has shape {labels.shape}; give one label for each of the {n} rows")
    distinct = np.unique(labels)
    if not np.isin(distinct, classes).all() or distinct.size < 2:
        raise ValueError(f"y has the labels {distinct.tolist()[:5]}; it needs {classes.tolist()}, both of them")
    signs = np.where(labels == classes[1], 1.0, -1.0)
    return signs, np.ones(n) if sample_weight is None else check_class_weights(sample_weight, signs > 0)


def make_rng(random_state: Any) -> np.random.Generator:
    """A NumPy generator from any `random_state` that scikit-learn accepts."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def _encode_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two classes, and whether each row is of the second."""
    if y.dtype.kind in "iub" and y.min() < y.max() and ((y == y.min()) | (y == y.max())).all():
        return np.array([y.min(), y.max()]), y == y.max()  # without a sort
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    _check_two_classes(classes, y)
    return classes, codes == 1


def _check_two_classes(classes: np.ndarray, y: Any) -> None:
    if classes.size == 1:
        raise ValueError(f"y has only one class, {_shown(classes[0])}; ranking needs rows of two classes")
    if classes.size > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(y)}: "
            f"{classes.size} classes; choose one as positive, as in y == {_shown(classes[-1])}"
        )


def _shown(label: Any) -> str:
    """A label as it is typed in Python, without the type that NumPy adds to it."""
    return repr(label.item() if isinstance(label, np.generic) else label)
