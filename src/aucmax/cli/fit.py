"""The work of `aucmax fit`: cross-validate a model beside a logistic regression, fit it to all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from aucmax.cli.training_data import TrainingData
from aucmax.comparison import Comparison, Progress, compare
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.estimators.stacking import AUCStackingClassifier
from aucmax.metrics import threshold_for
from aucmax.models import ModelMetadata, SavedModel
from aucmax.models.scorer import scorer_of


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """The options of `aucmax fit`.

    Parameters
    ----------
    loss : list of str
        "auto", or pairwise losses; of several, the one with the best cross-validated AUC is used.
    l1_ratio : float
        Fraction of the l1 norm in the penalty.
    alpha : float or None
        Strength of the penalty; chosen by cross-validation if None.
    kernel : str or None
        A kernel, or "auto" for the best; None for a linear model.
    solver : str or None
        A name in `SOLVERS`; with one, alpha is not tuned.
    stack : bool
        A stack of a kernel model, extra trees and, for longer tables, boosting.
    cv, seed : int
        Number of folds, and the random seed.
    threshold_at : dict or None
        The rate that the threshold should meet: one of fpr, tpr, precision.
    decision : {"prior", "probability", "balanced"}
        Where predictions cut the scores if no rate is given (docs/predictions.md).
    baseline : bool
        Whether to compare with a tuned logistic regression.
    """

    loss: Sequence[str] = ("auto",)
    l1_ratio: float = 0.0
    alpha: float | None = None
    kernel: str | None = None
    solver: str | None = None
    stack: bool = False
    cv: int = 5
    seed: int = 0
    threshold_at: dict[str, float] | None = None
    decision: str = "prior"
    baseline: bool = True

    def estimator(self, folds: Any = None) -> Any:
        """The estimator that these settings describe; it tunes on the given folds, or on shuffled ones."""
        alpha = "auto" if self.alpha is None else self.alpha
        cv = self.cv if folds is None else folds
        if self.stack:
            return AUCStackingClassifier(cv=cv, decision=self.decision, random_state=self.seed)
        if self.kernel is not None:
            loss = "squared" if self.loss[0] == "auto" else self.loss[0]
            settings = {"alpha": alpha, "loss": loss, "cv": cv, "random_state": self.seed}
            return KernelAUCClassifier(self.kernel, decision=self.decision, **settings)
        if self.solver is not None:
            settings = {"solver": self.solver, "decision": self.decision, "random_state": self.seed}
            return AUCClassifier(alpha, self.l1_ratio, self.loss[0], **settings)
        alphas = None if self.alpha is None else [self.alpha]
        losses = self.loss[0] if len(self.loss) == 1 else list(self.loss)
        settings = {"cv": cv, "decision": self.decision, "random_state": self.seed}
        return AUCClassifierCV(alphas, self.l1_ratio, losses, **settings)

    def models(self) -> dict[str, Any]:
        """The estimator and its baselines, by name."""
        models: dict[str, Any] = {"aucmax": self.estimator()}
        if self.baseline:
            models["logistic"] = "logistic"
        if self.baseline and (self.stack or self.kernel is not None):
            models["linear"] = AUCClassifierCV(cv=self.cv, random_state=self.seed)
        return models


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
            **{name: training.get(name) for name in ("kernel", "loss", "alpha", "l1_ratio", "solver", "weights")},
            "threshold": self.model.metadata.threshold,
            "verdict": self.verdict,
            "next_steps": self.next_steps,
            "out_of_fold": self.comparison.to_dict(),
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
    scores = comparison.scores["aucmax"]
    metadata = ModelMetadata(
        data.classes,
        encoder=data.encoder,
        threshold=_threshold(fitted, data, scores, settings.threshold_at),
        calibration=getattr(fitted, "calibration_", None),  # only estimators that cross-validate are calibrated
        training=_training_facts(data, settings, fitted, comparison),
    )
    return SavedModel(metadata, scorer_of(fitted))


def _threshold(fitted: Any, data: TrainingData, scores: np.ndarray, rate: dict[str, float] | None) -> float | None:
    """The threshold that meets the rate on out-of-fold scores, those of the estimator itself if it has them."""
    if rate is None:
        return None
    if hasattr(fitted, "threshold_at"):
        threshold = fitted.threshold_at(**rate)
    else:
        tested = ~np.isnan(scores)
        weight = None if data.weight is None else data.weight[tested]
        threshold = threshold_for(data.y[tested], scores[tested], sample_weight=weight, **rate)
    if not np.isfinite(threshold):
        ((name, bound),) = rate.items()
        raise ValueError(f"no threshold keeps {name} at {bound}: a negative has the highest score; relax the rate")
    return threshold


def _training_facts(data: TrainingData, settings: FitSettings, fitted: Any, comparison: Comparison) -> dict[str, Any]:
    row = comparison["aucmax"]
    return {
        **data.facts,
        "rows": len(data.y),
        "positives": int(data.y.sum()),
        **_model_facts(settings, fitted),
        "folds": comparison.n_folds,
        "seed": settings.seed,
        "auc": row.auc,
        "auc_low": row.low,
        "auc_high": row.high,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "aucmax": version("aucmax"),
    }


def _model_facts(settings: FitSettings, fitted: Any) -> dict[str, Any]:
    """The weights of the members of a stack, or what was chosen for another model."""
    if settings.stack:
        return {"weights": dict(zip(fitted.named_estimators_, fitted.weights_.tolist(), strict=True))}
    return {
        "kernel": getattr(fitted, "best_kernel_", "linear"),
        "loss": getattr(fitted, "loss_", settings.loss[0]),
        "alpha": float(fitted.alpha_),
        "l1_ratio": settings.l1_ratio,
        "solver": fitted.solver_,
    }
