"""Costs of errors by class: the meaning of `class_weight` for a ranking."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.losses.squared import within_product
from aucmax.problem.data import Data
from aucmax.solvers import Exact
from aucmax.solvers.base import Solver


def class_costs(class_weight: Any, classes: np.ndarray) -> tuple[float, float]:
    """Cost of an error on a negative and on a positive row, from a dict by label; a missing label has cost 1."""
    labels = classes.tolist()
    if not isinstance(class_weight, dict) or not set(class_weight) <= set(labels):
        raise ValueError(f"class_weight={class_weight!r}; give None, 'balanced' or a dict with keys among {labels}")
    negative, positive = (float(class_weight.get(label, 1.0)) for label in labels)
    if not (0 < negative < np.inf and 0 < positive < np.inf):
        raise ValueError(f"class_weight={class_weight!r}; give finite costs above zero")
    return negative, positive


def intercept_shift(data: Data, coef: np.ndarray, class_weight: Any, classes: np.ndarray) -> float:
    """Shift of the intercept for class costs: sigma^2/(a - b) log(cost+/cost-), as in a linear discriminant."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        return 0.0
    negative, positive = class_costs(class_weight, classes)
    variance = float(coef @ within_product(data, coef)) / 2
    distance = float(coef @ data.delta)
    return np.log(positive / negative) * variance / distance if distance > 0 else 0.0


def check_stream_costs(class_weight: Any, classes: np.ndarray, solver: Solver) -> None:
    """Reject class costs in a stream that keeps no covariances, which the shift of the intercept requires."""
    if not isinstance(class_weight, dict) or isinstance(solver, Exact):
        return
    negative, positive = class_costs(class_weight, classes)
    if negative != positive:
        raise ValueError(
            f"class_weight={class_weight!r} has no effect in a stream of solver {solver.name!r}, which keeps "
            "no covariances; use solver='exact', fit, or class_weight=None and a threshold of your own"
        )
