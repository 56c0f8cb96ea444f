"""`AUCClassifier` and `AUCClassifierCV` for Dask collections, fitted in passes on the workers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from aucmax.estimators import linear, linear_cv
from aucmax.scale.dask import DaskEngine, lazy_source
from aucmax.scale.fit import fit as fit_source

_TARGET = "__target__"
_WEIGHT = "__weight__"


class _DaskMixin:
    """Fitting in passes on the workers, and lazy predictions."""

    _plain: Any  # the class of the estimator for data in memory

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
        labels = np.unique(np.asarray(y.unique().compute() if hasattr(y, "unique") else _unique(y)))
        if labels.size != 2:
            raise ValueError(f"y has the labels {labels.tolist()[:20]}; there must be two")
        source = lazy_source(X, (_TARGET, y), (_WEIGHT, sample_weight))
        self._fitted = fit_source(
            source,
            self._plain(**self.get_params()),  # type: ignore[attr-defined]
            target=_TARGET,
            weight=None if sample_weight is None else _WEIGHT,
            pos_label=labels[1].item(),
            encode=hasattr(X, "columns"),
            engine=DaskEngine(),
        )
        model = self._fitted[-1] if hasattr(X, "columns") else self._fitted
        if not hasattr(X, "columns"):
            del model.feature_names_in_  # an array has none
        for name, value in vars(model).items():
            if name == "_linear" or (name.endswith("_") and not name.startswith("_")):
                setattr(self, name, value)
        self.classes_ = labels
        model.classes_ = labels
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
        return self._apply(X, "decision_function", 1)

    def predict(self, X: Any) -> Any:
        """Predict labels; a lazy array if X is a Dask collection.

        Parameters
        ----------
        X : array, data frame or Dask collection
        """
        return self._apply(X, "predict", 1)

    def _apply(self, X: Any, method: str, ndim: int) -> Any:
        import dask.array as da

        check_is_fitted(self, "coef_")
        apply = getattr(self._fitted, method)
        kind = self.classes_.dtype if method == "predict" else np.dtype(float)
        if hasattr(X, "map_partitions"):
            meta = np.empty((0,) * ndim, dtype=kind)
            return X.map_partitions(_apply_to_frame, apply, meta=meta)
        if hasattr(X, "map_blocks"):
            X = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
            if ndim == 2:
                return da.map_blocks(_apply_to_block, X, apply=apply, chunks=(X.chunks[0], (2,)), dtype=kind)
            return da.map_blocks(_apply_to_block, X, apply=apply, drop_axis=1, dtype=kind)
        return apply(X)


class AUCClassifier(_DaskMixin, linear.AUCClassifier):  # type: ignore[misc]
    """`aucmax.AUCClassifier` for Dask collections: the squared or the logistic loss, in passes on the workers.

    The parameters are those of `aucmax.AUCClassifier`.
    """

    _plain = linear.AUCClassifier


class AUCClassifierCV(_DaskMixin, linear_cv.AUCClassifierCV):  # type: ignore[misc]
    """`aucmax.AUCClassifierCV` for Dask collections: the path and its cross-validation, in passes on the workers.

    The parameters are those of `aucmax.AUCClassifierCV`; `cv` is a number of folds.
    """

    _plain = linear_cv.AUCClassifierCV

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the two classes; a lazy array if X is a Dask collection.

        Parameters
        ----------
        X : array, data frame or Dask collection
        """
        return self._apply(X, "predict_proba", 2)


def _unique(y: Any) -> Any:
    import dask.array as da

    return da.unique(y).compute()


def _apply_to_block(block: np.ndarray, apply: Any) -> np.ndarray:
    return apply(block)


def _apply_to_frame(frame: Any, apply: Any) -> np.ndarray:
    return apply(frame)
