"""Space: landmarks of a table and the coordinates they can be seen in; a view of it makes maps of any gamma."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aucmax.kernels.coordinates import Coordinates, Ranks
from aucmax.kernels.functions import KERNELS, Kernel
from aucmax.kernels.nystroem import Nystroem, own_distances, typical
from aucmax.problem.data import column_scale
from aucmax.problem.moments import Moments


class View(NamedTuple):
    """Landmarks as one kernel sees them: their coordinates, own distances, and the typical one of these."""

    kernel: Kernel
    coordinates: Coordinates
    landmarks: Any
    own: np.ndarray
    unit: float

    def map(self, gamma: float) -> Nystroem:
        """The feature map of that gamma."""
        return Nystroem.of(self.kernel, gamma, self.coordinates, self.landmarks, self.own)

    def distances(self, X: Any) -> np.ndarray:
        """From the rows of a table to all landmarks."""
        return self.kernel.distances(self.coordinates(X), self.landmarks)


@dataclass(frozen=True, eq=False)
class Space:
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

    def first(self, count: int) -> Space:
        """With the first landmarks only."""
        return Space(self.landmarks[:count], self.plain, self.ranked)

    def view(self, kernel: str, relevance: np.ndarray | None = None) -> View:
        """How a kernel sees the landmarks, the coordinates stretched by `relevance` if there is one."""
        found = KERNELS[kernel]
        coordinates = self.ranked if found.ranked else self.plain
        if coordinates is None:
            raise ValueError(f"kernel={kernel!r} takes dense tables only; give X.toarray(), or use 'linear' or 'rbf'")
        if relevance is not None:
            coordinates = coordinates.weighted(relevance)
        landmarks = coordinates(self.landmarks)
        own = own_distances(found, landmarks)
        return View(found, coordinates, landmarks, own, typical(own))


def ranked_coordinates(X: np.ndarray, y: np.ndarray, weight: np.ndarray, standardize: bool) -> Coordinates:
    """Ranks of the columns, divided by their class-pooled standard deviation if wished."""
    ranks = Ranks.of(X, weight)
    if not standardize:
        return Coordinates(np.ones(X.shape[1]), ranks)
    return Coordinates(column_scale(Moments.of(ranks(X), y, weight, full=False)), ranks)
