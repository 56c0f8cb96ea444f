"""`saved_model`: what a fitted estimator or pipeline needs to score, without the estimator."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from aucmax.models.held_out_scores import HeldOutScores
from aucmax.models.metadata import ModelMetadata
from aucmax.models.savedmodel import SavedModel
from aucmax.models.scaled_scorer import ScaledScorer
from aucmax.models.scorer import scorer_of
from aucmax.tables.table_encoder import TableEncoder

_FACTS = ("alpha", "loss", "l1_ratio", "solver", "standardize")  # attributes with an underscore come first


def saved_model(model: Any, *, held_out_scores: bool = True) -> SavedModel:
    """A fitted estimator, or a pipeline that ends with one, as a `SavedModel`.

    Parameters
    ----------
    model : estimator or Pipeline
        An estimator of aucmax, after a `TableEncoder`, a `StandardScaler` or both, in this order.
    held_out_scores : bool
        Whether to keep the out-of-fold scores, which `threshold_at` needs: one number per training row.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> fitted = AUCClassifierCV(random_state=0).fit(X, y)
    >>> bool((saved_model(fitted).predict_proba(X) == fitted.predict_proba(X)).all())
    True
    """
    encoder, scaler, estimator = _steps(model)
    scorer = scorer_of(estimator)
    if scaler is not None:
        scorer = ScaledScorer(scaler.mean_ if scaler.with_mean else None, scaler.scale_, scorer)
    first = scaler if scaler is not None else estimator
    calibration, scores = _probabilities(estimator)
    metadata = ModelMetadata(
        tuple(estimator.classes_.tolist()),
        encoder=encoder,
        feature_names=None if encoder is not None else getattr(first, "feature_names_in_", None),
        calibration=calibration,
        training=_facts(estimator),
        held_out_scores=scores if held_out_scores else None,
    )
    return SavedModel(metadata, scorer)


def _steps(model: Any) -> tuple[TableEncoder | None, StandardScaler | None, Any]:
    """The encoder and the scaler of a pipeline, if any, and its last step."""
    if not isinstance(model, Pipeline):
        return None, None, model
    *first, estimator = [step for _, step in model.steps if step not in (None, "passthrough")]
    kinds = [type(step) for step in first]
    if kinds not in ([], [TableEncoder], [StandardScaler], [TableEncoder, StandardScaler]):
        names = [kind.__name__ for kind in kinds]
        raise TypeError(
            f"a pipeline with {names} cannot be saved as JSON; aucmax.save takes TableEncoder and StandardScaler, in "
            "this order, before the estimator; for other pipelines use pickle"
        )
    encoder = first[0] if TableEncoder in kinds else None
    if encoder is not None and not hasattr(encoder, "feature_names_in_"):
        raise TypeError("the TableEncoder was fitted to an array; fit it to a data frame, whose columns have names")
    return encoder, first[-1] if StandardScaler in kinds else None, estimator


def _probabilities(estimator: Any) -> tuple[Any, HeldOutScores | None]:
    """Calibration and scores of rows not seen, of an estimator that has them."""
    if not hasattr(estimator, "calibration_"):
        return None, None
    return estimator.calibration_, HeldOutScores.of(*estimator._held_out_scores())


def _facts(estimator: Any) -> dict[str, Any]:
    """Facts about the fit, as JSON values."""
    facts: dict[str, Any] = {"estimator": type(estimator).__name__}
    for name in _FACTS:
        value = getattr(estimator, f"{name}_", getattr(estimator, name, None))
        if isinstance(value, (bool, int, float, str)):
            facts[name] = value
    return facts | {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "aucmax": version("aucmax"),
    }
