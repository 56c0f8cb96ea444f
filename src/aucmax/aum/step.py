"""One step of descent on AUM: the examples, the settings, the direction and the step size.

With g a subgradient of AUM with respect to the predictions Xw (`aum_subgradient`), and unit the smaller of the totals
of false positives and false negatives,

    P(w) = AUM(Xw) / unit + l2/2 |w|^2
    d = -(X'g / unit + l2 w),    w <- w + s d

At ties -g may not be a descent direction; then the one-sided derivatives are tried.

If all breakpoints are at the same value, as those of labels are, AUM(c f) = c AUM(f): any line search would shrink
the weights towards zero, where AUM is zero and nothing is learned. The difference of the class means of the scores is
therefore fixed at 1: directions are projected on w.delta = 0, and the weights rescaled after each step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.line_search import UNTIL, LinePenalty, exact_line_search
from aucmax.aum.lines import TIED
from aucmax.aum.value import AUMValue, aum, aum_subgradient
from aucmax.numerics.matrix import dot, transposed_dot
from aucmax.validation.params import Integer, Number, Option, check_params

GRID = np.append(0.0, 10.0 ** np.arange(-9, 10))  # the steps of the paper's baseline, and none
LINE_SEARCHES = (*UNTIL, "grid")
NEGLIGIBLE = 1e-14  # relative to the gradient: a direction this short is rounding


@dataclass(frozen=True, eq=False)
class AUMData:
    """Error functions of n examples and their features; column j of X is implicitly divided by `scale[j]`.

    Parameters
    ----------
    errors : ErrorFunctions
    X : array or CSR of shape (n_examples, dim)
    scale : array of shape (dim,), or 1.0
    """

    errors: ErrorFunctions
    X: Any
    scale: Any = 1.0

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or self.X.shape[0] != self.errors.n_examples:
            hint = "pass one row of features for each example"
            raise ValueError(f"X has shape {self.X.shape} but there are {self.errors.n_examples} examples; {hint}")

    def scores(self, w: np.ndarray) -> np.ndarray:
        """Predictions of weights w."""
        return dot(self.X, w / self.scale)

    def combine(self, c: np.ndarray) -> np.ndarray:
        """Sum of c_i x_i over the examples."""
        return transposed_dot(self.X, c) / self.scale

    @cached_property
    def unit(self) -> float:
        """What AUM is divided by in the objective: the smaller of total false positives and total false negatives."""
        return min(self.errors.total_fp, self.errors.total_fn)

    @cached_property
    def is_homogeneous(self) -> bool:
        """Whether all breakpoints are at the same value, as those of labels are: then AUM(c f) = c AUM(f)."""
        return bool((self.errors.v == self.errors.v[0]).all())

    @cached_property
    def mean_difference(self) -> np.ndarray:
        """Mean features of false negatives minus those of false positives: for labels, of the two classes."""
        errors = self.errors
        share = -errors.fn / errors.total_fn - errors.fp / errors.total_fp
        return self.combine(np.bincount(errors.example, share, errors.n_examples))


class DescentPoint(NamedTuple):
    """Normalized weights on the path of a descent."""

    w: np.ndarray
    pred: np.ndarray  # predictions Xw
    aum: AUMValue  # with one-sided derivatives
    objective: float  # P(w)
    step: float = 0.0  # size of the step that led here
    converged: bool = False  # whether that step lowered the objective by too little to go on


@dataclass(frozen=True, kw_only=True)
class Descent:
    """Settings of a descent on AUM.

    Parameters
    ----------
    line_search : {"first_min", "linear", "all", "grid"}
        How far to go along the direction: to the first minimum of AUM; to the lowest AUM of the first crossings, as
        many as there are thresholds, or of all crossings ("quadratic" in the paper), see `exact_line_search`; or to
        the best of the steps 10^-9, 10^-8 .. 10^9.
    l2 : float
        Strength of the penalty.
    normalization : {"mean_difference", "none"}
        What is fixed during the descent: w.delta = 1, delta being the difference of the class means, where AUM does
        not determine the length of w, as for labels; or nothing.
    max_epochs : int
        Maximum number of steps.
    tol : float
        Stop when a step lowers the objective by no more than this fraction of it.

    Examples
    --------
    >>> Descent(line_search="linear", tol=1e-3).max_epochs
    200
    """

    line_search: str = "first_min"
    l2: float = 0.0
    normalization: str = "mean_difference"
    max_epochs: int = 200
    tol: float = 1e-5

    parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "line_search": [Option(*LINE_SEARCHES)],
        "l2": [Number(0)],
        "normalization": [Option("mean_difference", "none")],
        "max_epochs": [Integer(0)],
        "tol": [Number(0)],
    }

    def __post_init__(self) -> None:
        check_params(self)

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
        delta = self._fixed_direction(train)
        if delta is not None and abs(w @ delta) <= TIED * np.abs(pred).max():
            raise ValueError(
                "the class means of the scores are equal, so their difference cannot be fixed at 1; pass columns "
                "whose means differ between the classes, start from other weights, or set normalization='none'"
            )
        return self._point(train, w, pred)

    def step(self, train: AUMData, point: DescentPoint) -> DescentPoint | None:
        """The point after one step; None if no direction lowers the objective.

        Parameters
        ----------
        train : AUMData
            The training rows.
        point : DescentPoint
            Where the last step ended.
        """
        for d in self._directions(train, point):
            move = train.scores(d)
            size = self._step_size(train, point, d, move) if move.any() else 0.0
            if size > 0.0:
                after = self._point(train, point.w + size * d, point.pred + size * move)
                decrease = point.objective - after.objective
                if decrease > 0.0:
                    return after._replace(step=size, converged=decrease <= self.tol * point.objective)
        return None

    def _step_size(self, train: AUMData, point: DescentPoint, d: np.ndarray, move: np.ndarray) -> float:
        """The step size by the line search; zero if no step is better than none."""
        penalty = LinePenalty.of(train.unit * self.l2, point.w, d)
        if self.line_search == "grid":
            values = [aum(train.errors, point.pred + step * move).value for step in GRID]
            return float(GRID[np.argmin(values + penalty.value(GRID))])
        return exact_line_search(train.errors, point.pred, move, self.line_search, penalty=penalty).step

    def _directions(self, train: AUMData, point: DescentPoint) -> Iterator[np.ndarray]:
        """Minus the gradient, then minus the one-sided derivatives where they differ from it."""
        delta = self._fixed_direction(train)
        subgradient = aum_subgradient(train.errors, point.pred)
        others = [side for side in (point.aum.right, point.aum.left) if (side != subgradient).any()]
        for side in (subgradient, *others):
            gradient = train.combine(side) / train.unit + self.l2 * point.w
            d = -gradient if delta is None else delta * (float(gradient @ delta) / float(delta @ delta)) - gradient
            if np.abs(d).max() > NEGLIGIBLE * np.abs(gradient).max():
                yield d

    def _point(self, train: AUMData, w: np.ndarray, pred: np.ndarray) -> DescentPoint:
        """The point at weights w, normalized."""
        delta = self._fixed_direction(train)
        factor = 1.0 if delta is None else 1.0 / float(w @ delta)
        w, pred = w * factor, pred * factor
        here = aum(train.errors, pred)
        return DescentPoint(w, pred, here, here.value / train.unit + 0.5 * self.l2 * float(w @ w))

    def _fixed_direction(self, train: AUMData) -> np.ndarray | None:
        """The vector whose product with the weights is kept at 1, if there is one."""
        if self.normalization == "none" or not train.is_homogeneous or not train.mean_difference.any():
            return None
        return train.mean_difference
