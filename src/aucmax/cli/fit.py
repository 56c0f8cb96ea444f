"""The work of `aucmax fit`: cross-validate a model beside a logistic regression, fit it to all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.cli.fit_facts import MODEL_FACTS, attained_threshold, fit_facts
from aucmax.cli.fit_settings import FitSettings
from aucmax.cli.training_data import TrainingData
from aucmax.comparison import Comparison, Progress, compare
from aucmax.metrics import threshold_for
from aucmax.models import ModelMetadata, SavedModel
from aucmax.models.scorer import scorer_of


@dataclass(frozen=True, eq=False)
class FitReport:
    """A fitted model, the rows it was fitted to, its cross-validated AUC, and the options of the command."""

    data: TrainingData
    model: SavedModel
    comparison: Comparison
    settings: FitSettings

    @property
    def verdict(self) -> str | None:
        """How the model compares with the logistic regression; None if it was not compared."""
        return self.comparison["aucmax"].verdict if len(self.comparison.rows) > 1 else None

    @property
    def next_steps(self) -> str | None:
        """What to try after a verdict of "worse"; None otherwise."""
        if self.verdict != "worse":
            return None
        steps = []
        if self.settings.solver is not None:
            steps.append("no --solver, so that alpha is tuned")
        linear = self.settings.kernel is None and not self.settings.stack
        if linear and len(self.settings.loss) == 1 and self.settings.loss[0] != "auto":
            steps.append("--loss auto, to choose among losses")
        if linear:
            steps.append("--kernel auto or --stack, nonlinear models")
        return "try " + ", or ".join(steps) if steps else "the logistic regression is the better model here"

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        training = self.model.metadata.training
        return {
            **self.data.to_dict(),
            "kind": self.model.kind,
            **{name: training[name] for name in MODEL_FACTS if name in training},
            "threshold": self.model.metadata.threshold,
            "verdict": self.verdict,
            "next_steps": self.next_steps,
            "out_of_fold": self.comparison.to_dict() | {"summary": self.comparison.sentence("aucmax")},
        }


def fit_model(data: TrainingData, settings: FitSettings, progress: Progress) -> FitReport:
    """Cross-validate, then fit to all rows, tuned on the same folds if they are by time."""
    folds = data.folds(settings.cv)
    comparison = compare(
        data.X,
        data.y,
        settings.models(),
        cv=folds,
        sample_weight=data.weight,
        random_state=settings.seed,
        progress=progress,
    )
    fitted = settings.estimator(folds).fit(data.X, data.y, sample_weight=data.weight)
    return FitReport(data, _saved_model(data, settings, fitted, comparison), comparison, settings)


def _saved_model(data: TrainingData, settings: FitSettings, fitted: Any, comparison: Comparison) -> SavedModel:
    row = comparison["aucmax"]
    rows = {**data.facts, "rows": len(data.y), "positives": int(data.y.sum())}
    threshold = None
    if settings.threshold_at is not None:
        threshold = _threshold(fitted, data, comparison.scores["aucmax"], settings.threshold_at)
    metadata = ModelMetadata(
        data.classes,
        encoder=data.encoder,
        threshold=threshold,
        calibration=getattr(fitted, "calibration_", None),  # only estimators that cross-validate are calibrated
        training=fit_facts(rows, fitted, settings, comparison.n_folds, (row.auc, row.low, row.high)),
    )
    return SavedModel(metadata, scorer_of(fitted))


def _threshold(fitted: Any, data: TrainingData, scores: np.ndarray, rate: dict[str, float]) -> float:
    """The threshold that meets the rate on out-of-fold scores, those of the estimator itself if it has them."""
    if hasattr(fitted, "calibration_"):
        return attained_threshold(fitted.threshold_at(**rate), rate)
    tested = ~np.isnan(scores)
    weight = None if data.weight is None else data.weight[tested]
    return attained_threshold(threshold_for(data.y[tested], scores[tested], sample_weight=weight, **rate), rate)
