"""Updates of the moments of a stream: adding rows with forgetting, removing rows, adding columns.

With forgetting factor f, a row seen t rows ago has weight f^t. Within a class only ratios of weights matter, so the
weight of a class that has not been seen for a long time is bounded below: its next row dominates either way.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from aucmax.problem.moments import ClassMoments, Moments

SMALLEST_WEIGHT = 1e-100  # total weight of a class below which it decays no further
EQUAL_MEANS = 1e-10  # relative difference up to which the means of a column constant in both classes count as equal
LOST_DIGITS = 1e-5  # warn if a larger share of a variance may be rounding error
NOISE = 64 * np.finfo(float).eps  # rounding error of a difference, relative to what was subtracted


def add_rows(seen: Moments, X: Any, y: np.ndarray, weight: np.ndarray, kept: float) -> Moments:
    """The moments after these rows, each of which scales the weight of all rows before it by `kept`."""
    if kept == 1.0:
        return seen + Moments.of(X, y, weight, full=seen.full)
    age = np.arange(y.size)[::-1]
    newest = [int(age[side].min(initial=y.size)) for side in (y > 0, y < 0)]
    weight = weight * kept ** (age - np.where(y > 0, *newest))
    came = Moments.of(X, y, weight, full=seen.full)
    sides = zip((seen.pos, seen.neg), (came.pos, came.neg), newest, strict=True)
    return Moments(*(_decayed(_decayed(old, kept ** (y.size - last)) + new, kept**last) for old, new, last in sides))


def remove_rows(seen: Moments, X: Any, y: np.ndarray, weight: np.ndarray) -> Moments:
    """The moments as if these rows had never been seen; rows that cannot have been seen are rejected."""
    gone = Moments.of(X, y, weight, full=seen.full)
    pos = _without_rows(seen.pos, gone.pos, "positive")
    neg = _without_rows(seen.neg, gone.neg, "negative")
    still = (_diagonal(pos.scatter) == 0) & (_diagonal(neg.scatter) == 0)
    equal = still & (np.abs(pos.mean - neg.mean) <= EQUAL_MEANS * np.abs(pos.mean))
    return Moments(pos, replace(neg, mean=np.where(equal, pos.mean, neg.mean)))


def add_columns(seen: Moments, dim: int) -> Moments:
    """The moments padded to `dim` columns, of which the new ones were zero so far."""
    return Moments(*(_add_columns(part, dim - part.mean.size) for part in (seen.pos, seen.neg)))


def _decayed(part: ClassMoments, factor: float) -> ClassMoments:
    """The moments of the same rows with their weights multiplied by a factor; the count stays."""
    if part.weight * factor < SMALLEST_WEIGHT:
        factor = min(1.0, SMALLEST_WEIGHT / part.weight) if part.weight > 0 else 1.0
    return replace(part, weight=part.weight * factor, scatter=part.scatter * factor)


def _without_rows(seen: ClassMoments, gone: ClassMoments, name: str) -> ClassMoments:
    """One class without some of its rows; what is only rounding error is set to zero."""
    if gone.count == 0:
        return seen
    _check_weight(seen, gone, name)
    left = seen - gone
    if left.count == 0:
        return left
    share = seen.weight / left.weight
    spread = np.sqrt(_diagonal(seen.scatter) / seen.weight)
    size = spread + np.abs(seen.mean)
    noise = NOISE * share * seen.weight * (spread * size + NOISE * size**2)
    _check_variance(seen, gone, noise, name)
    constant = _diagonal(left.scatter) <= noise
    _warn_of_lost_digits(np.where(constant, 0.0, noise) / np.where(constant, 1.0, _diagonal(left.scatter)))
    mean = np.where(np.abs(left.mean) <= NOISE * share * size, 0.0, left.mean)
    return replace(left, mean=mean, scatter=_without_constant(left.scatter, constant))


def _check_weight(seen: ClassMoments, gone: ClassMoments, name: str) -> None:
    """Reject rows whose removal would leave a negative count or weight, or only one of them zero."""
    count = seen.count - gone.count
    weight = seen.weight - gone.weight
    if count < 0:
        raise ValueError(
            f"{gone.count:g} {name} rows to unlearn, but only {seen.count:g} were seen; unlearn only rows that were "
            "learned"
        )
    if (weight > 1e-9 * seen.weight) != (count > 0):
        raise ValueError(
            f"unlearning {name} rows of weight {gone.weight:g} would leave {count:g} rows of weight {weight:g}; "
            "unlearn rows with the weights they were learned with"
        )


def _check_variance(seen: ClassMoments, gone: ClassMoments, noise: np.ndarray, name: str) -> None:
    """Reject rows with a larger scatter than all rows seen, which no subset can have."""
    between = seen.weight * gone.weight / (seen.weight - gone.weight) * (gone.mean - seen.mean) ** 2
    excess = _diagonal(gone.scatter) + between - _diagonal(seen.scatter)
    if (excess > 1e3 * noise).any():
        raise ValueError(
            f"the {name} rows to unlearn were not all seen, or far larger ones were unlearned before: without them "
            f"the variance of column {int(np.argmax(excess / (noise + 1e-300)))} would be negative; unlearn only "
            "rows that were learned, or start a new stream"
        )


def _warn_of_lost_digits(doubt: np.ndarray) -> None:
    """Warn if rounding error is no longer small relative to what remains."""
    if doubt.max(initial=0.0) > LOST_DIGITS:
        warnings.warn(
            f"the unlearned rows were so much larger in column {int(np.argmax(doubt))} than the remaining ones that "
            f"its variance is only accurate to about {doubt.max():.0e}; start a new stream with the remaining rows",
            stacklevel=2,
        )


def _diagonal(scatter: np.ndarray) -> np.ndarray:
    return scatter if scatter.ndim == 1 else scatter.diagonal()


def _without_constant(scatter: np.ndarray, constant: np.ndarray) -> np.ndarray:
    """The scatter with zeros for constant columns."""
    return scatter * np.multiply.outer(~constant, ~constant) if scatter.ndim == 2 else scatter * ~constant


def _add_columns(part: ClassMoments, more: int) -> ClassMoments:
    return replace(part, mean=np.pad(part.mean, (0, more)), scatter=np.pad(part.scatter, (0, more)))
