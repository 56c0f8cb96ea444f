"""Stopping rules of the line search: what is looked for along the rows of a walk, and when it is found.

A rule sees the rows in batches (columns step, aum, slope after, auc, auc after) and says when it has seen enough.
Then `first` and `last` are the ends of the interval of steps that it looked for; `last` is infinite if nothing
changes after `first`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from aucmax.aum.line_search.walk import AUC_AFTER, AUM, SLOPE, STEP

SAME = 1e-12  # two AUC are the same, or two AUM relative to that at the start


class Rule(Protocol):
    """What `line_search` asks of a rule."""

    first: float
    last: float

    def sees(self, rows: np.ndarray) -> bool:
        """Look at the next rows; whether that was enough."""


class FirstMin:
    """The first local minimum of AUM, and how far it is flat."""

    def __init__(self) -> None:
        self.first, self.last = 0.0, np.inf
        self._falls = False

    def sees(self, rows: np.ndarray) -> bool:
        """Stop at the first row after which AUM rises."""
        rising = np.flatnonzero(rows[SLOPE] > 0.0)[:1]
        upto = rows[:, : rising[0] + 1] if rising.size else rows
        falls = np.concatenate(([self._falls], upto[SLOPE] < 0.0))
        bottoms = np.flatnonzero(falls[:-1] & ~falls[1:])
        if bottoms.size:
            self.first = float(upto[STEP, bottoms[-1]])
        self._falls = bool(falls[-1])
        if self._falls:
            self.first = float(upto[STEP, -1])  # as far as was looked
        if rising.size:
            self.last = float(upto[STEP, -1])
        return bool(rising.size)


class MaxAUC:
    """The first local maximum of AUC: between the last rise before it and the first fall."""

    def __init__(self) -> None:
        self.first, self.last = 0.0, np.inf
        self._before: float | None = None

    def sees(self, rows: np.ndarray) -> bool:
        """Stop at the first row after which AUC is lower than before."""
        auc = rows[AUC_AFTER]
        change = np.diff(auc, prepend=auc[0] if self._before is None else self._before)
        self._before = float(auc[-1])
        falls = np.flatnonzero(change < -SAME)[:1]
        rises = np.flatnonzero(change[: falls[0] if falls.size else None] > SAME)
        if rises.size:
            self.first = float(rows[STEP, rises[-1]])
        if falls.size:
            self.last = float(rows[STEP, falls[0]])
        return bool(falls.size)


class BestAUC:
    """The largest AUC of all rows seen, the first of equals, and up to where it holds."""

    def __init__(self) -> None:
        self.first, self.last = 0.0, np.inf
        self._best, self._is_open = -np.inf, False

    def sees(self, rows: np.ndarray) -> bool:
        """Never stop."""
        auc = rows[AUC_AFTER]
        start, best = 0, float(auc.max())
        if best > self._best + SAME:
            start = int(np.argmax(auc >= best - SAME))
            self._best, self.first, self.last, self._is_open = best, float(rows[STEP, start]), np.inf, True
        if self._is_open:
            falls = start + np.flatnonzero(auc[start:] < self._best - SAME)[:1]
            if falls.size:
                self.last, self._is_open = float(rows[STEP, falls[0]]), False
        return False


def lowest_aum(rows: np.ndarray) -> tuple[float, float]:
    """Where AUM is lowest among the rows, the first of equals, and how far it is flat."""
    lowest = int(np.argmax(rows[AUM] <= rows[AUM].min() + SAME * rows[AUM, 0]))
    bends = lowest + np.flatnonzero(rows[SLOPE, lowest:] != 0.0)[:1]
    return float(rows[STEP, lowest]), float(rows[STEP, bends[0]]) if bends.size else np.inf


RULES: dict[str, type[Rule]] = {"first_min": FirstMin, "max_auc": MaxAUC, "best_auc": BestAUC}
