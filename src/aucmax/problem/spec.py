"""ProblemSpec: what users say of the objective, turned into a `Problem` once there are data."""

from __future__ import annotations

from typing import Any, NamedTuple

from aucmax.problem.data import Data, automatic_alpha


class ProblemSpec(NamedTuple):
    """The settings of an estimator that define its objective."""

    loss: Any
    alpha: float | str  # strength of the penalty, or "auto"
    l1_ratio: float  # share of the l1 norm in the penalty
    standardize: bool

    def alpha_for(self, data: Data) -> float:
        """The alpha given, or the automatic one."""
        return automatic_alpha(data.moments) if self.alpha == "auto" else float(self.alpha)
