"""What `aucmax fit` notes in a model, fitted in memory or in passes: facts about the fit, and a threshold."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from aucmax.cli.fit_settings import FitSettings

MODEL_FACTS = ("kernel", "gamma", "averaged", "loss", "alpha", "l1_ratio", "solver", "weights")


def fit_facts(
    rows: dict[str, Any],
    fitted: Any,
    settings: FitSettings,
    folds: int,
    interval: tuple[float | None, float | None, float | None],
) -> dict[str, Any]:
    """The facts as JSON values.

    Parameters
    ----------
    rows : dict
        Names of the columns, number of rows and of positive ones.
    fitted : estimator
    settings : FitSettings
    folds : int
        Their number.
    interval : (auc, low, high)
        The cross-validated AUC with its interval, as far as it is known.
    """
    auc, low, high = interval
    return {
        **rows,
        **_model_facts(fitted, settings),
        "folds": folds,
        "seed": settings.seed,
        "auc": auc,
        "auc_low": low,
        "auc_high": high,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "aucmax": version("aucmax"),
    }


def _model_facts(fitted: Any, settings: FitSettings) -> dict[str, Any]:
    """Those of `MODEL_FACTS` that the model has: the weights of the members of a stack, or what was chosen."""
    if settings.stack:
        return {"weights": dict(zip(fitted.named_estimators_, fitted.weights_.tolist(), strict=True))}
    chosen = {
        "loss": getattr(fitted, "loss_", fitted.loss),
        "alpha": float(fitted.alpha_),
        "l1_ratio": settings.l1_ratio,
        "solver": fitted.solver_,
    }
    if settings.kernel is None:
        return {"kernel": "linear", **chosen}
    gamma = None if np.isnan(fitted.gamma_) else fitted.gamma_
    return {"kernel": fitted.best_kernel_, "gamma": gamma, "averaged": len(fitted.score_.terms), **chosen}


def attained_threshold(threshold: float, rate: dict[str, float]) -> float:
    """The threshold for a rate; refused if it is infinite, which means that no threshold meets the rate.

    Examples
    --------
    >>> attained_threshold(float("inf"), {"fpr": 0.01})
    Traceback (most recent call last):
    ValueError: no threshold keeps fpr at 0.01: a negative has the highest score; relax the rate
    """
    if not np.isfinite(threshold):
        ((name, bound),) = rate.items()
        raise ValueError(f"no threshold keeps {name} at {bound}: a negative has the highest score; relax the rate")
    return threshold
