"""The work of `aucmax evaluate`: a saved model on rows with known labels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aucmax.cli.groups import read_groups
from aucmax.cli.score import count_new_rows, matrix_layout
from aucmax.comparison import Comparison
from aucmax.comparison.checks import with_groups_checked
from aucmax.comparison.evaluated import evaluated_model
from aucmax.metrics import break_even
from aucmax.metrics.delong import weighted_auc_interval
from aucmax.models import SavedModel
from aucmax.tables import NewRows, Table, encode_target, read
from aucmax.tables.likely_target import likely_target
from aucmax.tables.weights import read_weights


@dataclass(frozen=True)
class Evaluation:
    """AUC and confusion matrix of a model; counts are sums of weights if there are weights.

    Parameters
    ----------
    rows, positives : int
        Number of rows, and of positive rows.
    auc : float
        Area under the ROC curve.
    low, high : float or None
        The 95 % confidence interval of the AUC; None if a class has a single row.
    threshold : float
        The positive class is predicted at scores of at least this; above 0 if the model has none.
    tp, fp, fn, tn : float
        The confusion matrix.
    tpr, fpr, precision, f1 : float
        Rates at the threshold; 0 for 0/0.
    break_even : float
        Recall (and precision) when as many rows are predicted positive as are.
    """

    rows: int
    positives: int
    auc: float
    low: float | None
    high: float | None
    threshold: float
    tp: float
    fp: float
    fn: float
    tn: float
    tpr: float
    fpr: float
    precision: float
    f1: float
    break_even: float

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as JSON values."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows with known labels, scored by a model.

    Parameters
    ----------
    model : SavedModel
    X : array or CSR
        The features.
    is_pos : array of bool
        Which rows are positive.
    scores : array
        Of the rows, by the model.
    new : NewRows
        Whether they resemble the rows of training.
    weight : array or None
        The weights of the rows.
    groups : array of str or None
        The group of each row.
    """

    model: SavedModel
    X: Any
    is_pos: np.ndarray
    scores: np.ndarray
    new: NewRows
    weight: np.ndarray | None
    groups: np.ndarray | None


class LabelColumns(NamedTuple):
    """The columns that hold the labels, weights and groups of the rows of a file."""

    target: str | None = None  # labels; those of training if not named
    weight: str | None = None
    group: str | None = None


def score_labeled_rows(model: SavedModel, path: Path, columns: LabelColumns, reading: dict[str, Any]) -> ScoredRows:
    """Score a file with labels, and see whether its rows resemble those of training.

    `reading` are the options of `read`.
    """
    table = read(path, **reading, **matrix_layout(model))
    y = read_labels(model, table, columns.target)
    weight = None if columns.weight is None else read_weights(table, columns.weight)
    groups = None if columns.group is None else read_groups(table, columns.group)
    X = model.features(table)
    scores = model.decision_function(X)
    new = count_new_rows(model)
    new.add(table, X)
    return ScoredRows(model, X, y > 0, scores, new, weight, groups)


def evaluate_rows(rows: ScoredRows) -> Evaluation:
    """AUC and confusion matrix on scored rows."""
    metadata = rows.model.metadata
    y = rows.is_pos.astype(int)
    predicted = rows.model.predict(rows.X) == np.array(metadata.classes)[1]
    auc, low, high = _auc_with_interval(y, rows.scores, rows.weight)
    return Evaluation(
        rows=len(y),
        positives=int(y.sum()),
        auc=auc,
        low=low,
        high=high,
        threshold=metadata.threshold or 0.0,
        break_even=break_even(y, rows.scores, sample_weight=rows.weight),
        **_confusion(rows.is_pos, predicted, np.ones(len(y)) if rows.weight is None else rows.weight),
    )


def evaluated_comparison(rows: ScoredRows, ignore: Collection[str] = ()) -> Comparison:
    """The model as a comparison of one, with a finding for every group that it ranks worse than the others."""
    metadata = rows.model.metadata
    comparison = evaluated_model(
        f"{rows.model.kind} model",
        rows.is_pos,
        rows.scores,
        probabilities=None if metadata.calibration is None else rows.model.predict_proba(rows.X)[:, 1],
        sample_weight=rows.weight,
    )
    if rows.groups is None or "AUC209" in ignore:
        return comparison
    return with_groups_checked(comparison, rows.groups)


def read_labels(model: SavedModel, table: Table, target: str | None) -> np.ndarray:
    """The labels as 0 and 1."""
    metadata = model.metadata
    rest = metadata.training.get("rest") or ()
    return encode_target(table, find_target(model, table, target), classes=metadata.classes, rest=rest)[0]


def find_target(model: SavedModel, table: Table, target: str | None) -> str | None:
    """The column of labels, that of training if not given; if it is not there, the likely one is named."""
    metadata = model.metadata
    rest = metadata.training.get("rest") or ()
    of_training = metadata.training.get("target")
    if table.X is None and target is None and of_training not in table.names:
        features = [] if metadata.encoder is None else [column.name for column in metadata.encoder.columns_]
        likely = likely_target(table, [*metadata.classes, *rest], not_among=features)
        trained = "" if of_training is None else f"; that of training, {of_training!r}, is not there"
        hint = f"the columns are {list(table.names[:20])}" if likely is None else f"likely it is {likely!r}"
        raise ValueError(f"name the column of labels with --target{trained}; {hint}")
    return of_training if target is None else target


def _auc_with_interval(
    y: np.ndarray, scores: np.ndarray, weight: np.ndarray | None
) -> tuple[float, float | None, float | None]:
    auc, low, high, _ = weighted_auc_interval(y > 0, scores, weight)
    return (auc, None, None) if np.isnan(low) else (auc, low, high)


def _confusion(actual: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> dict[str, float]:
    """The confusion matrix and its rates."""
    cells = (actual & predicted, ~actual & predicted, actual & ~predicted, ~actual & ~predicted)
    return confusion_rates(*(float(weight[rows].sum()) for rows in cells))


def confusion_rates(tp: float, fp: float, fn: float, tn: float) -> dict[str, float]:
    """The cells of a confusion matrix with the rates that follow."""
    rates = {
        "tpr": tp / (tp + fn),
        "fpr": fp / (fp + tn),
        "precision": tp / (tp + fp) if tp + fp > 0 else 0.0,
        "f1": 2 * tp / (2 * tp + fp + fn),
    }
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn, **rates}
