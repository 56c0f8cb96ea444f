"""The work of `aucmax fit --memory`: a fit to files that need not fit in memory, in passes over them."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

from aucmax.cli.fit_facts import MODEL_FACTS, attained_threshold, fit_facts
from aucmax.cli.fit_settings import FitSettings
from aucmax.cli.progress import ProgressCallback
from aucmax.cli.training_data import ColumnOptions
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.models import ModelMetadata, SavedModel
from aucmax.models.scorer import scorer_of
from aucmax.scale import PassProgress, Source
from aucmax.scale.first_pass import ColumnUse
from aucmax.scale.fit import fit_model
from aucmax.scale.fit_checkpoint import FitCheckpoint
from aucmax.scale.folds import fold_seed
from aucmax.scale.linear_fits import WIDEST
from aucmax.scale.passes import Passes
from aucmax.tables import TableEncoder


@dataclass(frozen=True, eq=False)
class PassFitReport:
    """A fitted model, and what the passes found."""

    data: str
    model: SavedModel
    passes: Passes

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        reader = self.passes.reader
        training = self.model.metadata.training
        names = ("rows", "positives", *MODEL_FACTS, "auc", "auc_low", "auc_high")
        return {
            "data": self.data,
            "features": reader.n_features,
            "negative": reader.classes[0],
            "positive": reader.classes[1],
            "passes": self.passes.count,
            "left_out": {} if (encoder := self.model.metadata.encoder) is None else dict(encoder.left_out_),
            "threshold": self.model.metadata.threshold,
            "kind": self.model.kind,
            **{name: training[name] for name in names if name in training},
        }


def is_glob(data: Path) -> bool:
    """Whether a name stands for several files.

    Examples
    --------
    >>> is_glob(Path("events/*.parquet")), is_glob(Path("events.parquet"))
    (True, False)
    """
    return glob.has_magic(str(data)) and not data.exists()


class PassLimits(NamedTuple):
    """What the passes may use, and where they keep their sums."""

    memory: str | None
    checkpoint: Path | None


def fit_in_passes(
    data: str,
    columns: ColumnOptions,
    reading: dict[str, Any],
    settings: FitSettings,
    limits: PassLimits,
    update: ProgressCallback,
) -> PassFitReport:
    """Fit without holding the rows in memory."""
    estimator = _estimator(settings, columns)

    def progress(step: PassProgress) -> None:
        update(step.rows, step.total, str(step))

    use = ColumnUse(
        columns.target,
        columns.weight,
        pos_label=columns.positive,
        keep=columns.keep,
        drop=columns.drop,
        decimal=columns.decimal,
    )
    source = Source.of(data, **reading)
    passes = Passes.start(
        source,
        use,
        fold_seed(settings.seed),
        memory=limits.memory,
        progress=progress,
        checkpoint=None if limits.checkpoint is None else FitCheckpoint(limits.checkpoint),
        settings=repr(sorted(estimator.get_params().items())),
    )
    tuned = isinstance(estimator, AUCClassifierCV)
    if tuned and passes.reader.n_features > WIDEST:
        estimator = _without_tuning(settings, passes.reader.n_features)
    fit_model(estimator, passes)
    return PassFitReport(data, _saved_model(estimator, passes, columns, settings), passes)


def _estimator(settings: FitSettings, columns: ColumnOptions) -> Any:
    """The estimator that the options describe; refuses those that passes do not support."""
    unsupported = {
        "--stack": settings.stack,
        "--time": columns.time is not None,
        "--decision": settings.decision != "prior",
        "--threshold-at with --solver": settings.threshold_at is not None and settings.solver is not None,
    }
    for name, given in unsupported.items():
        if given:
            raise click.UsageError(f"{name} cannot be used with --memory or several files; fit to one file without")
    return settings.estimator()


def _without_tuning(settings: FitSettings, n_features: int) -> AUCClassifier:
    """The estimator for tables so wide that passes cannot cross-validate them; refuses what depends on that."""
    if settings.threshold_at is not None or not {"auto", "squared"} & set(settings.loss):
        raise ValueError(
            f"{n_features} features are too many to cross-validate in passes; use the squared loss, without "
            "--threshold-at"
        )
    alpha = "auto" if settings.alpha is None else settings.alpha
    return AUCClassifier(alpha, settings.l1_ratio, decision=settings.decision, random_state=settings.seed)


def _saved_model(model: Any, passes: Passes, columns: ColumnOptions, settings: FitSettings) -> SavedModel:
    reader = passes.reader
    interval = getattr(model, "oof_interval_", None)
    auc, low, high = (None, None, None) if interval is None else map(float, interval[:3])
    rate = settings.threshold_at
    metadata = ModelMetadata(
        reader.classes,
        encoder=reader.encoder if isinstance(reader.encoder, TableEncoder) else None,
        threshold=None if rate is None else attained_threshold(model.threshold_at(**rate), rate),
        calibration=getattr(model, "calibration_", None),
        training=fit_facts(_row_facts(passes, columns), model, settings, settings.cv, (auc, low, high)),
    )
    return SavedModel(metadata, scorer_of(model))


def _row_facts(passes: Passes, columns: ColumnOptions) -> dict[str, Any]:
    """Names of the columns, number of rows and of positive ones."""
    reader = passes.reader
    facts = {
        "target": columns.target,
        "weight": columns.weight,
        "zero_based": passes.summary.zero_based if reader.encoder is None else None,
        "rows": passes.summary.n_rows,
        "positives": passes.n_positive,
    }
    return facts | ({"rest": list(reader.rest)} if reader.rest else {})
