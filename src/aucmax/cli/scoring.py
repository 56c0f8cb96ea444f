"""The work of `aucmax score` and `aucmax evaluate`: a saved model on new rows."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from aucmax.cli.progress import Report
from aucmax.cli.source import read_weight
from aucmax.files import Table, read, read_chunks, split_target
from aucmax.files.table import words
from aucmax.metrics import auc_influence, auc_interval, auc_limits, break_even, roc_auc
from aucmax.models import Model


def write_scores(model: Model, path: Path, out: IO[str], id_column: str | None, report: Report) -> int:
    """Score a file chunk by chunk as CSV; the number of rows."""
    names = ["score", *(["probability"] if model.calibration else []), "prediction"]
    writer, done = csv.writer(out, lineterminator="\n"), 0
    for chunk in read_chunks(path, n_features=_width(model)):
        lines = _lines(model, chunk, id_column, done)
        if done == 0:  # a file that cannot be scored leaves nothing, not even a header
            writer.writerow(names if id_column is None else [id_column, *names])
        writer.writerows(lines)
        done += len(chunk)
        report(done, None, "rows scored")
    return done


def _width(model: Model) -> int | None:
    """The columns of a matrix; a model of named columns takes none, and says so itself."""
    return model.n_features if model.columns is None else None


def finite_scores(model: Model, X: Any, before: int = 0) -> np.ndarray:
    """The scores of the rows; one that is not finite is an error."""
    scores = model.decision_function(X)
    finite = np.isfinite(scores)
    if not finite.all():
        row = before + int(finite.argmin()) + 1
        raise ValueError(f"the score of row {row} is not finite; are there NaN, infinite or huge values in it?")
    return scores


def _lines(model: Model, chunk: Table, id_column: str | None, before: int) -> Iterator[tuple]:
    X = model.features(chunk)
    columns = [finite_scores(model, X, before).tolist()]
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
    auc, low, high : float
        AUC with its 95 % interval.
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
    low: float
    high: float
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


def evaluate_file(model: Model, path: Path, target: str | None, weight_column: str | None) -> Evaluation:
    """Judge a model on a file with labels; the target column is that of the training if not named."""
    table = read(path, n_features=_width(model))
    target = model.training.get("target") if target is None else target
    y, _ = split_target(table, target, labels=model.classes)
    weight = None if weight_column is None else read_weight(table, weight_column)
    X = model.features(table)
    scores = finite_scores(model, X)
    called = model.predict(X) == np.array(model.classes)[1]
    auc, low, high = _interval(y, scores, weight)
    return Evaluation(
        rows=len(y),
        positives=int(y.sum()),
        auc=auc,
        low=low,
        high=high,
        threshold=model.threshold or 0.0,
        break_even=break_even(y, scores, weight),
        **_decisions(y > 0, called, np.ones(len(y)) if weight is None else weight),
    )


def _interval(y: np.ndarray, scores: np.ndarray, weight: np.ndarray | None) -> tuple[float, float, float]:
    if weight is None:
        return auc_interval(y, scores)[:3]
    auc = roc_auc(y, scores, weight)
    std_error = float(np.linalg.norm(auc_influence(y > 0, scores, weight)))
    return auc, *auc_limits(auc, std_error, int(np.bincount(y[weight > 0], minlength=2).min()))


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
