"""Segmentations: the best piecewise constant fits of a sequence with 0, 1, 2, ... changes, by squared error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.validation.params import check_number

LARGEST = 1e153  # value over the root of the length: squares of twice as much still add up
ROUNDING = 4.0 * np.finfo(float).eps  # of the largest value: a fit as near as that is exact


@dataclass(frozen=True, eq=False)
class Segmentations:
    """The best fits of one sequence, by their number of changes.

    Attributes
    ----------
    loss : array
        Sum of squared errors with 0, 1, 2, ... changes.
    changes : list of arrays
        The places of these changes: how many values are before each.
    length : int
        The number of values of the sequence, beyond which no label may end; infinite if not given.
    """

    loss: np.ndarray
    changes: list[np.ndarray]
    length: float = np.inf


def segment(sequence: Any, max_segments: int = 20) -> Segmentations:
    """Find the best segmentations of a sequence with up to so many segments; needs ruptures.

    Parameters
    ----------
    sequence : array of shape (n,)
        Finite numbers.
    max_segments : int
        The largest number of segments, at least 1. A run takes time in proportion to it and to n^2.

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
    check_number("max_segments", max_segments, whole=True)
    n_changes = min(max_segments, values.size) - 1
    changes = [np.arange(0), *_places(values, n_changes)]
    return Segmentations(np.array([_loss(values, places) for places in changes]), changes, values.size)


def check_sequences(sequences: Iterable[Any]) -> list[np.ndarray]:
    """Sequences as arrays of finite numbers."""
    checked = [check_sequence(sequence, f" {i}") for i, sequence in enumerate(sequences)]
    if not checked:
        raise ValueError("there are no sequences; pass at least one")
    return checked


def check_sequence(sequence: Any, number: str = "") -> np.ndarray:
    """A sequence as an array of finite numbers; an error says which sequence is wrong."""
    values = np.asarray(sequence, dtype=float)
    if values.ndim != 1 or values.size == 0:
        text = f"sequence{number} has shape {values.shape}"
        raise ValueError(f"{text}; a sequence is a row of at least one number, several are a list of such rows")
    finite = np.isfinite(values)
    if not finite.all():
        where = int(finite.argmin())
        raise ValueError(f"sequence{number} has {values[where]} at place {where}; fill it in or cut it out")
    where = int(np.abs(values).argmax())
    if abs(values[where]) > LARGEST / np.sqrt(values.size):
        text = f"sequence{number} has {values[where]:g} at place {where}, whose square overflows"
        raise ValueError(f"{text}; divide the sequence by its size")
    return values


def _places(values: np.ndarray, n_changes: int) -> list[np.ndarray]:
    """Places of 1, 2, ... changes; the sequence is centred, since ruptures adds up squares."""
    if n_changes == 0:
        return []
    try:
        from ruptures import KernelCPD
    except ModuleNotFoundError:
        message = "segmentations need ruptures; install it: pip install 'aucmax[changepoint]'"
        raise ModuleNotFoundError(message) from None
    centred = (values - values.mean()) / (np.abs(values).max() or 1.0)
    search = KernelCPD(kernel="linear", min_size=1).fit(centred[:, None])
    search.predict(n_bkps=n_changes)
    return [np.array(search.segmentations_dict[k][:-1]) for k in range(1, n_changes + 1)]


def _loss(values: np.ndarray, places: np.ndarray) -> float:
    """Sum of squared distances to the means of the segments; zero if only rounding is left of them."""
    starts = np.concatenate(([0], places))
    sizes = np.diff(np.concatenate((starts, [values.size])))
    means = np.add.reduceat(values, starts) / sizes
    distances = values - np.repeat(means, sizes)
    exact = np.abs(distances).max() <= ROUNDING * np.abs(values).max() * np.sqrt(values.size)
    return 0.0 if exact else float(distances @ distances)
