"""Kernel functions of a distance.

rbf          exp(-gamma |x - z|^2)
laplacian    exp(-gamma |x - z|_1)
ranks        exp(-gamma |F(x) - F(z)|_1), F the distribution functions of the columns: invariant to their units
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import as_rows, dense, is_sparse, squared_norms


class Kernel(NamedTuple):
    """A radial kernel."""

    name: str
    norm: str  # of the distance: "l1", or "l2" for the squared Euclidean distance
    ranked: bool  # whether it compares ranks instead of values

    def distances(self, A: Any, Z: Any) -> np.ndarray:
        """|a - z|_1 or |a - z|^2 between all rows of two tables of coordinates, of shape (n, m)."""
        return _absolute(A, Z) if self.norm == "l1" else _squared(A, Z)

    def values(self, distances: np.ndarray, gamma: float) -> np.ndarray:
        """The kernel at these distances, which are not modified."""
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
    taken = [name for name in names if not sparse or name == "linear" or KERNELS[name].norm == "l2"]
    if kernel != "auto" and len(taken) < len(names):
        refused = sorted(set(names) - set(taken))
        raise ValueError(
            f"kernel {refused} does not support sparse tables; pass X.toarray(), or use 'linear' or 'rbf'"
        )
    return list(dict.fromkeys(taken))


def supports_sparse(kernel: Any) -> bool:
    """Whether a sparse table can be fitted with this kernel, or these kernels."""
    try:
        return bool(find_kernels(kernel, sparse=True))
    except ValueError:
        return False


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
