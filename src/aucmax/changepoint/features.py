"""Features: 365 numbers that describe a sequence.

Its length n and, for the values, their residuals from the mean and their differences, each as they are, absolute and
squared: sum, mean, standard deviation and five quantiles. Each of these 73 numbers is used as it is and transformed
by sqrt, log, log log and square. Many are not finite, such as the log of a negative sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np

from aucmax.changepoint.segmentation import check_sequence, check_sequences

_STATISTICS = ("sum", "mean", "sd", "quantile.0%", "quantile.25%", "quantile.50%", "quantile.75%", "quantile.100%")
_SERIES = tuple(" ".join(pair) for pair in product(("data", "residual", "diff"), ("orig", "abs", "square")))
_TRANSFORMS = ("identity", "sqrt", "log", "loglog", "square")
#: The names of the features of `feature_vector`, in its order.
FEATURE_NAMES = tuple(
    f"n.{transform}" for transform in _TRANSFORMS
) + tuple(".".join(parts) for parts in product(_SERIES, _TRANSFORMS, _STATISTICS))  # fmt: skip
_RESIDUAL = 3  # row of the residuals from the mean, whose sum is zero


def feature_vector(sequence: Any) -> np.ndarray:
    """Describe a sequence by 365 numbers, some of which may be NaN or infinite.

    Parameters
    ----------
    sequence : array of shape (n,)

    Returns
    -------
    array of shape (365,)
        Their names are in `FEATURE_NAMES`.

    Examples
    --------
    >>> described = dict(zip(FEATURE_NAMES, feature_vector([1.0, 2.0, 4.0])))
    >>> float(described["n.identity"]), float(described["diff abs.identity.mean"])
    (3.0, 1.5)
    """
    values = check_sequence(sequence)
    series = [form(part) for part in (values, values - values.mean(), np.diff(values)) for form in _FORMS]
    with np.errstate(all="ignore"):
        table = np.array([_statistics(part) for part in series])
        table[_RESIDUAL, :2] = 0.0  # instead of rounding errors
        length = [transform(np.float64(values.size)) for transform in _FUNCTIONS]
        body = np.stack([transform(table) for transform in _FUNCTIONS], axis=1)
    return np.concatenate((length, body.ravel()))


def feature_matrix(sequences: Iterable[Any]) -> np.ndarray:
    """Features of several sequences, one row for each.

    Parameters
    ----------
    sequences : list of arrays

    Examples
    --------
    >>> feature_matrix([[1.0, 2.0, 4.0], [3.0]]).shape
    (2, 365)
    """
    return np.array([feature_vector(sequence) for sequence in check_sequences(sequences)])


def _statistics(values: np.ndarray) -> np.ndarray:
    if values.size == 0:
        return np.full(len(_STATISTICS), np.nan)
    deviation = values.std(ddof=1) if values.size > 1 else np.nan
    return np.array([values.sum(), values.mean(), deviation, *np.quantile(values, (0, 0.25, 0.5, 0.75, 1))])


_FORMS = (np.asarray, np.abs, np.square)
_FUNCTIONS = (np.asarray, np.sqrt, np.log, lambda x: np.log(np.log(x)), np.square)
