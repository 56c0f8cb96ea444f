"""PenaltyTable: the label errors of every sequence as a function of its penalty."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum import ErrorFunctions
from aucmax.aum.errors import check_penalty_columns, selected_rows
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
        columns = check_penalty_columns(min_log_lambda, fp, fn)
        _check_sequences(index, columns, labels)
        rows = selected_rows(index, columns[0])
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
        """Errors as functions of the prediction -log(penalty), for AUM; see `ErrorFunctions.from_penalty_table`.

        False negatives at penalty zero and false positives at an infinite one, which no prediction can remove, are
        subtracted.
        """
        return ErrorFunctions.from_penalty_table(self.example, self.min_log_lambda, self.fp, self.fn)

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
