"""Models out and in: JSON files that run nothing when they are read."""

from aucmax.models.kernel import KernelModel
from aucmax.models.linear import LinearModel
from aucmax.models.model import Calibration, Model
from aucmax.models.storage import ModelFileError, load, save

__all__ = ["Calibration", "KernelModel", "LinearModel", "Model", "ModelFileError", "load", "save"]
