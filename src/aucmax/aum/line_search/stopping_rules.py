"""Stopping rules of the line search: what a walk along the crossings looks for, and when it is found.

A rule is updated with batches of rows (step, aum, slope after, auc, auc after) until it returns True. Then `first`
and `last` are the ends of the interval of steps that it looked for; `last` is infinite if it has no end.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from aucmax.aum.line_search.walk import AUC_AFTER, AUM, SLOPE, STEP

EQUAL = 1e-12  # difference below which two AUC are equal, or two AUM relative to the first


class StoppingRule(Protocol):
    """The interface that `search_until` expects."""

    first: float
    last: float

    def update(self, rows: np.ndarray) -> bool:
        """Take in the next rows; True if the interval is found."""


class FirstMinimum:
    """The first local minimum of AUM, and how far AUM stays flat there."""

    def __init__(self) -> None:
        self.first, self.last = 0.0, np.inf
        self._falls = False

    def update(self, rows: np.ndarray) -> bool:
        """Stop at the first row after which AUM rises."""
        rising = np.flatnonzero(rows[SLOPE] > 0.0)[:1]
        seen = rows[:, : rising[0] + 1] if rising.size else rows
        falls = np.concatenate(([self._falls], seen[SLOPE] < 0.0))
        bottoms = np.flatnonzero(falls[:-1] & ~falls[1:])
        if bottoms.size:
            self.first = float(seen[STEP, bottoms[-1]])
        self._falls = bool(falls[-1])
        if self._falls:
            self.first = float(seen[STEP, -1])  # the last row so far
        if rising.size:
            self.last = float(seen[STEP, -1])
        return bool(rising.size)


class FirstMaximumAUC:
    """The first local maximum of AUC: between the last rise before it and the first fall."""

    def __init__(self) -> None:
        self.first, self.last = 0.0, np.inf
        self._before: float | None = None

    def update(self, rows: np.ndarray) -> bool:
        """Stop at the first row after which AUC is lower than before."""
        auc = rows[AUC_AFTER]
        change = np.diff(auc, prepend=auc[0] if self._before is None else self._before)
        self._before = float(auc[-1])
        falls = np.flatnonzero(change < -EQUAL)[:1]
        rises = np.flatnonzero(change[: falls[0] if falls.size else None] > EQUAL)
        if rises.size:
            self.first = float(rows[STEP, rises[-1]])
        if falls.size:
            self.last = float(rows[STEP, falls[0]])
        return bool(falls.size)


class BestAUC:
    """The largest AUC of all rows, the first of equal ones, and how far it holds."""

    def __init__(self) -> None:
        self.first, self.last = 0.0, np.inf
        self._best = -np.inf
        self._is_open = False  # whether the interval of the best AUC so far has no end yet

    def update(self, rows: np.ndarray) -> bool:
        """Never stop."""
        auc = rows[AUC_AFTER]
        start = 0
        best = float(auc.max())
        if best > self._best + EQUAL:
            start = int(np.argmax(auc >= best - EQUAL))
            self.first, self.last = float(rows[STEP, start]), np.inf
            self._best = best
            self._is_open = True
        if self._is_open:
            falls = start + np.flatnonzero(auc[start:] < self._best - EQUAL)[:1]
            if falls.size:
                self.last = float(rows[STEP, falls[0]])
                self._is_open = False
        return False


def lowest_aum(rows: np.ndarray) -> tuple[float, float]:
    """Where AUM is lowest among the rows, the first of equal ones, and how far it stays flat."""
    lowest = int(np.argmax(rows[AUM] <= rows[AUM].min() + EQUAL * rows[AUM, 0]))
    bends = lowest + np.flatnonzero(rows[SLOPE, lowest:] != 0.0)[:1]
    return float(rows[STEP, lowest]), float(rows[STEP, bends[0]]) if bends.size else np.inf


STOPPING_RULES: dict[str, type[StoppingRule]] = {
    "first_min": FirstMinimum,
    "max_auc": FirstMaximumAUC,
    "best_auc": BestAUC,
}
