"""ProblemSpec: the objective as users specify it, before there are any data."""

from __future__ import annotations

from typing import Any, NamedTuple


class ProblemSpec(NamedTuple):
    """The settings of an estimator that define its objective (docs/mathematics.md, section 1)."""

    loss: Any  # a `Loss`
    alpha: float | str  # strength of the penalty, or "auto"
    l1_ratio: float  # share of the l1 norm in the penalty
    standardize: bool  # whether columns are divided by their standard deviation
