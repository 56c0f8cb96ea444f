"""Metric learning: columns stretched by how much a fitted model varies along them, the diagonal of its AGOP.

    Radhakrishnan, Beaglehole, Pandit, Belkin. "Mechanism for feature learning in neural networks and
    backpropagation-free machine learning models." Science 2024.

The AGOP is the average gradient outer product. With f(x) = sum_i dual_i k(a o x, a o z_i) and a the stretch so far,

    g_j = mean over rows of (df/dx_j)^2,      a_j <- sqrt(g_j / max g + 1e-4)

after which the stretch is multiplied by a number that preserves the median distance, the unit of gamma.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from aucmax.kernels.functions import Coordinates, Kernel, median_distance
from aucmax.kernels.nystroem import Nystroem
from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import dense

CHUNK_ROWS = 256  # rows whose derivatives are held in memory at a time
SMALLEST = 1e-4  # added to the mean squared derivatives relative to the largest


def learned_coordinates(
    initial: Coordinates, nystroem: Nystroem, dual: np.ndarray, X: Any, weight: np.ndarray
) -> Coordinates:
    """The coordinates of the next round, from the derivatives of f at rows of the table.

    Parameters
    ----------
    initial : Coordinates
        The coordinates before the first round.
    nystroem : Nystroem
        The feature map of the model, in the coordinates of this round.
    dual : array of shape (m,)
        The weights of the landmarks in f.
    X, weight : arrays of shape (n, d) and (n,)
        Rows in the units of the table.
    """
    kernel = nystroem.kernel
    stretch = initial.scale / nystroem.coordinates.scale
    points = nystroem.coordinates(X)
    slopes = squared_slopes(kernel, nystroem.gamma, points, nystroem.landmarks, dual, weight) * stretch**2
    stretch = np.sqrt(slopes / (slopes.max() or 1.0) + SMALLEST)
    landmarks = dense(nystroem.landmarks) * (nystroem.coordinates.scale / initial.scale)
    units = [median_distance(kernel.own_distances(points)) for points in (landmarks, landmarks * stretch)]
    ratio = units[0] / units[1]
    stretch = stretch * (ratio if kernel.norm == "l1" else np.sqrt(ratio))
    return replace(initial, scale=initial.scale / stretch)


def squared_slopes(kernel: Kernel, gamma: float, A: Any, Z: Any, dual: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted mean over the rows of A of the squared derivative of sum_i dual_i k(., z_i) along each coordinate."""
    Z = dense(Z)
    total = np.zeros(A.shape[1])
    for start in range(0, A.shape[0], CHUNK_ROWS):
        rows = dense(A[start : start + CHUNK_ROWS])
        share = weight[start : start + CHUNK_ROWS]
        pull = gamma * dual * kernel.values(kernel.distances(rows, Z), gamma)
        if kernel.norm == "l1":
            _add_absolute_slopes(rows, Z, pull, share, total)
        else:
            total += share @ np.square(2.0 * (rows * pull.sum(axis=1)[:, None] - pull @ Z))
    return total / weight.sum()


@compiled
def _add_absolute_slopes(A, Z, pull, weight, total):
    slope = np.empty(total.size)
    for i in range(A.shape[0]):
        slope[:] = 0.0
        for k in range(Z.shape[0]):
            for j in range(total.size):
                slope[j] += pull[i, k] * np.sign(A[i, j] - Z[k, j])
        for j in range(total.size):
            total[j] += weight[i] * slope[j] * slope[j]
