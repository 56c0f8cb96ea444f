"""What Newton's method adds up in a pass: box moments of weighted rows, and curvatures, of any number of models.

Rows are put into boxes by their scores (losses/analytic_sums.py). With z a row, centred and scaled, r its weight in
its class and T_k(t) the Chebyshev polynomials of its place in its box, the first pass of a step adds up

    sum_i r_i T_k(t_i)     and     sum_i r_i T_k(t_i) z_i        for every box, class and k

from which the loss, its gradient and the cross terms of its Hessian follow; the second adds up
sum_i r_i F''_i z_i z_i', with F''_i the sum of the second derivatives over the partners of row i.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from aucmax.losses.analytic_sums import TERMS, BoxedRows, BoxMoments, expansions
from aucmax.losses.logistic import derivatives
from aucmax.numerics.matrix import dense
from aucmax.problem.data import Data
from aucmax.scale.folds import hash_folds
from aucmax.scale.row_reader import NumberedRows
from aucmax.scale.several import Several


class Standardizer(NamedTuple):
    """From rows to centred and scaled ones, with weights that sum to 1 in each class."""

    centre: np.ndarray
    scale: np.ndarray
    totals: tuple[float, float]

    @classmethod
    def of(cls, data: Data) -> Standardizer:
        """From the moments of all rows."""
        moments = data.raw_moments
        return cls(data.raw_means.mean(axis=0), data.scale, (moments.pos.weight, moments.neg.weight))

    def __call__(self, rows: NumberedRows) -> tuple[np.ndarray, np.ndarray]:
        """The rows and their weights."""
        X, y, weight = rows.data
        return (dense(X) - self.centre) / self.scale, weight / np.where(y > 0, *self.totals)


@dataclass(frozen=True, eq=False)
class VectorBoxMoments:
    """Box moments of the weights, and of the weighted rows; those of parts add up."""

    boxes: BoxMoments
    pos: np.ndarray  # of the positive rows, of shape (boxes, TERMS, dim)
    neg: np.ndarray

    def __add__(self, other: VectorBoxMoments) -> VectorBoxMoments:
        boxes = BoxMoments.merged([self.boxes, other.boxes])
        pos, neg = np.zeros((2, boxes.at.size, *self.pos.shape[1:]))
        for part in (self, other):
            index = np.searchsorted(boxes.at, part.boxes.at)
            pos[index] += part.pos
            neg[index] += part.neg
        return VectorBoxMoments(boxes, pos, neg)

    def terms(self) -> NewtonTerms:
        """What a step needs of them."""
        first, second = derivatives().first, derivatives().second
        of_pos, of_neg = self.boxes.over_partners(first)
        gradient = np.tensordot(of_pos, self.pos, 2) - np.tensordot(of_neg, self.neg, 2)
        loss = self.boxes.over_pairs(derivatives().value)
        return NewtonTerms(loss, gradient, self._cross_terms(), self.boxes.at, *self.boxes.over_partners(second))

    def _cross_terms(self) -> np.ndarray:
        second = derivatives().second
        columns = [
            expansions(self.boxes.at, np.ascontiguousarray(column), second) for column in self.neg.transpose(2, 0, 1)
        ]
        partners = np.stack(columns, axis=2)
        return np.tensordot(self.pos, partners, ((0, 1), (0, 1)))


class NewtonTerms(NamedTuple):
    """The loss and its derivatives at some weights, but for the squares of the rows."""

    loss: float
    gradient: np.ndarray
    cross: np.ndarray  # the sum over all pairs of f''(s - s') z z'
    at: np.ndarray  # all boxes
    of_pos: np.ndarray  # F'' of the positive rows, box by box
    of_neg: np.ndarray


@dataclass(frozen=True, eq=False)
class FoldTrainingRows:
    """The rows that a model is fitted to.

    Parameters
    ----------
    standardize : Standardizer
    fold : int or None
        The fold that is held out, or none.
    n_folds : int
    """

    standardize: Standardizer
    fold: int | None = None
    n_folds: int = 1

    def __call__(self, rows: NumberedRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Standardized rows, labels and weights."""
        if self.fold is not None:
            rows = rows.rows(np.flatnonzero(hash_folds(rows.groups, self.n_folds) != self.fold))
        Z, r = self.standardize(rows)
        return Z, rows.data.y, r


@dataclass(frozen=True, eq=False)
class BoxMomentsOf:
    """The box moments of the rows of a chunk, for several models at their weights."""

    models: list[tuple[FoldTrainingRows, np.ndarray]]

    def __call__(self, rows: NumberedRows) -> Several:
        """One for each model."""
        parts = []
        for training, group in groupby(self.models, key=itemgetter(0)):
            Z, y, r = training(rows)
            parts += [_box_moments(Z, y, r, w) for _, w in group]
        return Several(tuple(parts))


def all_terms(moments: Several) -> Several:
    """What a step needs, of every model."""
    return Several(tuple(part.terms() for part in moments.parts))


def _box_moments(Z: np.ndarray, y: np.ndarray, r: np.ndarray, w: np.ndarray) -> VectorBoxMoments:
    boxed = BoxedRows.of(Z @ w, y)
    both = np.zeros((2, boxed.at.size, TERMS, Z.shape[1]))
    weighted = r[:, None] * chebvander(boxed.place, TERMS - 1)
    order = np.argsort(2 * boxed.box + (y < 0), kind="stable")
    keys = (2 * boxed.box + (y < 0))[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    for start, stop in zip(starts, [*starts[1:], keys.size]):
        mine = order[start:stop]
        box, side = divmod(int(keys[start]), 2)
        both[side, box] = weighted[mine].T @ Z[mine]
    return VectorBoxMoments(boxed.moments(r), both[0], both[1])


@dataclass(frozen=True, eq=False)
class CurvaturesOf:
    """sum_i r_i F''_i z_i z_i' over the rows of a chunk, for several models."""

    models: list[tuple[FoldTrainingRows, np.ndarray, NewtonTerms]]

    def __call__(self, rows: NumberedRows) -> Several:
        """One for each model."""
        parts = []
        for training, group in groupby(self.models, key=itemgetter(0)):
            Z, y, r = training(rows)
            for _, w, terms in group:
                boxed = BoxedRows.of(Z @ w, y)
                index = np.searchsorted(terms.at, boxed.at)
                second = boxed.evaluate(terms.of_pos[index], terms.of_neg[index])
                parts.append(Z.T @ ((r * second)[:, None] * Z))
        return Several(tuple(parts))
