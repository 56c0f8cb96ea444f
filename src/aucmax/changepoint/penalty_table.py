"""PenaltyTable: the label errors of every sequence as a function of its penalty."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum import ErrorFunctions
from aucmax.aum.errors import finite_column
from aucmax.changepoint.labels import as_list, check_labels, label_errors
from aucmax.changepoint.model_path import model_selection_path
from aucmax.changepoint.segmentation import Segmentations
from aucmax.changepoint.targets import target_intervals


@dataclass(frozen=True, eq=False)
class PenaltyTable:
    """Errors of n sequences, one row for every segmentation that some penalty selects.

    Made by `from_segmentations` from segmentations and labels, or by `from_rows` from columns.

    Attributes
    ----------
    starts : array of shape (n + 1,)
        The first row of every sequence, then the number of rows.
    min_log_lambda : array
        The log penalty from which a row holds, up to that of the next row; -inf in the first row of a sequence.
    fp, fn : arrays
        False positives and false negatives.
    n_labels : array of shape (n,)
        Number of labels of each sequence. One without labels has no errors, and is not used in training.
    """

    starts: np.ndarray
    min_log_lambda: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    n_labels: np.ndarray

    @classmethod
    def from_segmentations(cls, segmentations: Iterable[Segmentations], labels: Iterable[Any]) -> PenaltyTable:
        """From the segmentations of each sequence and its labels.

        Parameters
        ----------
        segmentations : iterable of Segmentations
            Those of each sequence.
        labels : iterable
            The labels of each sequence: `(start, end, kind)`.

        Examples
        --------
        >>> found = Segmentations(np.array([9.0, 1.0, 0.5]), [np.array([]), np.array([3]), np.array([2, 3])])
        >>> table = PenaltyTable.from_segmentations([found], [[(0, 4, "1change")]])
        >>> np.exp(table.min_log_lambda), table.fp, table.fn
        (array([0. , 0.5, 8. ]), array([1, 0, 0]), array([0, 0, 1]))
        """
        pairs = enumerate(zip(segmentations, as_list(labels), strict=True))
        parts = [_rows_of(found, listed, f" of sequence {i}") for i, (found, listed) in pairs]
        if not parts:
            raise ValueError("there are no segmentations; pass those of at least one sequence")
        low, fp, fn, n_labels = zip(*parts, strict=True)
        starts = np.cumsum([0, *map(len, low)])
        return cls(starts, np.concatenate(low), np.concatenate(fp), np.concatenate(fn), np.array(n_labels))

    @classmethod
    def from_rows(
        cls, example: ArrayLike, min_log_lambda: ArrayLike, fp: ArrayLike, fn: ArrayLike, n_labels: ArrayLike
    ) -> PenaltyTable:
        """From columns of one table, in any order.

        Parameters
        ----------
        example : array of int
            The sequence that a row belongs to: 0 .. n - 1.
        min_log_lambda, fp, fn : arrays
            As in the attributes; the first row of a sequence is assumed to hold from -inf on. Of rows of a sequence
            with equal log penalties the last counts.
        n_labels : array of shape (n,)
            A row has at most as many errors as its sequence has labels.

        Examples
        --------
        >>> table = PenaltyTable.from_rows([0, 1, 0], [-np.inf, -np.inf, 1.5], [1, 0, 0], [0, 0, 1], [1, 2])
        >>> table.starts, table.min_log_lambda
        (array([0, 2, 3]), array([-inf,  1.5, -inf]))
        """
        index = np.asarray(example)
        labels = np.asarray(n_labels)
        columns = _check_columns(min_log_lambda, fp, fn)
        _check_sequences(index, columns, labels)
        rows = _selected_rows(index, columns[0])
        starts = np.searchsorted(index[rows], np.arange(labels.size + 1))
        low, all_fp, all_fn = (column[rows] for column in columns)
        low[starts[:-1]] = -np.inf
        return cls(starts, low, all_fp, all_fn, labels)

    def __len__(self) -> int:
        return self.n_labels.size

    def __repr__(self) -> str:
        return f"PenaltyTable({len(self)} sequences, {self.n_labels.sum():g} labels, {self.fp.size} rows)"

    @property
    def example(self) -> np.ndarray:
        """The sequence that each row belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def subset(self, sequences: Any) -> PenaltyTable:
        """The rows of some of the sequences, given by their indices or by a mask.

        Parameters
        ----------
        sequences : array of int or bool
            Which sequences.
        """
        index = np.arange(len(self))[sequences]
        sizes = np.diff(self.starts)[index]
        starts = np.cumsum([0, *sizes])
        rows = np.arange(starts[-1]) + np.repeat(self.starts[index] - starts[:-1], sizes)
        return PenaltyTable(starts, self.min_log_lambda[rows], self.fp[rows], self.fn[rows], self.n_labels[index])

    def target_intervals(self) -> np.ndarray:
        """Lower and upper limit of the log penalties with the fewest errors, of shape (n, 2)."""
        return target_intervals(self.starts, self.min_log_lambda, self.fp + self.fn)

    def error_functions(self) -> ErrorFunctions:
        """Errors as functions of the prediction -log(penalty), for AUM.

        False negatives at penalty zero and false positives at an infinite one, which no prediction can remove, are
        subtracted (clipped at zero), since AUM would be infinite.

        Examples
        --------
        >>> columns = {"min_log_lambda": [-np.inf, 2.0, -np.inf, 0.5], "fp": [1, 0, 2, 0], "fn": [0, 0, 0, 1]}
        >>> errors = PenaltyTable.from_rows([0, 0, 1, 1], **columns, n_labels=[1, 2]).error_functions()
        >>> errors.v, errors.fp, errors.fn
        (array([-2. , -0.5]), array([1., 2.]), array([ 0., -1.]))
        """
        sizes = np.diff(self.starts)
        fp = np.maximum(self.fp - np.repeat(self.fp[self.starts[1:] - 1], sizes), 0.0)
        fn = np.maximum(self.fn - np.repeat(self.fn[self.starts[:-1]], sizes), 0.0)
        fp, fn = fp[:-1] - fp[1:], fn[:-1] - fn[1:]
        changes = np.flatnonzero((np.diff(self.example) == 0) & ((fp != 0) | (fn != 0)))
        v = -self.min_log_lambda[changes + 1]
        return ErrorFunctions(self.example[changes], v, fp[changes], fn[changes], len(self))

    def errors_at(self, log_penalty: ArrayLike) -> np.ndarray:
        """The number of errors of each sequence at its log penalty.

        Parameters
        ----------
        log_penalty : array of shape (sequences,) or float
            A log penalty for each sequence, or one for all.
        """
        penalties = np.asarray(log_penalty, dtype=float)
        if penalties.shape != (len(self),):
            text = f"log_penalty has shape {penalties.shape}"
            raise ValueError(f"{text}; pass one number for each of the {len(self)} sequences")
        if np.isnan(penalties).any():
            raise ValueError(f"log_penalty[{np.isnan(penalties).argmax()}] is nan; pass a number for every sequence")
        reached = self.min_log_lambda <= penalties[self.example]
        rows = self.starts[:-1] + np.add.reduceat(reached, self.starts[:-1], dtype=np.intp) - 1
        return self.fp[rows] + self.fn[rows]


