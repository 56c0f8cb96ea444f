"""Loss: what every pairwise loss can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np


class Loss(ABC):
    """A mean over all pairs of a positive and a negative row, never negative, and convex unless it says so.

    None is ever computed pair by pair. `data` is a `Data` (see problem.py); its columns are already divided by
    `data.scale`, and a pair of rows i, j weighs r_i r_j.
    """

    name: ClassVar[str]
    convex: ClassVar[bool] = True

    @abstractmethod
    def value_and_gradient(self, data: Any, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at w and its gradient, or a subgradient."""

    @abstractmethod
    def l1_lower_bound(self, data: Any, w: np.ndarray, l1: float) -> float:
        """A number that min_w loss(w) + l1 |w|_1 does not fall below."""

    def unpenalised_excess(self, data: Any, w: np.ndarray) -> float:
        """A number that loss(w) - min loss does not exceed: the loss itself, as no loss is negative."""
        return self.value_and_gradient(data, w)[0]

    def near_subgradients(self, data: Any, w: np.ndarray) -> Iterable[tuple[float, np.ndarray]]:
        """Pairs (slack, g) with loss(v) >= loss(w) - slack + g.(v - w) for all v: what certifies at a kink."""
        return ()
