"""Descent on AUM: its settings, and a single step.

With g the gradient of AUM with respect to the predictions Xw (`aum_subgradient`), and unit the smaller of the totals
of false positives and false negatives,

    P(w) = AUM(Xw) / unit + l2/2 |w|^2
    d = -(X'g / unit + l2 w),    w <- w + s d

At ties -g may not be a descent direction; then the one-sided derivatives are tried. Errors whose breakpoints are all
at the same value, as those of labels, do not determine the length of w: a normalization does (see `normalization`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.aum.descent.data import AUMData
from aucmax.aum.descent.line_search_rules import AUM_RULES, SearchLine, constant, step_by_auc, step_by_aum
from aucmax.aum.descent.normalization import NoNormalization, Normalization, UnitMeanDifference, UnitNorm
from aucmax.aum.line_search.penalty import LinePenalty
from aucmax.aum.value import TIED, AUMValue, aum, aum_subgradient
from aucmax.validation.params import Integer, Number, Option, check_params

LINE_SEARCHES = (*AUM_RULES, "constant")  # those for AUM
STEP_FROM = ("aum", "auc", "validation_aum", "validation_auc")
MIN_ROWS = 2  # of a walk: the first one is step 0
NEGLIGIBLE = 1e-14  # relative to the gradient: a direction this short is rounding
DESCENT_CONSTRAINTS: dict[str, list[Any]] = {
    "line_search": [Option(*LINE_SEARCHES, "max_auc"), Integer(MIN_ROWS)],
    "step_from": [Option(*STEP_FROM)],
    "eta": [Number(0, open="low")],
    "normalization": [Option("auto", "mean_difference", "norm", "none")],
    "max_epochs": [Integer(1)],
    "tol": [Number(0)],
    "patience": [None, Integer(1)],
}


class DescentPoint(NamedTuple):
    """Normalized weights on the path of a descent."""

    w: np.ndarray
    pred: np.ndarray  # predictions Xw
    aum: AUMValue  # with one-sided derivatives
    objective: float  # P(w)
    step: float  # size of the step that led here; 0 at the start


@dataclass(frozen=True, kw_only=True)
class Descent:
    """Settings of a descent on AUM.

    Parameters
    ----------
    line_search : {"first_min", "max_auc", "linear", "all", "grid", "constant"} or int
        The first minimum of AUM along the direction; the first local maximum of AUC, if `step_from` is an AUC; the
        best of the first crossings, as many as there are thresholds; the best of all; of the steps 10^-9, 10^-8 ..
        10^9; or of this number of rows of the walk, the first of which is step 0 (see `exact_line_search`). Or always
        the step `eta`.
    step_from : {"aum", "auc", "validation_aum", "validation_auc"}
        What is best: low AUM, or high AUC, on the subtrain or on the validation set. The direction is always computed
        on the subtrain set. "first_min" with an AUC is the highest up to the first minimum of AUM on that set.
    eta : float
        The constant step.
    l2 : float
        Strength of the penalty; it has no effect if |w| is fixed.
    normalization : {"auto", "mean_difference", "norm", "none"}
        What is fixed during the descent: w.delta = 1, delta being the difference of the class means; |w| = 1; or
        nothing. "auto" is "mean_difference" where AUM does not determine the length of w, as for labels, and "none"
        otherwise.
    max_epochs : int
        Maximum number of steps.
    tol : float
        Stop when a step lowers the objective by less than this fraction of it, and also what `step_from` names
        improves by no more: AUM by this fraction, AUC by `tol`.
    patience : int or None
        Stop after this number of steps without a better validation AUC.

    Examples
    --------
    >>> Descent(line_search="linear", tol=1e-3).max_epochs
    100
    """

    line_search: str | int = "first_min"
    step_from: str = "aum"
    eta: float = 1.0
    l2: float = 0.0
    normalization: str = "auto"
    max_epochs: int = 100
    tol: float = 1e-5
    patience: int | None = None

    parameter_constraints: ClassVar[dict[str, list[Any]]] = {**DESCENT_CONSTRAINTS, "l2": [Number(0)]}

    def __post_init__(self) -> None:
        check_params(self)
        if self.line_search == "max_auc" and not self.step_from.endswith("auc"):
            text = f"line_search='max_auc' searches for high AUC, but step_from={self.step_from!r}"
            raise ValueError(f"{text}; set step_from='auc' or step_from='validation_auc'")

    @property
    def searches_validation(self) -> bool:
        """Whether the line of the validation set determines the step size."""
        return self.step_from.startswith("validation_")

    @property
    def needs_validation(self) -> bool:
        """Whether a validation set determines the step size, or when to stop."""
        return self.searches_validation or self.patience is not None

    def with_epochs(self, n_epochs: int) -> Descent:
        """Settings for exactly this number of steps, if possible, without a validation set.

        Parameters
        ----------
        n_epochs : int
            The number of steps.
        """
        step_from = self.step_from.removeprefix("validation_")
        return replace(self, max_epochs=n_epochs, tol=0.0, patience=None, step_from=step_from)

    def start(self, train: AUMData, w: np.ndarray) -> DescentPoint:
        """The first point: the given weights, normalized.

        Parameters
        ----------
        train : AUMData
            The training rows.
        w : array of shape (d,)
            The weights.
        """
        if not w.any() and train.is_homogeneous:
            raise ValueError("the initial w is zero, where AUM of labels is zero too; start from other weights")
        pred = train.scores(w)
        fixed = self._normalization(train)
        if isinstance(fixed, UnitMeanDifference) and abs(w @ fixed.delta) <= TIED * np.abs(pred).max():
            raise ValueError(
                "the class means of the scores are equal, so their difference cannot be fixed at 1; pass columns "
                "whose means differ between the classes, start from other weights, or set normalization='norm'"
            )
        return self._point(train, w, pred, 0.0)

    def step(self, train: AUMData, point: DescentPoint, validation: AUMData | None = None) -> DescentPoint | None:
        """The point after one step; None if there is no descent direction.

        Parameters
        ----------
        train : AUMData
            The training rows.
        point : DescentPoint
            Where the last step ended.
        validation : AUMData, optional
            Rows that determine the step size, if `step_from` says so.
        """
        for d in self._directions(train, point):
            move = train.scores(d)
            line = SearchLine(train.errors, point.pred, move, LinePenalty.of(train.unit * self.l2, point.w, d))
            searched = line
            if validation is not None and self.searches_validation:
                penalty = LinePenalty.of(validation.unit * self.l2, point.w, d)
                scores = validation.scores(point.w)
                searched = SearchLine(validation.errors, scores, validation.scores(d), penalty)
            size = self._step_size(line, searched)
            if size > 0.0:
                return self._point(train, point.w + size * d, point.pred + size * move, size)
        return None

    def _step_size(self, line: SearchLine, searched: SearchLine) -> float:
        """The step size by the line search rule; zero if the predictions do not change."""
        if not line.move.any() or not searched.move.any():
            return 0.0
        if self.line_search == "constant":
            return constant(line, self.eta)
        if self.step_from.endswith("auc"):
            return step_by_auc(self.line_search, line, searched)
        return step_by_aum(self.line_search, searched)

    def _directions(self, train: AUMData, point: DescentPoint) -> Iterator[np.ndarray]:
        """Minus the gradient, then minus the one-sided derivatives where they differ from it."""
        normalization = self._normalization(train)
        subgradient = aum_subgradient(train.errors, point.pred)
        others = [side for side in (point.aum.right, point.aum.left) if (side != subgradient).any()]
        for side in (subgradient, *others):
            gradient = train.combine(side) / train.unit + self.l2 * point.w
            d = normalization.project(point.w, -gradient)
            if np.abs(d).max() > NEGLIGIBLE * np.abs(gradient).max():
                yield d

    def _point(self, train: AUMData, w: np.ndarray, pred: np.ndarray, step: float) -> DescentPoint:
        """The point at weights w, normalized."""
        factor = self._normalization(train).factor(w)
        w, pred = w * factor, pred * factor
        here = aum(train.errors, pred)
        return DescentPoint(w, pred, here, here.value / train.unit + 0.5 * self.l2 * float(w @ w), step)

    def _normalization(self, train: AUMData) -> Normalization:
        if self.normalization == "none" or (self.normalization == "auto" and not train.is_homogeneous):
            return NoNormalization()
        if self.normalization == "norm" or not train.mean_difference.any():
            return UnitNorm()
        return UnitMeanDifference(train.mean_difference)
