"""Models out and in: JSON files that run nothing when they are read."""

from aucmax.models.linear import Calibration, LinearModel
from aucmax.models.storage import ModelFileError, load, save

__all__ = ["Calibration", "LinearModel", "ModelFileError", "load", "save"]
