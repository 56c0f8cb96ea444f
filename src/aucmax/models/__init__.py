"""Fitted models as JSON files, which execute nothing when they are loaded; exports for other systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aucmax.numerics.lazy_imports import lazy_exports

if TYPE_CHECKING:
    from aucmax.estimators.platt_scaling import Calibration
    from aucmax.models.ensemble_scorer import EnsembleScorer
    from aucmax.models.explain_model import explain
    from aucmax.models.exports import ExportError, export
    from aucmax.models.from_estimator import saved_model
    from aucmax.models.held_out_scores import HeldOutScores
    from aucmax.models.kernel_scorer import KernelScorer
    from aucmax.models.linear_scorer import LinearScorer
    from aucmax.models.metadata import ModelMetadata
    from aucmax.models.model_file import ModelFileError, load, save
    from aucmax.models.savedmodel import SavedModel
    from aucmax.models.scaled_scorer import ScaledScorer
    from aucmax.models.skops_trusted import SKOPS_TRUSTED
    from aucmax.models.stack_scorer import MeanScorer, StackScorer
    from aucmax.models.tree_scorer import TreeScorer

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

__getattr__, __dir__ = lazy_exports(
    globals(),
    {
        "SKOPS_TRUSTED": "aucmax.models.skops_trusted",
        "Calibration": "aucmax.estimators.platt_scaling",
        "EnsembleScorer": "aucmax.models.ensemble_scorer",
        "ExportError": "aucmax.models.exports",
        "HeldOutScores": "aucmax.models.held_out_scores",
        "KernelScorer": "aucmax.models.kernel_scorer",
        "LinearScorer": "aucmax.models.linear_scorer",
        "MeanScorer": "aucmax.models.stack_scorer",
        "ModelFileError": "aucmax.models.model_file",
        "ModelMetadata": "aucmax.models.metadata",
        "SavedModel": "aucmax.models.savedmodel",
        "ScaledScorer": "aucmax.models.scaled_scorer",
        "StackScorer": "aucmax.models.stack_scorer",
        "TreeScorer": "aucmax.models.tree_scorer",
        "explain": "aucmax.models.explain_model",
        "export": "aucmax.models.exports",
        "load": "aucmax.models.model_file",
        "save": "aucmax.models.model_file",
        "saved_model": "aucmax.models.from_estimator",
    },
)
