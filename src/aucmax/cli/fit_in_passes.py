"""The work of `aucmax fit --memory`: a fit to files that need not fit in memory, in passes over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import click
import numpy as np
from sklearn.base import clone

from aucmax.cli.fit_facts import MODEL_FACTS, attained_threshold, fit_facts
from aucmax.cli.fit_settings import FitSettings
from aucmax.cli.training_data import ColumnOptions
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.metrics import threshold_for
from aucmax.metrics.delong import Interval, weighted_auc_interval
from aucmax.models import ModelMetadata, SavedModel
from aucmax.models.scorer import scorer_of
from aucmax.scale import Source
from aucmax.scale.columns import ColumnUse
from aucmax.scale.fit import fit_rows
from aucmax.scale.progress import Progress
from aucmax.scale.rows import SourceRows, read_rows
from aucmax.selection.splits import make_splits
from aucmax.solvers.registry import IN_PASSES
from aucmax.tables import TableEncoder
from aucmax.validation.inputs import BinaryLabels

WIDEST = 3000  # features, up to which a linear model is cross-validated: the scatter matrix of each fold is in memory


@dataclass(frozen=True, eq=False)
class PassFitReport:
    """A fitted model, and the rows it was fitted to."""

    data: str
    model: SavedModel
    rows: SourceRows

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        metadata = self.model.metadata
        names = ("rows", "positives", *MODEL_FACTS, "auc", "auc_low", "auc_high")
        return {
            "data": self.data,
            "features": self.rows.X.shape[1],
            "negative": metadata.classes[0],
            "positive": metadata.classes[1],
            "passes": self.rows.log.count,
            "left_out": {} if metadata.encoder is None else dict(metadata.encoder.left_out_),
            "threshold": metadata.threshold,
            "kind": self.model.kind,
            **{name: metadata.training[name] for name in names if name in metadata.training},
        }


def fit_in_passes(
    data: str,
    columns: ColumnOptions,
    reading: dict[str, Any],
    settings: FitSettings,
    memory: str | None,
    progress: Progress,
) -> PassFitReport:
    """Fit without holding the rows in memory."""
    _check_settings(settings, columns)
    use = ColumnUse(
        columns.target,
        columns.weight,
        pos_label=columns.positive,
        keep=columns.keep,
        drop=columns.drop,
        decimal=columns.decimal,
    )
    rows = read_rows(Source.of(data, **reading), use, memory=memory, progress=progress)
    model = settings.estimator()
    if isinstance(model, AUCClassifierCV) and rows.X.shape[1] > WIDEST:
        model = _without_tuning(settings, rows.X.shape[1])
    fit_rows(model, rows)
    return PassFitReport(data, _saved_model(model, rows, columns, settings), rows)


def _check_settings(settings: FitSettings, columns: ColumnOptions) -> None:
    """Refuse models that need all rows in memory."""
    unsupported = {"--stack": settings.stack, "--time": columns.time is not None}
    for name, given in unsupported.items():
        if given:
            raise click.UsageError(f"{name} cannot be used with --memory or several files; fit to one file without")
    if settings.solver is not None and settings.solver not in IN_PASSES:
        raise click.UsageError(
            f"--solver {settings.solver} visits single rows, which files read in passes do not give; choose one of "
            f"{list(IN_PASSES)}, or fit to one file without --memory"
        )


def _without_tuning(settings: FitSettings, n_features: int) -> AUCClassifier:
    """The estimator for tables that are too wide to cross-validate."""
    if len(settings.loss) > 1:
        raise ValueError(f"{n_features} features are too many to compare losses in passes; give a single --loss")
    if settings.decision == "probability":
        raise ValueError(
            f"{n_features} features are too many to cross-validate in passes, which --decision probability needs; "
            "use prior or balanced"
        )
    loss = "squared" if settings.loss[0] == "auto" else settings.loss[0]
    alpha = "auto" if settings.alpha is None else settings.alpha
    return AUCClassifier(alpha, settings.l1_ratio, loss, decision=settings.decision, random_state=settings.seed)


class _OutOfFold(NamedTuple):
    """What scores of rows by models that have not seen them tell."""

    interval: Interval | None  # of their AUC
    threshold: float | None  # that meets the rate, if the user gave one


def _out_of_fold(model: Any, rows: SourceRows, settings: FitSettings) -> _OutOfFold:
    """From out-of-fold scores: those of the estimator or, if a threshold needs them, those of a fit for each fold."""
    rate = settings.threshold_at
    if hasattr(model, "oof_interval_"):
        threshold = None if rate is None else attained_threshold(model.threshold_at(**rate), rate)
        return _OutOfFold(model.oof_interval_, threshold)
    if rate is None:
        return _OutOfFold(None, None)
    is_pos = rows.labels.is_pos
    scores, weight = _scores_of_folds(model, rows, settings)
    seen = ~np.isnan(scores)  # rows of weight 0 are in no fold
    given = None if rows.weight is None else weight[seen]
    threshold = threshold_for(is_pos[seen], scores[seen], sample_weight=given, **rate)
    return _OutOfFold(weighted_auc_interval(is_pos[seen], scores[seen], given), attained_threshold(threshold, rate))


def _scores_of_folds(model: Any, rows: SourceRows, settings: FitSettings) -> tuple[np.ndarray, np.ndarray]:
    """The score of each row by a model fitted to the other folds, and the weights of the rows."""
    classes, is_pos = rows.labels
    weight = np.ones(is_pos.size) if rows.weight is None else rows.weight
    y = np.where(is_pos, 1.0, -1.0)
    scores = np.full(y.size, np.nan)
    rng = np.random.default_rng(settings.seed)  # as in `compare`, so that a fit in memory has the same folds
    for train, test in make_splits(settings.cv, rows.X, y, weight, None, rng):
        fold_model = clone(model).fit(rows.X[train], BinaryLabels(classes, is_pos[train]), weight[train])
        scores[test] = fold_model.decision_function(rows.X[test])
    return scores, weight


def _saved_model(model: Any, rows: SourceRows, columns: ColumnOptions, settings: FitSettings) -> SavedModel:
    out_of_fold = _out_of_fold(model, rows, settings)
    auc, low, high = (None, None, None) if out_of_fold.interval is None else map(_json, out_of_fold.interval[:3])
    metadata = ModelMetadata(
        rows.labels.classes,
        encoder=rows.encoder if isinstance(rows.encoder, TableEncoder) else None,
        threshold=out_of_fold.threshold,
        calibration=getattr(model, "calibration_", None),
        training=fit_facts(_row_facts(rows, columns), model, settings, settings.cv, (auc, low, high)),
    )
    return SavedModel(metadata, scorer_of(model))


def _json(number: float) -> float | None:
    """The number; None for NaN, which JSON does not have."""
    return None if np.isnan(number) else float(number)


def _row_facts(rows: SourceRows, columns: ColumnOptions) -> dict[str, Any]:
    """Names of the columns, number of rows and of positive ones."""
    facts = {
        "target": columns.target,
        "weight": columns.weight,
        "zero_based": rows.zero_based if rows.encoder is None else None,
        "rows": rows.labels.is_pos.size,
        "positives": int(rows.labels.is_pos.sum()),
    }
    return facts | ({"rest": list(rows.rest)} if rows.rest else {})
