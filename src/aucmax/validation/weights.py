"""Sample weights: one range for estimators, metrics, streams, tables and losses."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["WEIGHT_RANGE", "check_class_weights", "check_weights", "first_invalid"]

SMALLEST, LARGEST = 1e-100, 1e100  # products of two weights, and the sums of such products, keep all their digits
WEIGHT_RANGE = f"give 0, or a number from {SMALLEST:g} to {LARGEST:g}"


def check_weights(sample_weight: Any, n: int, name: str = "sample_weight") -> np.ndarray:
    """The weights of n rows in double precision; a single number applies to all rows.

    Only the largest weight must be at least 1e-100: beside it, smaller ones count for nothing.

    Examples
    --------
    >>> check_weights([1, 0, 2], 3), check_weights(2.0, 3)
    (array([1., 0., 2.]), array([2., 2., 2.]))
    >>> check_weights([1.0, -2.0], 2)
    Traceback (most recent call last):
    ValueError: sample_weight[1] is -2; give 0, or a number from 1e-100 to 1e+100
    """
    given = _real_numbers(sample_weight, name)
    if given.shape not in ((), (n,)):
        raise ValueError(f"{name} has shape {given.shape} for {n} rows; give one number per row")
    row = first_invalid(given)
    if row is not None:
        raise ValueError(f"{name}{f'[{row}]' if given.ndim else ''} is {given.flat[row]:g}; {WEIGHT_RANGE}")
    return np.array(np.broadcast_to(given, n))


def check_class_weights(sample_weight: Any, is_pos: np.ndarray) -> np.ndarray:
    """The weights of rows of two classes; in each class the largest must be at least 1e-100."""
    weight = check_weights(sample_weight, is_pos.size)
    for name, members in (("positive", is_pos), ("negative", ~is_pos)):
        if weight[members].max(initial=0.0) < SMALLEST:
            raise ValueError(f"all weights of the {name} class are zero or below {SMALLEST:g}; {WEIGHT_RANGE}")
    return weight


def first_invalid(weight: np.ndarray) -> int | None:
    """The first row whose weight is negative, not finite or too large; or tiny, if no weight is large enough."""
    valid = (weight >= 0.0) & (weight <= LARGEST)
    if 0.0 < weight.max(initial=0.0) < SMALLEST:
        valid = weight == 0.0
    return None if valid.all() else int(valid.argmin())


def _real_numbers(sample_weight: Any, name: str) -> np.ndarray:
    """The weights as floats; complex numbers and strings are refused, which NumPy would convert."""
    try:
        weight = np.asarray(sample_weight)
        if weight.dtype.kind in "buifO":
            return weight.astype(float, copy=False)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name} has values that are not real numbers; give weights of 0 or more")