def _rows_of(found: Segmentations, labels: Any, where: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Log penalties, false positives, false negatives and the number of labels of one sequence."""
    checked = check_labels(labels, found.length, where)
    path = model_selection_path(found.loss, np.arange(len(found.loss)))
    errors = label_errors([found.changes[k] for k in path.model], checked)
    with np.errstate(divide="ignore"):  # the first penalty is zero
        return np.log(path.min_lambda), errors.fp, errors.fn, len(checked)


def _check_columns(min_log_lambda: ArrayLike, fp: ArrayLike, fn: ArrayLike) -> list[np.ndarray]:
    """Log penalties (-inf is allowed) and numbers of errors, in double precision."""
    low = finite_column(min_log_lambda, "min_log_lambda", allowed=-np.inf)
    counts = [finite_column(values, name) for values, name in ((fp, "fp"), (fn, "fn"))]
    for count, name in zip(counts, ("fp", "fn")):
        if count.size != low.size:
            raise ValueError(f"{name} has {count.size} rows but min_log_lambda {low.size}; pass columns of one table")
        if count.min() < 0:
            raise ValueError(f"{name}[{count.argmin()}] is {count.min():g}; a number of errors cannot be negative")
    return [low, *counts]


def _selected_rows(example: np.ndarray, min_log_lambda: np.ndarray) -> np.ndarray:
    """The rows that some penalty selects, by example and log penalty; the last of equal ones."""
    order = np.lexsort((min_log_lambda, example))
    row = order[:-1]
    next_row = order[1:]
    is_selected = (example[row] != example[next_row]) | (min_log_lambda[row] != min_log_lambda[next_row])
    return order[np.append(is_selected, True)]


def _check_sequences(example: np.ndarray, columns: list[np.ndarray], n_labels: np.ndarray) -> None:
    """Every sequence has rows and a number of labels, and no row has more errors than that."""
    low, fp, fn = columns
    if example.shape != low.shape or example.dtype.kind not in "iu":
        text = f"example has shape {example.shape} and type {example.dtype}"
        raise ValueError(f"{text}; it must hold an integer from 0 for each of the {low.size} rows")
    found = np.unique(example)
    if not np.array_equal(found, np.arange(n_labels.size)):
        text = f"example has {found.size} different numbers, {found[0]} .. {found[-1]}"
        raise ValueError(f"{text}, for {n_labels.size} sequences; each of 0 .. {n_labels.size - 1} needs a row")
    if n_labels.ndim != 1 or n_labels.dtype.kind not in "iuf" or not (n_labels >= 0).all():
        raise ValueError("n_labels must hold a non-negative number for each sequence; 0 if it has no labels")
    excess = fp + fn - n_labels[example]
    if excess.max() > 0:
        row = int(excess.argmax())
        text = f"row {row} has {fp[row]:g} false positives and {fn[row]:g} false negatives"
        raise ValueError(f"{text} of {n_labels[example[row]]:g} labels; each label is at most one error")
