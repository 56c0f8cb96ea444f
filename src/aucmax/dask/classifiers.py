"""`AUCClassifier` and `AUCClassifierCV` for Dask collections, fitted in passes on the workers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from aucmax.estimators import linear, linear_cv
from aucmax.scale.columns import ColumnUse, larger_label
from aucmax.scale.dask import current_engine, lazy_source
from aucmax.scale.rows import read_rows
from aucmax.validation.params import check_params

_TARGET = "__target__"
_WEIGHT = "__weight__"


class _DaskMixin:
    """Fitting in passes on the workers, and lazy predictions."""

    _plain: Any  # the class of the estimator for data in memory
    classes_: np.ndarray

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit to Dask collections with the same partitions.

        Parameters
        ----------
        X : dask array or data frame
            Numbers; a data frame may hold categories, dates and missing cells, encoded as by `TableEncoder`.
        y : dask array or series of two distinct labels
            The larger label is the positive one.
        sample_weight : dask array or series, optional
        """
        check_params(self)
        model = self._plain(**self.get_params())  # type: ignore[attr-defined]
        is_frame = hasattr(X, "columns")
        weight = None if sample_weight is None else _WEIGHT
        use = ColumnUse(_TARGET, weight, pos_label=partial(larger_label, "y"), encode=is_frame)
        rows = read_rows(lazy_source(X, (_TARGET, y), (_WEIGHT, sample_weight)), use, current_engine())
        model.fit(rows.X, rows.labels, rows.weight)
        if getattr(y.dtype, "kind", "") == "f":  # whole numbers have been read as integers
            model.classes_ = model.classes_.astype(float)
        vars(self).update(vars(model))
        self._fitted = Pipeline([("encoder", rows.encoder), ("model", model)]) if is_frame else model
        return self

    def to_estimator(self) -> Any:
        """The plain estimator, after a `TableEncoder` if it was fitted to a data frame; `aucmax.save` takes it."""
        check_is_fitted(self, "coef_")
        return self._fitted

    def decision_function(self, X: Any) -> Any:
        """Score every row; a lazy array if X is a Dask collection.

        Parameters
        ----------
        X : array, data frame or Dask collection
        """
        return self._apply(X, "decision_function")

    def predict(self, X: Any) -> Any:
        """Predict labels; a lazy array if X is a Dask collection.

        Parameters
        ----------
        X : array, data frame or Dask collection
        """
        return self._apply(X, "predict")

    def _apply(self, X: Any, method: str) -> Any:
        check_is_fitted(self, "coef_")
        apply = getattr(self._fitted, method)
        kind = self.classes_.dtype if method == "predict" else float
        meta = np.empty((0, 2) if method == "predict_proba" else 0, kind)
        if hasattr(X, "map_partitions"):
            return X.map_partitions(apply, meta=meta)
        if hasattr(X, "map_blocks"):
            shape = {"chunks": (X.chunks[0], (2,))} if meta.ndim == 2 else {"drop_axis": 1}
            return X.rechunk({1: -1}).map_blocks(apply, meta=meta, dtype=meta.dtype, **shape)
        return apply(X)


class AUCClassifier(_DaskMixin, linear.AUCClassifier):  # type: ignore[misc]
    """`aucmax.AUCClassifier` for Dask collections, fitted in passes on the workers.

    The parameters are those of `aucmax.AUCClassifier`; the solver needs full passes only: "exact", "cg", "newton" or
    "cutting_plane".
    """

    _plain = linear.AUCClassifier


class AUCClassifierCV(_DaskMixin, linear_cv.AUCClassifierCV):  # type: ignore[misc]
    """`aucmax.AUCClassifierCV` for Dask collections: the path and its cross-validation, in passes on the workers.

    The parameters are those of `aucmax.AUCClassifierCV`.
    """

    _plain = linear_cv.AUCClassifierCV

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the two classes; a lazy array if X is a Dask collection.

        Parameters
        ----------
        X : array, data frame or Dask collection
        """
        return self._apply(X, "predict_proba")
