"""Segmentations: the optimal piecewise constant fits of a sequence with 0, 1, 2, ... changes, by squared error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.validation.params import Integer, check_param

LARGEST = 1e153  # value over the square root of the length: the sum of squares of twice as much does not overflow
ROUNDING = 4.0 * np.finfo(float).eps  # relative to the largest value: a fit this close is exact


@dataclass(frozen=True, eq=False)
class Segmentations:
    """The optimal fits of one sequence, by their number of changes.

    Attributes
    ----------
    loss : array
        Sum of squared errors with 0, 1, 2, ... changes.
    changes : list of arrays
        The positions of these changes: the number of values before each.
    length : int
        The length of the sequence, beyond which no label may end; infinite by default.
    """

    loss: np.ndarray
    changes: list[np.ndarray]
    length: float = np.inf


def segment(sequence: Any, max_segments: int = 20) -> Segmentations:
    """Find the optimal segmentations of a sequence with 1 .. `max_segments` segments; requires ruptures.

    Parameters
    ----------
    sequence : array of shape (n,)
        Finite numbers.
    max_segments : int
        The largest number of segments, at least 1. The time is proportional to it and to n^2.

    Returns
    -------
    Segmentations

    Examples
    --------
    >>> found = segment([0, 0, 0, 5, 5, 9, 9], max_segments=3)
    >>> found.changes, found.loss
    ([array([], dtype=int64), array([3]), array([3, 5])], array([100.,  16.,   0.]))
    """
    values = check_sequence(sequence)
    check_param("max_segments", max_segments, Integer(1))
    n_changes = min(max_segments, values.size) - 1
    changes = [np.arange(0), *_optimal_changes(values, n_changes)]
    return Segmentations(np.array([_loss(values, positions) for positions in changes]), changes, values.size)


def check_sequences(sequences: Iterable[Any]) -> list[np.ndarray]:
    """Sequences as arrays of finite numbers."""
    checked = [check_sequence(sequence, f" {i}") for i, sequence in enumerate(sequences)]
    if not checked:
        raise ValueError("there are no sequences; pass at least one")
    return checked


def check_sequence(sequence: Any, number: str = "") -> np.ndarray:
    """A sequence as an array of finite numbers; `number` names it in errors."""
    values = np.asarray(sequence, dtype=float)
    if values.ndim != 1 or values.size == 0:
        text = f"sequence{number} has shape {values.shape}"
        raise ValueError(f"{text}; pass a 1-d array of at least one number for each sequence, and several as a list")
    finite = np.isfinite(values)
    if not finite.all():
        where = int(finite.argmin())
        raise ValueError(f"sequence{number} has {values[where]} at index {where}; impute or remove it")
    where = int(np.abs(values).argmax())
    if abs(values[where]) > LARGEST / np.sqrt(values.size):
        text = f"sequence{number} has {values[where]:g} at index {where}, whose square overflows"
        raise ValueError(f"{text}; rescale the sequence")
    return values


def _optimal_changes(values: np.ndarray, n_changes: int) -> list[np.ndarray]:
    """Positions of 1, 2, ... changes; the sequence is centred, since ruptures sums squares."""
    if n_changes == 0:
        return []
    try:
        from ruptures import KernelCPD
    except ModuleNotFoundError:
        message = "segmentation requires ruptures; install it: pip install '.[changepoint]'"
        raise ModuleNotFoundError(message) from None
    centred = (values - values.mean()) / (np.abs(values).max() or 1.0)
    search = KernelCPD(kernel="linear", min_size=1).fit(centred[:, None])
    search.predict(n_bkps=n_changes)
    return [np.array(search.segmentations_dict[k][:-1]) for k in range(1, n_changes + 1)]


def _loss(values: np.ndarray, positions: np.ndarray) -> float:
    """Sum of squared residuals from the segment means; zero if they are only rounding."""
    starts = np.concatenate(([0], positions))
    sizes = np.diff(np.concatenate((starts, [values.size])))
    means = np.add.reduceat(values, starts) / sizes
    residuals = values - np.repeat(means, sizes)
    exact = np.abs(residuals).max() <= ROUNDING * np.abs(values).max() * np.sqrt(values.size)
    return 0.0 if exact else float(residuals @ residuals)
