"""The range of sample weights: sums and ratios of them must keep their digits in double precision."""

from __future__ import annotations

import numpy as np

__all__ = ["check_weight_range"]

LARGEST_SUM = 1e300  # of all weights: products with numbers of ordinary size do not overflow
SMALLEST = 1e-290  # for the largest weight of a class: far enough from the subnormal numbers, which lose digits


def check_weight_range(weight: np.ndarray, is_pos: np.ndarray) -> None:
    """Refuse non-negative weights whose sum overflows, or which are subnormal in all rows of a class.

    Single weights may be tiny: beside larger ones of their class they count as zero.
    """
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    if total > LARGEST_SUM:
        raise ValueError(
            f"sample_weight sums to {total:.3g}, which overflows in products; divide all weights by a common factor, "
            "such as their maximum"
        )
    for name, members in (("positive", is_pos), ("negative", ~is_pos)):
        largest = float(weight[members].max(initial=0.0))
        if 0.0 < largest < SMALLEST:
            raise ValueError(
                f"sample_weight is at most {largest:.3g} in the {name} class, too small for double precision; "
                "multiply all weights by a common factor"
            )
