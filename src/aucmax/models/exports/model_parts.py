"""`ModelParts`: what every export format writes of a model, taken apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aucmax.estimators.platt_scaling import Calibration
from aucmax.kernels.functions import KERNELS
from aucmax.kernels.nystroem import Term
from aucmax.models.exports.export_error import ExportError
from aucmax.models.exports.single_score import SingleScore, single_score
from aucmax.models.savedmodel import SavedModel
from aucmax.models.scaled_scorer import ScaledScorer
from aucmax.models.tree_scorer import TreeScorer
from aucmax.numerics.matrix import dense
from aucmax.tables.cells import Scalar
from aucmax.tables.column_encoder import ColumnEncoder


class Scaling(NamedTuple):
    """Features become (x - mean) / scale."""

    mean: np.ndarray
    scale: np.ndarray


class ModelParts(NamedTuple):
    """A model from its inputs to its outputs."""

    columns: tuple[ColumnEncoder, ...] | None  # None if the features are the inputs
    inputs: tuple[str, ...]  # names of the columns, or of the features if there is no encoder
    scalings: tuple[Scaling, ...]  # of the features, in this order
    scorer: SingleScore  # of the scaled features
    calibration: Calibration | None  # from a score to a probability
    threshold: float | None  # the positive class is predicted from here on; None: above 0
    classes: tuple[Scalar, Scalar]  # negative, positive

    @classmethod
    def of(cls, model: SavedModel) -> ModelParts:
        """Take a model apart."""
        metadata = model.metadata
        scalings = []
        scorer = model.scorer
        while isinstance(scorer, ScaledScorer):
            mean = np.zeros(scorer.n_features) if scorer.mean is None else scorer.mean
            scale = np.ones(scorer.n_features) if scorer.scale is None else scorer.scale
            scalings.append(Scaling(mean, scale))
            scorer = scorer.scorer
        score = single_score(scorer)
        columns = None if metadata.encoder is None else metadata.encoder.columns_
        if columns is not None:
            inputs = tuple(column.name for column in columns)
        else:
            inputs = tuple(metadata.feature_names or (f"x{j}" for j in range(model.n_features)))
        _check_names(inputs)
        categories = [name for column in columns or () for name in column.categories]
        _check_unicode([*inputs, *categories, *metadata.classes])
        calibration = metadata.calibration
        if isinstance(score, TreeScorer):  # the log-odds of the leaf, minus zero
            calibration = Calibration(1.0, score.zero)
        return cls(columns, inputs, tuple(scalings), score, calibration, metadata.threshold, metadata.classes)

    def output_name(self, wanted: str) -> str:
        """A name for an output that no input has, whatever the case of its letters."""
        taken = {name.lower() for name in self.inputs}
        while wanted in taken:
            wanted += "_"
        return wanted


def _check_names(names: tuple[str, ...]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ExportError(f"several columns are named {twice[0]!r}; inputs are found by name, so rename them")


def _check_unicode(values: Sequence[Scalar]) -> None:
    for value in values:
        if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
            raise ExportError(f"{value!r} is not valid Unicode, which files and databases need; rename it")


class KernelTerm(NamedTuple):
    """sum_i weights_i exp(-gamma |c(x) - landmarks_i|), with c(x) the ranks of x, if there are any, over scale."""

    squared: bool  # squared Euclidean distance; else that of the l1 norm
    gamma: float
    scale: np.ndarray  # by feature
    knots: list[tuple[np.ndarray, np.ndarray]] | None  # by feature: values, and their ranks
    weights: np.ndarray  # by landmark
    landmarks: np.ndarray  # dense, in the coordinates c


def kernel_term(term: Term, landmarks: Any, max_numbers: int, format: str) -> KernelTerm:
    """A term of a kernel score with its own landmarks; refused if that is more numbers than the format may have."""
    n_landmarks, n_features = landmarks.shape
    if n_landmarks * n_features > max_numbers:
        raise ExportError(
            f"a kernel model with {n_landmarks} landmarks of {n_features} features has too many numbers for {format} "
            f"(at most {max_numbers:,}); fit it with fewer landmarks (n_components) or save it as JSON"
        )
    coordinates = term.coordinates
    assert coordinates is not None  # not a linear term
    kernel = KERNELS[term.kernel]
    knots = None
    if coordinates.values is not None and coordinates.levels is not None:
        knots = [_distinct_knots(*pair) for pair in zip(coordinates.values, coordinates.levels)]
    return KernelTerm(
        kernel.norm == "l2",
        float(term.gamma),
        coordinates.scale,
        knots,
        term.weights,
        dense(coordinates(landmarks)),
    )


def _distinct_knots(values: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Without the padding at the end."""
    kept = np.append(True, np.diff(values) > 0)
    return values[kept], levels[kept]
