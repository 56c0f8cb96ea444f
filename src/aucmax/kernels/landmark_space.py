"""LandmarkSpace: the landmarks of a table and the coordinates in which kernels measure distances to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aucmax.kernels.coordinates import Coordinates, Ranks
from aucmax.kernels.functions import KERNELS, Kernel
from aucmax.kernels.nystroem import Nystroem, median_distance, own_distances
from aucmax.problem.data import column_scale
from aucmax.problem.moments import Moments


class NystroemFamily(NamedTuple):
    """The Nystroem maps of one kernel on the same landmarks, one for each gamma."""

    kernel: Kernel  # without its gamma
    coordinates: Coordinates  # in which distances are measured
    landmarks: Any  # in these coordinates
    own: np.ndarray  # distances between the landmarks

    @property
    def unit(self) -> float:
        """The median distance between two landmarks."""
        return median_distance(self.own)

    def map(self, gamma: float) -> Nystroem:
        """The feature map for the given gamma."""
        return Nystroem.of(self.kernel, gamma, self.coordinates, self.landmarks, self.own)

    def distances(self, X: Any) -> np.ndarray:
        """Distances from the rows of a table to all landmarks."""
        return self.kernel.distances(self.coordinates(X), self.landmarks)

    def some(self, index: np.ndarray) -> NystroemFamily:
        """The maps on some of the landmarks."""
        return self._replace(landmarks=self.landmarks[index], own=self.own[np.ix_(index, index)])


@dataclass(frozen=True, eq=False)
class LandmarkSpace:
    """Landmarks, as rows of the table, with the coordinates of its columns and of their ranks.

    Parameters
    ----------
    landmarks : array or CSR of shape (m, d)
    plain : Coordinates
    ranked : Coordinates or None
        None for a sparse table, whose ranks would not be sparse.
    """

    landmarks: Any
    plain: Coordinates
    ranked: Coordinates | None

    def some(self, index: Any) -> LandmarkSpace:
        """The space of some of the landmarks."""
        return LandmarkSpace(self.landmarks[index], self.plain, self.ranked)

    def coordinates(self, kernel: str) -> Coordinates:
        """Where a kernel measures distances, before any metric is learned."""
        chosen = self.ranked if KERNELS[kernel].ranked else self.plain
        if chosen is None:
            raise ValueError(
                f"kernel={kernel!r} does not support sparse tables; pass X.toarray(), or use 'linear' or 'rbf'"
            )
        return chosen

    def family(self, kernel: str, coordinates: Coordinates) -> NystroemFamily:
        """The feature maps of a kernel in these coordinates."""
        found = KERNELS[kernel]
        landmarks = coordinates(self.landmarks)
        return NystroemFamily(found, coordinates, landmarks, own_distances(found, landmarks))


def ranked_coordinates(X: np.ndarray, y: np.ndarray, weight: np.ndarray, standardize: bool) -> Coordinates:
    """Ranks of the columns, divided by their overall standard deviation if `standardize`."""
    ranks = Ranks.of(X, weight)
    return Coordinates(column_scale(Moments.of(ranks(X), y, weight, full=False), standardize), ranks)
