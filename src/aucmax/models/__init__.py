"""Fitted models as JSON files, which execute nothing when they are loaded; exports for other systems."""

from aucmax.estimators.calibration import Calibration
from aucmax.models.ensemble_scorer import EnsembleScorer
from aucmax.models.explain import explain
from aucmax.models.exports import ExportError, export
from aucmax.models.from_estimator import saved_model
from aucmax.models.held_out_scores import HeldOutScores
from aucmax.models.kernel_scorer import KernelScorer
from aucmax.models.linear_scorer import LinearScorer
from aucmax.models.metadata import ModelMetadata
from aucmax.models.model_file import ModelFileError, load, save
from aucmax.models.saved_model import SavedModel
from aucmax.models.scaled_scorer import ScaledScorer
from aucmax.models.scorer import SCORERS
from aucmax.models.skops_trusted import SKOPS_TRUSTED
from aucmax.models.stack_scorer import MeanScorer, StackScorer
from aucmax.models.tree_scorer import TreeScorer

SCORERS.update(
    (scorer.kind, scorer)
    for scorer in (LinearScorer, KernelScorer, TreeScorer, ScaledScorer, EnsembleScorer, StackScorer, MeanScorer)
)

__all__ = [
    "SKOPS_TRUSTED",
    "Calibration",
    "EnsembleScorer",
    "ExportError",
    "HeldOutScores",
    "KernelScorer",
    "LinearScorer",
    "MeanScorer",
    "ModelFileError",
    "ModelMetadata",
    "SavedModel",
    "ScaledScorer",
    "StackScorer",
    "TreeScorer",
    "explain",
    "export",
    "load",
    "save",
    "saved_model",
]
