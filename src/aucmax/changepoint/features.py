"""365 numbers that describe a sequence.

Its length n and, of the values, of their distances to the mean and of their differences, each as they are, absolute
and squared: sum, mean, standard deviation and five quantiles. Every one of these 73 numbers as it is and through
sqrt, log, log log and square. Many are not finite, such as the log of a negative sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np

from aucmax.changepoint.segmentation import check_sequence, check_sequences

_STATISTICS = ("sum", "mean", "sd", "quantile.0%", "quantile.25%", "quantile.50%", "quantile.75%", "quantile.100%")
_SERIES = tuple(f"{values} {way}" for values, way in product(("data", "residual", "diff"), ("orig", "abs", "square")))
_TRANSFORMS = ("identity", "sqrt", "log", "loglog", "square")
FEATURES = tuple(
    f"n.{transform}" for transform in _TRANSFORMS
) + tuple(".".join(parts) for parts in product(_SERIES, _TRANSFORMS, _STATISTICS))  # fmt: skip
_RESIDUAL = 3  # the distances to the mean, whose sum is zero


def features(sequence: Any) -> np.ndarray:
    """Describe a sequence by 365 numbers, some of which may be NaN or infinite.

    Parameters
    ----------
    sequence : array of shape (n,)

    Returns
    -------
    array of shape (365,)
        Their names are in `FEATURES`.

    Examples
    --------
    >>> described = dict(zip(FEATURES, features([1.0, 2.0, 4.0])))
    >>> float(described["n.identity"]), float(described["diff abs.identity.mean"])
    (3.0, 1.5)
    """
    values = check_sequence(sequence)
    series = [way(part) for part in (values, values - values.mean(), np.diff(values)) for way in _WAYS]
    with np.errstate(all="ignore"):
        table = np.array([_statistics(part) for part in series])
        table[_RESIDUAL, :2] = 0.0  # not what rounding leaves of it
        length = [transform(np.float64(values.size)) for transform in _FUNCTIONS]
        body = np.stack([transform(table) for transform in _FUNCTIONS], axis=1)
    return np.concatenate((length, body.ravel()))


def feature_table(sequences: Iterable[Any]) -> np.ndarray:
    """Features of several sequences, one row for each.

    Examples
    --------
    >>> feature_table([[1.0, 2.0, 4.0], [3.0]]).shape
    (2, 365)
    """
    return np.array([features(sequence) for sequence in check_sequences(sequences)])


def _statistics(values: np.ndarray) -> np.ndarray:
    if values.size == 0:
        return np.full(len(_STATISTICS), np.nan)
    spread = values.std(ddof=1) if values.size > 1 else np.nan
    return np.array([values.sum(), values.mean(), spread, *np.quantile(values, (0, 0.25, 0.5, 0.75, 1))])


_WAYS = (np.asarray, np.abs, np.square)
_FUNCTIONS = (np.asarray, np.sqrt, np.log, lambda x: np.log(np.log(x)), np.square)
