"""The L2 penalty along a search line, and the steps that minimise penalised AUM.

With weights w + s d the penalty l2/2 |w + s d|^2 adds the parabola

    linear s + quadratic/2 s^2,    linear = l2 w.d,    quadratic = l2 d.d

to AUM(s), which is linear between two rows of a walk: the minimum of the sum is at a row, or where the slope of the
parabola is minus that of AUM. If AUM is convex, its slope m after a step s bounds the minimum on the other side of s
by -(linear + m) / quadratic, and no crossing needs to be visited.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.aum.line_search.convex import MAX_BISECTIONS
from aucmax.aum.line_search.thresholds import ThresholdLines, evaluate_at
from aucmax.aum.line_search.walk import AUM, SLOPE, STEP
from aucmax.aum.value import TIED


class LinePenalty(NamedTuple):
    """The L2 penalty along a line, without its constant term."""

    linear: float
    quadratic: float

    @classmethod
    def of(cls, l2: float, w: np.ndarray, d: np.ndarray) -> LinePenalty:
        """That of weights w along the direction d."""
        return cls(l2 * float(w @ d), l2 * float(d @ d))

    def value(self, step: Any) -> Any:
        """The penalty at given steps."""
        return self.linear * step + 0.5 * self.quadratic * step**2

    def minimum(self, slope: Any) -> Any:
        """The step that minimises the penalty plus a line of the given slope."""
        return -(slope + self.linear) / self.quadratic

    def minimise_convex(self, lines: ThresholdLines) -> float:
        """The step that minimises penalised AUM along lines of monotone errors, by bisection."""
        slope_low = evaluate_at(lines, 0.0).slope
        slope_high = np.inf
        low, high = 0.0, max(self.minimum(slope_low), 0.0)
        for _ in range(MAX_BISECTIONS):
            step = 0.5 * (low + high)
            if high - low <= TIED * high or slope_low >= slope_high:
                break
            slope = evaluate_at(lines, step).slope
            minimum = self.minimum(slope)
            if minimum <= step:
                low, high, slope_high = max(low, minimum), step, slope
            else:
                low, high, slope_low = step, min(high, minimum), slope
        return float(min(max(self.minimum(slope_low), low), high))

    def minimise_rows(self, rows: np.ndarray, end: float) -> float:
        """The step that minimises penalised AUM at the rows of a walk and between them, up to `end`."""
        step = rows[STEP]
        slope = rows[SLOPE]
        inner = np.clip(self.minimum(slope), step, np.append(step[1:], end))
        return float(inner[np.argmin(rows[AUM] + slope * (inner - step) + self.value(inner))])


class FirstPenalisedMinimum:
    """The first local minimum of penalised AUM, as a stopping rule of the line search."""

    def __init__(self, penalty: LinePenalty) -> None:
        self.first = self.last = 0.0
        self._penalty = penalty

    def update(self, rows: np.ndarray) -> bool:
        """Stop at the first row after which penalised AUM rises; the minimum is there or before."""
        minimum = self._penalty.minimum(rows[SLOPE])
        rising = np.flatnonzero(minimum <= rows[STEP])[:1]
        if rising.size:
            end = float(rows[STEP, rising[0]])
            before = float(minimum[rising[0] - 1]) if rising[0] else self.first
            self.first = min(before, end)
        else:
            self.first = float(minimum[-1])
        self.last = self.first
        return bool(rising.size)
