"""Fitted models as JSON files, which execute nothing when they are loaded."""

from aucmax.estimators.calibration import Calibration
from aucmax.models.kernel_scorer import KernelScorer
from aucmax.models.linear_scorer import LinearScorer
from aucmax.models.metadata import ModelMetadata
from aucmax.models.model_file import ModelFileError, load, save
from aucmax.models.saved_model import SavedModel

__all__ = [
    "Calibration",
    "KernelScorer",
    "LinearScorer",
    "ModelFileError",
    "ModelMetadata",
    "SavedModel",
    "load",
    "save",
]
