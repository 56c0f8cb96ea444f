"""The work of `aucmax evaluate`: a saved model on rows with known labels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.cli.score import count_new_rows, matrix_layout
from aucmax.cli.training_data import read_weights
from aucmax.metrics import auc_influence, auc_interval, break_even, roc_auc
from aucmax.metrics.delong import auc_limits
from aucmax.models import SavedModel
from aucmax.tables import NewRows, Table, encode_target, read
from aucmax.tables.likely_target import likely_target


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


def evaluate_file(
    model: SavedModel, path: Path, target: str | None, weight_column: str | None, reading: dict[str, Any]
) -> tuple[Evaluation, NewRows]:
    """Evaluate a model on a file with labels, and see whether its rows resemble those of training.

    The target column is that of training if not named. `reading` are the options of `read`.
    """
    metadata = model.metadata
    table = read(path, **reading, **matrix_layout(model))
    y = read_labels(model, table, target)
    weight = None if weight_column is None else read_weights(table, weight_column)
    X = model.features(table)
    scores = model.decision_function(X)
    rows = count_new_rows(model)
    rows.add(table, X)
    predicted = model.predict(X) == np.array(metadata.classes)[1]
    auc, low, high = _auc_with_interval(y, scores, weight)
    evaluation = Evaluation(
        rows=len(y),
        positives=int(y.sum()),
        auc=auc,
        low=low,
        high=high,
        threshold=metadata.threshold or 0.0,
        break_even=break_even(y, scores, sample_weight=weight),
        **_confusion(y > 0, predicted, np.ones(len(y)) if weight is None else weight),
    )
    return evaluation, rows


def read_labels(model: SavedModel, table: Table, target: str | None) -> np.ndarray:
    """The labels as 0 and 1; if it is not clear which column holds them, the likely one is named."""
    metadata = model.metadata
    rest = metadata.training.get("rest") or ()
    of_training = metadata.training.get("target")
    if table.X is None and target is None and of_training not in table.names:
        features = [] if metadata.encoder is None else [column.name for column in metadata.encoder.columns_]
        likely = likely_target(table, [*metadata.classes, *rest], not_among=features)
        trained = "" if of_training is None else f"; that of training, {of_training!r}, is not there"
        hint = f"the columns are {list(table.names[:20])}" if likely is None else f"likely it is {likely!r}"
        raise ValueError(f"name the column of labels with --target{trained}; {hint}")
    target = of_training if target is None else target
    return encode_target(table, target, classes=metadata.classes, rest=rest)[0]


def _auc_with_interval(
    y: np.ndarray, scores: np.ndarray, weight: np.ndarray | None
) -> tuple[float, float | None, float | None]:
    auc = roc_auc(y, scores, sample_weight=weight)
    n_rare = int(np.bincount(y if weight is None else y[weight > 0], minlength=2).min())
    if n_rare < 2:
        return auc, None, None
    if weight is None:
        return auc_interval(y, scores)[:3]
    std_error = float(np.linalg.norm(auc_influence(y, scores, sample_weight=weight)))
    return auc, *auc_limits(auc, std_error, n_rare)


def _confusion(actual: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> dict[str, float]:
    """The confusion matrix and its rates."""
    cells = (actual & predicted, ~actual & predicted, actual & ~predicted, ~actual & ~predicted)
    tp, fp, fn, tn = (float(weight[rows].sum()) for rows in cells)
    rates = {
        "tpr": tp / (tp + fn),
        "fpr": fp / (fp + tn),
        "precision": tp / (tp + fp) if tp + fp > 0 else 0.0,
        "f1": 2 * tp / (2 * tp + fp + fn),
    }
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn, **rates}
