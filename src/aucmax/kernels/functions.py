"""Kernels: functions of a distance, and the coordinates in which the distance is measured.

rbf          exp(-gamma |x - z|^2)
laplacian    exp(-gamma |x - z|_1)
ranks        exp(-gamma |F(x) - F(z)|_1), F the distribution functions of the columns: invariant to their units
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import as_rows, dense, is_sparse, scaled_columns, squared_norms
from aucmax.problem.data import column_scale
from aucmax.problem.moments import Moments
from aucmax.validation.inputs import LabeledData

KNOTS = 256  # maximum number of values between which the distribution function of a column is interpolated


class Kernel(NamedTuple):
    """A radial kernel."""

    name: str
    norm: str  # of the distance: "l1", or "l2" for the squared Euclidean distance
    ranked: bool  # whether it compares ranks instead of values

    def distances(self, A: Any, Z: Any) -> np.ndarray:
        """|a - z|_1 or |a - z|^2 between all rows of two tables of coordinates, of shape (n, m)."""
        return _absolute(A, Z) if self.norm == "l1" else _squared(A, Z)

    def own_distances(self, Z: Any) -> np.ndarray:
        """The distances between the rows of one table, symmetric and exactly zero on the diagonal."""
        distances = self.distances(Z, Z)
        np.fill_diagonal(distances, 0.0)
        return (distances + distances.T) / 2

    def values(self, distances: np.ndarray, gamma: float) -> np.ndarray:
        """The values of the kernel at the distances, which are not modified."""
        out = distances * -gamma
        return np.exp(out, out=out)


KERNELS = {
    "rbf": Kernel("rbf", "l2", False),
    "laplacian": Kernel("laplacian", "l1", False),
    "ranks": Kernel("ranks", "l1", True),
}

KERNEL_NAMES = ("linear", *KERNELS)


def find_kernels(kernel: Any, sparse: bool) -> list[str]:
    """The names of the kernels to try, each once; a sparse table supports only those that keep it sparse."""
    if isinstance(kernel, str):
        names = list(KERNEL_NAMES) if kernel == "auto" else [kernel]
    else:
        names = list(kernel) if isinstance(kernel, Iterable) else [kernel]
    unknown = [name for name in names if name not in KERNEL_NAMES]
    if unknown or not names:
        raise ValueError(f"unknown kernel {kernel!r}; choose 'auto', one of {list(KERNEL_NAMES)}, or a list of them")
    supported = [name for name in names if not sparse or name == "linear" or KERNELS[name].norm == "l2"]
    if kernel != "auto" and len(supported) < len(names):
        refused = sorted(set(names) - set(supported))
        raise ValueError(
            f"kernel {refused} does not support sparse tables; pass X.toarray(), or use 'linear' or 'rbf'"
        )
    return list(dict.fromkeys(supported))


def supports_sparse(kernel: Any) -> bool:
    """Whether a sparse table can be fitted with this kernel, or these kernels."""
    try:
        return bool(find_kernels(kernel, sparse=True))
    except ValueError:
        return False


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Columns, or their ranks, divided by `scale`.

    Parameters
    ----------
    scale : array of shape (d,)
    values, levels : arrays of shape (d, q), optional
        For each column, ascending values and their ranks between 0 and 1, padded with the last one. If given, ranks
        replace the columns: interpolated, and constant beyond the smallest and the largest value.

    Examples
    --------
    >>> ranks = Coordinates.of_ranks(np.array([[1.0], [2.0], [2.0], [1000.0]]), np.ones(4))
    >>> ranks(np.array([[1.0], [2.0], [1000.0], [5000.0]])).ravel().tolist()
    [0.125, 0.5, 0.875, 0.875]
    """

    scale: np.ndarray
    values: np.ndarray | None = None
    levels: np.ndarray | None = None

    @classmethod
    def of_ranks(cls, X: np.ndarray, weight: np.ndarray) -> Coordinates:
        """The distribution functions of the columns: the share of smaller values plus half that of equal ones."""
        knots = [_knots(column, weight / weight.sum()) for column in dense(X).T]
        longest = max(values.size for values, _ in knots)
        padded = [[np.pad(part, (0, longest - part.size), mode="edge") for part in parts] for parts in knots]
        values, levels = zip(*padded)
        return cls(np.ones(X.shape[1]), np.array(values), np.array(levels))

    def __call__(self, X: Any) -> Any:
        """Transform rows, in double precision; CSR stays CSR unless there are ranks."""
        if self.values is None or self.levels is None:
            return scaled_columns(X, self.scale)
        columns = zip(dense(X).T, self.values, self.levels, strict=True)
        ranks = np.column_stack([np.interp(column, values, levels) for column, values, levels in columns])
        return ranks / self.scale


def _knots(column: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct values of a column and their ranks; if too many, those at evenly spaced ranks, including both ends."""
    values, inverse = np.unique(column, return_inverse=True)
    mass = np.bincount(inverse, share, values.size)
    levels = np.cumsum(mass) - mass / 2
    if values.size > KNOTS:
        even = np.searchsorted(levels, np.linspace(levels[0], levels[-1], KNOTS - 2))
        kept = np.unique(np.concatenate([[0], np.minimum(even, values.size - 1), [values.size - 1]]))
        values, levels = values[kept], levels[kept]
    return values, levels


def kernel_coordinates(
    kernels: Iterable[str], columns: Coordinates, rows: LabeledData, standardize: bool
) -> dict[str, Coordinates]:
    """The coordinates of each kernel but the linear one: the scaled columns, or the ranks among the given rows."""
    coordinates = {}
    for name in kernels:
        if name != "linear":
            coordinates[name] = _scaled_ranks(rows, standardize) if KERNELS[name].ranked else columns
    return coordinates


def _scaled_ranks(rows: LabeledData, standardize: bool) -> Coordinates:
    """Ranks of the columns, divided by their overall standard deviation if `standardize`."""
    X, y, weight = rows.weighted()
    ranks = Coordinates.of_ranks(X, weight)
    return replace(ranks, scale=column_scale(Moments.of(ranks(X), y, weight, full=False), standardize))


def median_distance(distances: np.ndarray) -> float:
    """The median distance between distinct landmarks, whose inverse is the unit of gamma; 1 if all are equal."""
    above = distances[np.triu_indices_from(distances, 1)]
    apart = above[above > 1e-12 * above.max(initial=0.0)]
    return float(np.median(apart)) if apart.size else 1.0


def _absolute(A: np.ndarray, Z: np.ndarray) -> np.ndarray:
    out = np.zeros((A.shape[0], Z.shape[0]))
    _add_absolute(np.ascontiguousarray(A), np.ascontiguousarray(Z.T), out)
    return out


def _squared(A: Any, Z: Any) -> np.ndarray:
    """|a|^2 + |z|^2 - 2 a.z; dense rows are centred at the mean landmark to reduce cancellation."""
    if not is_sparse(A):
        centre = Z.mean(axis=0)
        A, Z = A - centre, Z - centre
    out = dense(A @ Z.T)
    out *= -2.0
    out += squared_norms(as_rows(A), A.shape[0])[:, None]
    out += squared_norms(as_rows(Z), Z.shape[0])
    return np.maximum(out, 0.0, out=out)


@compiled
def _add_absolute(A, columns, out):
    """Column by column, so that the landmarks are contiguous."""
    for i in range(out.shape[0]):
        for j in range(A.shape[1]):
            a = A[i, j]
            for k in range(out.shape[1]):
                out[i, k] += abs(a - columns[j, k])
