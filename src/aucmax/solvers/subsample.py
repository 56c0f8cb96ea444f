"""Subsample: a subset of the rows that stands for all of them, for a starting point and a preconditioner.

A tall table has many more rows than the Hessian needs: preconditioned by the Hessian of m >> dim rows, drawn evenly
from both classes, the full one is close to the identity, and conjugate gradients converge in two or three products.
Since the loss is a mean over pairs, each class may be subsampled at its own rate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucmax.losses.base import SmoothEvaluation
from aucmax.numerics.matrix import copy_rows, nonzeros
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem

ENOUGH = 20  # rows per column from which a subsample is worth its time
PLENTY = 500  # rows per column beyond which more of them gain nothing


class Subsample(NamedTuple):
    """Data of the rows in the subsample, dense and in scaled units."""

    data: Data

    @classmethod
    def of(cls, data: Data) -> Subsample | None:
        """As many rows as keep the cost of a Hessian below that of a product with X; None if these are too few."""
        size = min(nonzeros(data.X) // data.dim**2, PLENTY * data.dim)
        if size < ENOUGH * data.dim:
            return None
        pos, neg = np.flatnonzero(data.y > 0), np.flatnonzero(data.y < 0)
        half = min(size // 2, pos.size, neg.size)
        index = np.concatenate([_evenly(pos, max(half, size - neg.size)), _evenly(neg, max(half, size - pos.size))])
        rows = np.empty((index.size, data.dim))
        copy_rows(data.X, index, rows)
        rows /= data.scale
        return cls(Data.of(rows, data.y[index], data.weight[index], standardize=False))

    def inverse(self, problem: Problem, w: np.ndarray, free: np.ndarray) -> Callable[[np.ndarray], np.ndarray] | None:
        """v -> (Hessian + l2 I)^-1 v on the free weights, from the subsample; None if it is singular."""
        evaluation = problem.loss.at(self.data, self.data.scores(w))
        hessian = _hessian(evaluation, self.data.X[:, free])
        hessian[np.diag_indices_from(hessian)] += problem.penalty.l2
        try:
            factor = cho_factor(hessian, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None

        def solve(v: np.ndarray) -> np.ndarray:
            out = np.zeros(v.size)
            out[free] = cho_solve(factor, v[free], check_finite=False)
            return out

        return solve


def _evenly(rows: np.ndarray, size: int) -> np.ndarray:
    """`size` of the rows, evenly spaced; all of them if there are fewer."""
    return rows[np.linspace(0, rows.size - 1, min(size, rows.size)).astype(np.int64)]


def _hessian(evaluation: SmoothEvaluation, X: np.ndarray) -> np.ndarray:
    """X'LX."""
    products = np.empty((X.shape[1], X.shape[0]))
    for k in range(X.shape[1]):
        products[k] = evaluation.product(np.ascontiguousarray(X[:, k]))
    with threads_for(X.shape[1]):
        return products @ X
