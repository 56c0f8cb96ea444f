"""The work of `aucmax score` and `aucmax evaluate`: a saved model on new rows."""

from __future__ import annotations

import csv
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from aucmax.cli.progress import Report
from aucmax.cli.source import read_weight
from aucmax.metrics import auc_influence, auc_interval, break_even, roc_auc
from aucmax.metrics.delong import auc_limits
from aucmax.models import Model
from aucmax.tables import Table, read, read_chunks, split_target
from aucmax.tables.table import words


def write_scores(
    model: Model, path: Path, out: IO[str], id_column: str | None, report: Report, format: str | None
) -> int:
    """Score a file chunk by chunk as CSV; the number of rows."""
    names = ["score", *(["probability"] if model.calibration else []), "prediction"]
    writer, done = csv.writer(out, lineterminator="\n"), 0
    unknown: Counter[str] = Counter()
    for chunk in read_chunks(path, format=format, **_layout(model)):
        try:
            lines = _lines(model, chunk, id_column)
        except ValueError as error:
            raise ValueError(f"after row {done}: {error}" if done else str(error)) from None
        unknown.update(_unknown(model, chunk))
        if done == 0:  # a file that cannot be scored leaves nothing, not even a header
            writer.writerow(names if id_column is None else [id_column, *names])
        writer.writerows(lines)
        done += len(chunk)
        report(done, None, "rows scored")
    _note_unknown(unknown)
    return done


def _layout(model: Model) -> dict[str, Any]:
    """Width and first index of a matrix, as in training; a model of named columns takes none, and says so itself."""
    if model.columns is not None:
        return {}
    zero_based = model.training.get("zero_based")
    return {"n_features": model.n_features, "zero_based": "auto" if zero_based is None else zero_based}


def _unknown(model: Model, table: Table) -> dict[str, int]:
    return {} if model.columns is None else model.columns.unknown(table)


def _note_unknown(counts: dict[str, int]) -> None:
    for name, count in counts.items():
        warnings.warn(
            f"{count} cells of column {name!r} hold a category that training did not know; write them as there, or "
            "fit again",
            stacklevel=2,
        )


def _lines(model: Model, chunk: Table, id_column: str | None) -> Iterator[tuple]:
    X = model.features(chunk)
    columns = [model.decision_function(X).tolist()]
    if model.calibration is not None:
        columns.append(model.predict_proba(X)[:, 1].tolist())
    columns.append(model.predict(X).tolist())
    if id_column is not None:
        columns.insert(0, words(chunk.column(id_column)).tolist())
    return zip(*columns)


@dataclass(frozen=True)
class Evaluation:
    """How a model ranks and decides on rows with known labels; counts are weights if there are weights.

    Parameters
    ----------
    rows, positives : int
    auc : float
    low, high : float or None
        The 95 % interval of the AUC; None if a class has one row only.
    threshold : float
        The positive label is predicted at scores of at least this; above 0 if the model has none.
    tp, fp, fn, tn : float
        Right and wrong decisions.
    tpr, fpr, precision, f1 : float
        Rates of these; 0 for 0/0.
    break_even : float
        Recall (and precision) when as many rows are called positive as are.
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
        """The same as plain JSON values."""
        return asdict(self)


def evaluate_file(
    model: Model, path: Path, target: str | None, weight_column: str | None, format: str | None
) -> Evaluation:
    """Judge a model on a file with labels; the target column is that of the training if not named."""
    table = read(path, format=format, **_layout(model))
    target = model.training.get("target") if target is None else target
    y, _ = split_target(table, target, labels=model.classes)
    weight = None if weight_column is None else read_weight(table, weight_column)
    X = model.features(table)
    scores = model.decision_function(X)
    _note_unknown(_unknown(model, table))
    called = model.predict(X) == np.array(model.classes)[1]
    auc, low, high = _interval(y, scores, weight)
    return Evaluation(
        rows=len(y),
        positives=int(y.sum()),
        auc=auc,
        low=low,
        high=high,
        threshold=model.threshold or 0.0,
        break_even=break_even(y, scores, sample_weight=weight),
        **_decisions(y > 0, called, np.ones(len(y)) if weight is None else weight),
    )


def _interval(
    y: np.ndarray, scores: np.ndarray, weight: np.ndarray | None
) -> tuple[float, float | None, float | None]:
    auc = roc_auc(y, scores, sample_weight=weight)
    n_rare = int(np.bincount(y if weight is None else y[weight > 0], minlength=2).min())
    if n_rare < 2:
        return auc, None, None
    if weight is None:
        return auc_interval(y, scores)[:3]
    std_error = float(np.linalg.norm(auc_influence(y > 0, scores, sample_weight=weight)))
    return auc, *auc_limits(auc, std_error, n_rare)


def _decisions(actual: np.ndarray, called: np.ndarray, weight: np.ndarray) -> dict[str, float]:
    """Counts and rates."""
    cells = (actual & called, ~actual & called, actual & ~called, ~actual & ~called)
    tp, fp, fn, tn = (float(weight[rows].sum()) for rows in cells)
    rates = {
        "tpr": tp / (tp + fn),
        "fpr": fp / (fp + tn),
        "precision": tp / (tp + fp) if tp + fp > 0 else 0.0,
        "f1": 2 * tp / (2 * tp + fp + fn),
    }
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn, **rates}
