"""Ridge: an L2 penalty along the line of a search, and the steps of least penalised AUM.

With weights w + s d the penalty l2/2 |w + s d|^2 adds the parabola

    linear s + quadratic/2 s^2,    linear = l2 w.d,    quadratic = l2 d.d

to AUM(s), which is linear between two rows of a walk: the minimum of the sum is a row, or where the parabola has
minus the slope of AUM. If AUM is convex, its slope m after a step s bounds the minimum on the other side of s by
-(linear + m) / quadratic, and no crossing need be visited.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.aum.line_search.lines import TIED, Lines, at_step
from aucmax.aum.line_search.walk import AUM, SLOPE, STEP


class Ridge(NamedTuple):
    """The penalty along a line, without its constant."""

    linear: float
    quadratic: float

    @classmethod
    def of(cls, l2: float, w: np.ndarray, d: np.ndarray) -> Ridge:
        """Of weights w along d."""
        return cls(l2 * float(w @ d), l2 * float(d @ d))

    def value(self, step: Any) -> Any:
        """What the penalty adds at some steps."""
        return self.linear * step + 0.5 * self.quadratic * step**2

    def bottom(self, slope: Any) -> Any:
        """Where the penalty plus a line of that slope is least."""
        return -(slope + self.linear) / self.quadratic

    def convex_minimum(self, lines: Lines) -> float:
        """The step of least penalised AUM along lines of monotone errors, by bisection."""
        low, slope_low = 0.0, at_step(lines, 0.0).slope
        high, slope_high = max(self.bottom(slope_low), 0.0), np.inf
        while high - low > TIED * high and slope_low < slope_high:
            step = 0.5 * (low + high)
            slope = at_step(lines, step).slope
            bottom = self.bottom(slope)
            if bottom <= step:
                low, high, slope_high = max(low, bottom), step, slope
            else:
                low, high, slope_low = step, min(high, bottom), slope
        return float(min(max(self.bottom(slope_low), low), high))

    def lowest(self, rows: np.ndarray, end: float) -> float:
        """The step of least penalised AUM among the rows of a walk and between them, up to `end`."""
        step, slope = rows[STEP], rows[SLOPE]
        inner = np.clip(self.bottom(slope), step, np.append(step[1:], end))
        return float(inner[np.argmin(rows[AUM] + slope * (inner - step) + self.value(inner))])


class FirstRidgeMin:
    """The first local minimum of penalised AUM, as a rule of the line search (see `stopping`)."""

    def __init__(self, ridge: Ridge) -> None:
        self.first = self.last = 0.0
        self._ridge = ridge

    def sees(self, rows: np.ndarray) -> bool:
        """Stop at the first row after which penalised AUM rises; the minimum is there or before."""
        bottom = self._ridge.bottom(rows[SLOPE])
        risen = np.flatnonzero(bottom <= rows[STEP])[:1]
        if risen.size:
            end = float(rows[STEP, risen[0]])
            before = float(bottom[risen[0] - 1]) if risen[0] else self.first
            self.first = min(before, end)
        else:
            self.first = float(bottom[-1])
        self.last = self.first
        return bool(risen.size)
