"""Costs of errors by class: what `class_weight` means."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.solvers import Solver
from aucmax.solvers.registry import solver_name


def class_costs(class_weight: dict, classes: np.ndarray) -> tuple[float, float]:
    """Cost of an error on a negative and on a positive row, from a dict by label; a label left out costs 1."""
    labels = classes.tolist()
    if not isinstance(class_weight, dict) or not set(class_weight) <= set(labels):
        raise ValueError(f"class_weight={class_weight!r}; give None, 'balanced' or a dict with keys among {labels}")
    negative, positive = (float(class_weight.get(label, 1.0)) for label in labels)
    if not (0 < negative < np.inf and 0 < positive < np.inf):
        raise ValueError(f"class_weight={class_weight!r}; give finite costs above zero")
    return negative, positive


def check_stream_costs(class_weight: Any, classes: np.ndarray, solver: Solver) -> None:
    """Refuse class costs in a stream that keeps no covariances, by which they move the intercept."""
    if not isinstance(class_weight, dict) or solver.from_moments:
        return
    negative, positive = class_costs(class_weight, classes)
    if negative != positive:
        raise ValueError(
            f"class_weight={class_weight!r} has no effect in a stream of solver {solver_name(solver)!r}, which keeps "
            "no covariances; use solver='exact', fit, or class_weight=None and a threshold of your own"
        )
