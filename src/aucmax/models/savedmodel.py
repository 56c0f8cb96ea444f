"""`SavedModel`: a fitted model without its estimator, with everything that scoring needs.

Scoring imports no more than the model needs: NumPy and pyarrow for a linear model of a table. What else a method
needs it imports itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aucmax.estimators.decision import predicted_labels
from aucmax.estimators.platt_scaling import Calibration
from aucmax.estimators.thresholds import ThresholdMixin
from aucmax.models.metadata import ModelMetadata
from aucmax.models.scorer import Scorer, probabilities_of, scorer_from_dict, scorer_to_dict, weights_of
from aucmax.numerics.sparse_structure import check_structure
from aucmax.tables.as_table import has_names
from aucmax.tables.json_schema import check_schema
from aucmax.tables.row_error import RowError
from aucmax.tables.table import Table

if TYPE_CHECKING:
    from aucmax.explanation import Explanation


@dataclass(frozen=True, eq=False, repr=False)
class SavedModel(ThresholdMixin):
    """A score of the features, and how to get from a table to it and from it to a label.

    Parameters
    ----------
    metadata : ModelMetadata
        Classes, encoder, feature names, threshold, calibration, and facts about the fit.
    scorer : Scorer
        From features to scores: a `LinearScorer`, `KernelScorer`, ...

    Examples
    --------
    >>> from aucmax.models import Calibration, LinearScorer
    >>> metadata = ModelMetadata(("no", "yes"), calibration=Calibration(2.0, 0.0))
    >>> model = SavedModel(metadata, LinearScorer([1.0, -1.0], 0.5))
    >>> X = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> model.decision_function(X)
    array([ 1.5, -1.5])
    >>> model.predict(X).tolist()
    ['yes', 'no']
    >>> model.predict_proba(X).round(3)
    array([[0.047, 0.953],
           [0.953, 0.047]])
    """

    metadata: ModelMetadata
    scorer: Scorer

    def __post_init__(self) -> None:
        self.metadata.check_width(self.n_features)

    def __repr__(self) -> str:
        negative, positive = self.metadata.classes
        facts = [f"{type(self.scorer).__name__} of {self.n_features} features", f"{positive!r} above {negative!r}"]
        auc = self.metadata.training.get("auc")
        facts += [] if auc is None else [f"cross-validated AUC {auc:.4f}"]
        return f"<SavedModel: {', '.join(facts)}>"

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.scorer.n_features

    @property
    def kind(self) -> str:
        """The kind of model: "linear", "kernel", "tree", "stack", ...; standardised features do not change it."""
        from aucmax.models.scaled_scorer import ScaledScorer

        scorer = self.scorer
        while isinstance(scorer, ScaledScorer):
            scorer = scorer.scorer
        return scorer.kind

    @property
    def zero_based(self) -> bool | str:
        """Whether the indices of libsvm files start at 0, as in training; "auto" if that is not known."""
        known = self.metadata.training.get("zero_based")
        return "auto" if known is None else known

    def features(self, table: Table) -> Any:
        """The features of a table, encoded as in training.

        Parameters
        ----------
        table : array, data frame or Table
            Rows with the columns of training.
        """
        encoder = self.metadata.encoder
        return table.matrix(self.n_features) if encoder is None else encoder.transform(table)

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of every row of X; larger means more likely positive.

        Columns are found by name if both X and the model have names, else by position. A model with an encoder
        encodes data frames and tables of `aucmax.tables.read`; an array holds features that are encoded already.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            scores = self.scorer(self._features_of(X))
        finite = np.isfinite(scores)
        if not finite.all():
            row = int(finite.argmin()) + 1
            raise RowError("the score of", row, " is not finite; are there NaN, infinite or huge values in it?")
        return scores

    def _features_of(self, X: Any) -> Any:
        """The features of rows in any form."""
        if isinstance(X, Table):
            return self.features(X)
        if self.metadata.encoder is not None and has_names(X):
            return self.metadata.encoder.transform(X)
        return self._validate_features(X)

    def _validate_features(self, X: Any) -> Any:
        """X as dense or CSR rows of numbers, with the columns of the model."""
        if type(X) is np.ndarray and X.shape[1:] == (self.n_features,) and X.dtype in (np.float64, np.float32):
            return X  # skips checks that would take most of the time of scoring a single row
        from sklearn.base import BaseEstimator
        from sklearn.utils.validation import validate_data

        frame = BaseEstimator()  # validation stores the column names of any kind of data frame on an estimator
        settings = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_min_samples": 0}
        X = validate_data(frame, check_structure(X), ensure_all_finite=False, **settings)
        names = getattr(frame, "feature_names_in_", None)
        if names is not None and self.metadata.feature_names is not None:
            X = X[:, self._find_columns(names)]
        if X.shape[1] != self.n_features:
            raise ValueError(f"X has {X.shape[1]} columns, the model has {self.n_features}")
        return X

    def _find_columns(self, names: np.ndarray) -> list[int]:
        """Where the features of the model are among the named columns."""
        wanted = self.metadata.feature_names or ()
        position = {name: j for j, name in enumerate(names)}
        absent = [name for name in wanted if name not in position]
        if absent:
            raise ValueError(f"X lacks the columns {absent[:20]}; it has {list(position)[:20]}")
        return [position[name] for name in wanted]

    def predict(self, X: Any) -> np.ndarray:
        """The predicted class of every row of X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        scores = self.decision_function(X)
        return predicted_labels(scores, self.classes_, self.metadata.threshold)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the negative and the positive class; only calibrated models and trees have them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        if (own := probabilities_of(self.scorer, self._features_of(X))) is not None:
            return own
        return self._calibration().probabilities(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`, without underflow.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        if (own := probabilities_of(self.scorer, self._features_of(X))) is not None:
            return np.log(own)
        return self._calibration().log_probabilities(self.decision_function(X))

    def _held_out_scores(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Held-out scores of training rows, their classes -1/+1 and their weights."""
        held_out = self.metadata.held_out_scores
        if held_out is None:
            raise ValueError(
                "the model has no held-out scores, which thresholds need; save the estimator with them (the default "
                "of aucmax.save), or give --threshold-at to aucmax fit"
            )
        return held_out.scores, held_out.y, held_out.weight

    def explain(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, n_repeats: int = 10, random_state: int = 0
    ) -> Explanation:
        """Which columns matter to the model, and what each adds to the score of a row, as in `AUCClassifier`.

        The features of a one-hot encoded column are taken together.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : array of labels, optional
            Needed unless the model is linear.
        sample_weight : array, optional
        n_repeats : int
            How often each column is shuffled, in models that are not linear.
        random_state : int
            Random seed.
        """
        from aucmax.explanation import FeatureModel, LinearFit, explain_features
        from aucmax.validation.inputs import check_labels_and_weights

        rows = self._features_of(X)
        names = self.metadata.feature_names or [f"x{j}" for j in range(self.n_features)]
        weights = weights_of(self.scorer)
        fit = None if weights is None else LinearFit.of(*weights, self.metadata.training)
        model = FeatureModel(self.scorer, self._features_of, self._columns(names), names, fit)
        y, weight = check_labels_and_weights(y, sample_weight, self.classes_, rows.shape[0])
        return explain_features(model, rows, y, weight, n_repeats=n_repeats, seed=random_state)

    def _columns(self, names: Sequence[str]) -> dict[str, list[int]]:
        """The features of every column."""
        encoder = self.metadata.encoder
        if encoder is None:
            return {name: [j] for j, name in enumerate(names)}
        sizes = [len(column.feature_names) for column in encoder.columns_]
        ends = np.cumsum(sizes).tolist()
        return {column.name: list(range(end - size, end)) for column, size, end in zip(encoder.columns_, sizes, ends)}

    @property
    def is_linear(self) -> bool:
        """Whether the score is linear in the features."""
        return weights_of(self.scorer) is not None

    @property
    def classes_(self) -> np.ndarray:
        """The negative and the positive label."""
        return np.array(self.metadata.classes)

    def _calibration(self) -> Calibration:
        if self.metadata.calibration is None:
            raise ValueError("the model is not calibrated: it has scores, but no probabilities")
        return self.metadata.calibration

    def to_dict(self) -> dict[str, Any]:
        """The model as JSON values."""
        return {"metadata": self.metadata.to_dict(), "scorer": scorer_to_dict(self.scorer)}

    @classmethod
    def from_dict(cls, content: Any) -> SavedModel:
        """The model that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned.
        """
        check_schema(content, {"metadata": (dict,), "scorer": (dict,)}, "the model")
        return cls(ModelMetadata.from_dict(content["metadata"]), scorer_from_dict(content["scorer"]))
