"""`ModelMetadata`: what a saved model knows besides its score, to and from JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aucmax.estimators.platt_scaling import Calibration
from aucmax.models.held_out_scores import HeldOutScores
from aucmax.tables.cells import Scalar
from aucmax.tables.fitted_encoder import FittedEncoder
from aucmax.tables.json_schema import Schema, all_strings, check_schema, is_finite_number

_SCHEMA: Schema = {
    "classes": (list,),
    "encoder": (dict, None),
    "feature_names": (list, None),
    "threshold": (float, None),
    "calibration": (dict, None),
    "training": (dict,),
    "held_out_scores": (dict, None),
}
_LATER_FIELDS = {"held_out_scores": None}  # which models of version 0.1 do not have
_CALIBRATION: Schema = {"slope": (float,), "intercept": (float,)}
# the facts about the fit that are used again
_TRAINING: Schema = {"target": (str, None), "zero_based": (bool, None), "rest": (list, None)}


@dataclass(frozen=True, eq=False)
class ModelMetadata:
    """How to get from a table to features, and from a score to a label or a probability.

    Parameters
    ----------
    classes : (negative, positive)
        The two labels.
    encoder : FittedEncoder, optional
        How a table is encoded; None for a model of a matrix.
    feature_names : sequence of str, optional
        Names of the features; those of the encoder if not given.
    threshold : float, optional
        The positive class is predicted at scores of at least this; at scores above 0 if not given.
    calibration : Calibration, optional
        From scores to probabilities.
    training : dict
        Facts about the fit as JSON values: rows, positives, alpha, auc, date, ...
    held_out_scores : HeldOutScores, optional
        Scores of training rows by models that had not seen them, for thresholds.

    Examples
    --------
    >>> metadata = ModelMetadata(("no", "yes"), feature_names=["age"], threshold=0.5)
    >>> ModelMetadata.from_dict(metadata.to_dict()).feature_names
    ('age',)
    """

    classes: tuple[Scalar, Scalar]
    encoder: FittedEncoder | None = None
    feature_names: Sequence[str] | None = None
    threshold: float | None = None
    calibration: Calibration | None = None
    training: dict[str, Any] = field(default_factory=dict)
    held_out_scores: HeldOutScores | None = None

    def __post_init__(self) -> None:
        """Convert what estimators hold to plain Python values, and validate them."""
        names = self.feature_names
        if names is None and self.encoder is not None:
            names = self.encoder.get_feature_names_out().tolist()
        plain = {
            "classes": tuple(label.item() if isinstance(label, np.generic) else label for label in self.classes),
            "feature_names": None if names is None else tuple(str(name) for name in names),
            "threshold": None if self.threshold is None else float(self.threshold),
            "calibration": None if self.calibration is None else Calibration(*map(float, self.calibration)),
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        _check_classes(self.classes)
        if not np.isfinite([self.threshold or 0.0, *(self.calibration or ())]).all():
            raise ValueError("threshold and calibration must be finite")
        _check_training(self.training)

    def check_width(self, n_features: int) -> None:
        """Refuse a scorer with another number of features.

        Parameters
        ----------
        n_features : int
            The number of features of the scorer.
        """
        if self.feature_names is not None and len(self.feature_names) != n_features:
            raise ValueError(f"there are {len(self.feature_names)} feature names, but the scorer has {n_features}")
        n_encoded = n_features if self.encoder is None else len(self.encoder.get_feature_names_out())
        if n_encoded != n_features:
            raise ValueError(f"the encoder gives {n_encoded} features, but the scorer has {n_features}")

    def to_dict(self) -> dict[str, Any]:
        """The metadata as JSON values."""
        return {
            "classes": list(self.classes),
            "encoder": None if self.encoder is None else self.encoder.to_dict(),
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "threshold": self.threshold,
            "calibration": None if self.calibration is None else self.calibration._asdict(),
            "training": dict(self.training),
            "held_out_scores": None if self.held_out_scores is None else self.held_out_scores.to_dict(),
        }

    @classmethod
    def from_dict(cls, content: Any) -> ModelMetadata:
        """The metadata that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned, as read from a file: not trusted.
        """
        if isinstance(content, dict):
            content = _LATER_FIELDS | content
        check_schema(content, _SCHEMA, "the metadata")
        if not all_strings(content["feature_names"] or ()):
            raise ValueError("feature_names must hold strings")
        encoder = content["encoder"]
        calibration = content["calibration"]
        scores = content["held_out_scores"]
        if calibration is not None:
            check_schema(calibration, _CALIBRATION, "calibration")
        return cls(
            **content
            | {
                "encoder": None if encoder is None else FittedEncoder.from_dict(encoder),
                "calibration": None if calibration is None else Calibration(**calibration),
                "held_out_scores": None if scores is None else HeldOutScores.from_dict(scores),
            }
        )


def _check_training(training: dict[str, Any]) -> None:
    """Refuse facts of a type that cannot be used again."""
    check_schema({name: training.get(name) for name in _TRAINING}, _TRAINING, "training")


def _check_classes(classes: tuple[Any, ...]) -> None:
    if not all(isinstance(label, bool | str) or is_finite_number(label) for label in classes):
        raise ValueError(f"classes must be strings, numbers or booleans, not {classes!r}")
    if len(classes) != 2 or classes[0] == classes[1] or isinstance(classes[0], str) != isinstance(classes[1], str):
        raise ValueError(f"classes must be two different labels of the same type, not {classes!r}")
