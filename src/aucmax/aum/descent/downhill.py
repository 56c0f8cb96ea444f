"""Downhill: one step of a descent on AUM.

With g the gradient of AUM with respect to the predictions Xw, which tied examples share (`shared_gradient`), and unit
the lesser of the totals of false positives and false negatives,

    P(w) = AUM(Xw) / unit + l2/2 |w|^2
    d = -(X'g / unit + l2 w),    w <- w + s d

At ties -g may not lead downhill; then the one-sided derivatives are tried. Errors whose breakpoints are all at one
place, as those of labels, leave the length of w open: a gauge (see `gauge`) keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aucmax.aum.descent.examples import Examples
from aucmax.aum.descent.normalization import Free, Gauge, UnitContrast, UnitLength
from aucmax.aum.descent.steps import AUC_RULES, AUM_RULES, Line, constant
from aucmax.aum.line_search.lines import TIED
from aucmax.aum.line_search.ridge import Ridge
from aucmax.aum.value import AUM, aum, shared_gradient
from aucmax.validation.params import check_number

LINE_SEARCHES = (*AUM_RULES, "constant")
GAUGES = ("auto", "contrast", "length", "none")
STEP_FROM = ("aum", "validation_auc")
NOTHING = 1e-14  # of the gradient: a direction as short as this is rounding


class Point(NamedTuple):
    """Weights, their predictions, AUM with its derivatives, P(w), and the step that led there."""

    w: np.ndarray
    pred: np.ndarray
    aum: AUM
    objective: float
    step: float


@dataclass(frozen=True, kw_only=True)
class Descent:
    """Settings of a descent on AUM.

    Parameters
    ----------
    line_search : {"first_min", "linear", "all", "grid", "constant"}
        The first minimum of AUM along the direction; the lowest of the first crossings, as many as there are
        thresholds; the lowest of all; the best of the steps 10^-9, 10^-8 .. 10^9; or always the step `eta`.
    step_from : {"aum", "validation_auc"}
        Look for low AUM on the subtrain set or, along the same direction, for high AUC on the validation set: the
        highest up to the first minimum of AUM, of the first crossings, of all, or of the grid.
    eta : float
        The constant step.
    l2 : float
        Strength of the penalty; of no effect where |w| is kept.
    gauge : {"auto", "contrast", "length", "none"}
        What to keep on the way: w.delta = 1, delta being the difference of the class means; |w| = 1; or nothing.
        "auto" is "contrast" where AUM leaves the length of w open, as it does for labels, and "none" elsewhere.
    max_steps : int
        Steps after which to stop in any case.
    tol : float
        Stop when a step lowers the objective by less than this part of it (and, if `step_from` is
        "validation_auc", raises that by less).
    patience : int or None
        Stop after so many steps without a better validation AUC.

    Examples
    --------
    >>> Descent(line_search="linear", tol=1e-3).max_steps
    100
    """

    line_search: str = "first_min"
    step_from: str = "aum"
    eta: float = 1.0
    l2: float = 0.0
    gauge: str = "auto"
    max_steps: int = 100
    tol: float = 1e-5
    patience: int | None = None

    def __post_init__(self) -> None:
        for name, choices in (("line_search", LINE_SEARCHES), ("step_from", STEP_FROM), ("gauge", GAUGES)):
            if getattr(self, name) not in choices:
                raise ValueError(f"unknown {name} {getattr(self, name)!r}; choose one of {list(choices)}")
        check_number("eta", self.eta)
        check_number("l2", self.l2, zero=True)
        check_number("max_steps", self.max_steps, whole=True)
        check_number("tol", self.tol, zero=True)
        if self.patience is not None:
            check_number("patience", self.patience, whole=True)

    @property
    def needs_validation(self) -> bool:
        """Whether a validation set says how far to go, or when to stop."""
        return self.step_from == "validation_auc" or self.patience is not None

    def start(self, train: Examples, w: np.ndarray) -> Point:
        """The first point: the weights given, brought to the gauge."""
        if not w.any() and train.is_scale_free:
            raise ValueError("the start w is zero, where AUM of labels is zero too; start from other weights")
        pred, gauge = train.scores(w), self._gauge(train)
        if isinstance(gauge, UnitContrast) and abs(w @ gauge.delta) <= TIED * np.abs(pred).max():
            raise ValueError(
                "the class means of the scores agree, so that their distance cannot be kept at 1; pass columns whose "
                "means differ between the classes, start from other weights, or set gauge='length'"
            )
        return self._point(train, w, pred, 0.0)

    def step(self, train: Examples, point: Point, validation: Examples | None = None) -> Point | None:
        """The point one step further; None if no direction leads downhill."""
        for d in self._directions(train, point):
            move = train.scores(d)
            line = Line(train.errors, point.pred, move, Ridge.of(train.unit * self.l2, point.w, d))
            held_out = None
            if validation is not None and self.step_from == "validation_auc":
                held_out = Line(validation.errors, validation.scores(point.w), validation.scores(d), line.ridge)
            size = self._size(line, held_out)
            if size > 0.0:
                return self._point(train, point.w + size * d, point.pred + size * move, size)
        return None

    def _size(self, line: Line, held_out: Line | None) -> float:
        """How far to go; not at all where predictions do not change."""
        if not line.move.any() or (held_out is not None and not held_out.move.any()):
            return 0.0
        if self.line_search == "constant":
            return constant(line, self.eta)
        if held_out is not None:
            return AUC_RULES[self.line_search](line, held_out)
        return AUM_RULES[self.line_search](line)

    def _directions(self, train: Examples, point: Point) -> Iterator[np.ndarray]:
        """Downhill by the gradient, then by the derivatives of each side where they differ."""
        gauge, shared = self._gauge(train), shared_gradient(train.errors, point.pred)
        others = [side for side in (point.aum.right, point.aum.left) if (side != shared).any()]
        for side in (shared, *others):
            gradient = train.combine(side) / train.unit + self.l2 * point.w
            d = gauge.tangent(point.w, -gradient)
            if np.abs(d).max() > NOTHING * np.abs(gradient).max():
                yield d

    def _point(self, train: Examples, w: np.ndarray, pred: np.ndarray, step: float) -> Point:
        factor = self._gauge(train).factor(w)
        w, pred = w * factor, pred * factor
        here = aum(train.errors, pred)
        return Point(w, pred, here, here.value / train.unit + 0.5 * self.l2 * float(w @ w), step)

    def _gauge(self, train: Examples) -> Gauge:
        if self.gauge == "none" or (self.gauge == "auto" and not train.is_scale_free):
            return Free()
        return UnitContrast(train.contrast) if self.gauge != "length" and train.contrast.any() else UnitLength()
