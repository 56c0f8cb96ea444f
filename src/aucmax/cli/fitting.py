"""The work of `aucmax fit`: choose a model, judge it out of fold beside a logistic regression, and keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from aucmax.cli.source import Source
from aucmax.comparison import Comparison, Progress, compare
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.metrics import threshold_for
from aucmax.models import Calibration, KernelModel, LinearModel, Model


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """What the user may choose.

    Parameters
    ----------
    loss : list of str
        Pairwise losses; of several, that of the best cross-validated AUC is taken.
    l1_ratio : float
        Share of the l1 norm in the penalty.
    alpha : float or None
        Strength of the penalty; chosen by cross-validation if None.
    kernel : str or None
        A kernel, or "auto" for the best; None for a linear model.
    solver : str or None
        A name in `SOLVERS`; with one, alpha is not tuned.
    cv, seed : int
        Number of folds, and what fixes them.
    threshold_at : dict or None
        One of fpr, tpr, precision.
    baseline : bool
        Whether a tuned logistic regression is judged too.
    """

    loss: Sequence[str] = ("squared",)
    l1_ratio: float = 0.0
    alpha: float | None = None
    kernel: str | None = None
    solver: str | None = None
    cv: int = 5
    seed: int = 0
    threshold_at: dict[str, float] | None = None
    baseline: bool = True

    def estimator(self) -> AUCClassifier | AUCClassifierCV | KernelAUCClassifier:
        """The estimator that these settings describe."""
        alpha = "auto" if self.alpha is None else self.alpha
        if self.kernel is not None:
            settings = {"alpha": alpha, "loss": self.loss[0], "cv": self.cv, "random_state": self.seed}
            return KernelAUCClassifier(self.kernel, **settings)
        if self.solver is not None:
            return AUCClassifier(alpha, self.l1_ratio, self.loss[0], solver=self.solver, random_state=self.seed)
        alphas = None if self.alpha is None else [self.alpha]
        return AUCClassifierCV(alphas, self.l1_ratio, list(self.loss), cv=self.cv, random_state=self.seed)


@dataclass(frozen=True, eq=False)
class FitReport:
    """A fitted model, the rows it comes from, and how it ranks rows that it has not seen."""

    source: Source
    model: Model
    comparison: Comparison

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        training = self.model.training
        return {
            **self.source.to_dict(),
            **{name: training[name] for name in ("kernel", "loss", "alpha", "l1_ratio", "solver")},
            "threshold": self.model.threshold,
            "verdict": self.comparison["aucmax"].verdict if len(self.comparison.rows) > 1 else None,
            "out_of_fold": self.comparison.to_dict(),
        }


def fit_model(source: Source, settings: FitSettings, progress: Progress) -> FitReport:
    """Judge on folds, then fit to all rows."""
    models: dict[str, Any] = {"aucmax": settings.estimator()}
    if settings.baseline:
        models["logistic"] = "logistic"
    if settings.baseline and settings.kernel is not None:
        models["linear"] = AUCClassifierCV(cv=settings.cv, random_state=settings.seed)
    comparison = compare(
        source.X,
        source.y,
        models,
        cv=settings.cv,
        sample_weight=source.weight,
        random_state=settings.seed,
        progress=progress,
    )
    fitted = settings.estimator().fit(source.X, source.y, sample_weight=source.weight)
    return FitReport(source, _kept(source, settings, fitted, comparison), comparison)


def _kept(source: Source, settings: FitSettings, fitted: Any, comparison: Comparison) -> Model:
    sigmoid = getattr(fitted, "calibration_", None)
    scores = comparison.scores["aucmax"]
    shared: dict[str, Any] = {
        "classes": source.labels,
        "columns": source.columns,
        "threshold": _threshold(fitted, source, scores, settings.threshold_at),
        "calibration": None if sigmoid is None else Calibration(sigmoid.slope, sigmoid.intercept),
        "training": _facts(source, settings, fitted, comparison),
    }
    if settings.kernel is not None:
        return KernelModel(fitted.score_, **shared)
    return LinearModel(fitted.coef_[0], float(fitted.intercept_[0]), **shared)


def _threshold(fitted: Any, source: Source, scores: np.ndarray, demand: dict[str, float] | None) -> float | None:
    """The threshold that meets the demand on out-of-fold scores, those of the estimator itself if it has them."""
    if demand is None:
        return None
    if hasattr(fitted, "threshold_at"):
        threshold = fitted.threshold_at(**demand)
    else:
        seen = ~np.isnan(scores)
        weight = None if source.weight is None else source.weight[seen]
        threshold = threshold_for(source.y[seen], scores[seen], sample_weight=weight, **demand)
    if not np.isfinite(threshold):
        ((goal, bound),) = demand.items()
        raise ValueError(f"no threshold keeps {goal} at {bound}: the best score is a negative; allow more")
    return threshold


def _facts(source: Source, settings: FitSettings, fitted: Any, comparison: Comparison) -> dict[str, Any]:
    row = comparison["aucmax"]
    return {
        **source.facts,
        "rows": len(source.y),
        "positives": int(source.y.sum()),
        "kernel": getattr(fitted, "best_kernel_", "linear"),
        "loss": getattr(fitted, "loss_", settings.loss[0]),
        "alpha": float(fitted.alpha_),
        "l1_ratio": settings.l1_ratio,
        "solver": fitted.solver_,
        "folds": comparison.n_folds,
        "seed": settings.seed,
        "auc": row.auc,
        "auc_low": row.low,
        "auc_high": row.high,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "aucmax": version("aucmax"),
    }
