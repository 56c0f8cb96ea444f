"""AUC in cells: the weight of both classes between cut points of the scores, for many models in one pass.

A cell is a cut point itself or the open interval between two. With p_b and q_b the shares of the positive and of the
negative weight in cell b,

    AUC = sum_b p_b (q_1 + ... + q_{b-1} + q_b / 2)     up to     sum over intervals b of p_b q_b / 2

since rows in different cells are ordered, and rows at the same cut point are tied. If every score is a cut point, the
AUC is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.numerics.matrix import dot
from aucmax.scale.folds import hash_folds
from aucmax.scale.row_reader import NumberedRows

CUTS = 2**13  # cut points of a model


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """The weights of both classes in cells; those of parts add up.

    Parameters
    ----------
    weight : array of shape (..., 2, n_cells)
        Of the positive and of the negative rows; models come first.

    Examples
    --------
    >>> cuts = np.array([0.0, 1.0])
    >>> cells = ScoreCells(count_cells(cuts, np.array([0.0, 2.0, 1.5, 0.0]), np.array([-1, 1, -1, 1]), np.ones(4)))
    >>> auc, bound = cells.auc()
    >>> float(auc), float(bound)  # one of four pairs is tied, another is not told apart
    (0.5, 0.125)
    """

    weight: np.ndarray

    def __add__(self, other: ScoreCells) -> ScoreCells:
        return ScoreCells(self.weight + other.weight)

    def auc(self) -> tuple[np.ndarray, np.ndarray]:
        """The AUC of every model, and a bound on its error."""
        p, q = (self.weight[..., k, :] / self.weight[..., k, :].sum(axis=-1, keepdims=True) for k in (0, 1))
        below = np.cumsum(q, axis=-1) - 0.5 * q
        unknown = 0.5 * (p * q)[..., ::2].sum(axis=-1)
        return (p * below).sum(axis=-1), unknown


def cut_points(scores: np.ndarray, n_cuts: int = CUTS) -> np.ndarray:
    """Cut points of about equal mass from a sample of scores, padded with infinity to `n_cuts`."""
    distinct = np.unique(scores)
    if distinct.size > n_cuts:
        ascending = np.sort(scores)
        distinct = np.unique(ascending[np.linspace(0, ascending.size - 1, n_cuts).astype(np.int64)])
    return np.pad(distinct, (0, n_cuts - distinct.size), constant_values=np.inf)


def count_cells(cuts: np.ndarray, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The weight of both classes in every cell, of shape (2, 2 len(cuts) + 1); odd cells are the cut points."""
    above = np.searchsorted(cuts, scores, "right")
    cell = 2 * above - (cuts[np.maximum(above - 1, 0)] == scores)
    n_cells = 2 * cuts.size + 1
    both = np.bincount(cell + np.where(y > 0, 0, n_cells), weight, minlength=2 * n_cells)
    return both.reshape(2, n_cells)


@dataclass(frozen=True, eq=False)
class FoldCellsOf:
    """The cells of the rows of a chunk: each row is scored by the models of its fold, which have not seen it.

    Parameters
    ----------
    weights : list of arrays of shape (dim, n_models)
        Of every fold.
    cuts : array of shape (n_folds, n_models, n_cuts)
    """

    weights: list[np.ndarray]
    cuts: np.ndarray

    @classmethod
    def of(cls, weights: list[np.ndarray], sample: Any) -> FoldCellsOf:
        """With cut points from the scores of sampled rows."""
        scores = [dot(sample, models) for models in weights]
        n_cuts = min(CUTS, scores[0].shape[0])
        cuts = [[cut_points(column, n_cuts) for column in models.T] for models in scores]
        return cls(weights, np.array(cuts))

    def __call__(self, rows: NumberedRows) -> ScoreCells:
        """The cells of all folds and models."""
        X, y, weight = rows.data
        n_folds, n_models, n_cuts = self.cuts.shape
        fold = hash_folds(rows.groups, n_folds)
        out = np.zeros((n_folds, n_models, 2, 2 * n_cuts + 1))
        for k, models in enumerate(self.weights):
            mine = np.flatnonzero(fold == k)
            for j, scores in enumerate(np.ascontiguousarray(dot(X, models, mine).T)):
                out[k, j] = count_cells(self.cuts[k, j], scores, y[mine], weight[mine])
        return ScoreCells(out)
