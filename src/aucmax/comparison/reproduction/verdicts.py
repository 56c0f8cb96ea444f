"""Verdicts on printed numbers.

A run trains on n_train rows and tests on n_test; the R runs of a table share rows, so that the standard error of
their mean is not sd / sqrt(R) but, after Nadeau and Bengio (2003),

    se = sd sqrt(1/R + n_test / n_train)

Two means agree if they differ by at most 2 sqrt(se^2 + se'^2).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

VERDICTS = ("reproduced", "above", "below", "not reachable", "other task", "not run")


@dataclass(frozen=True)
class MeanAUC:
    """A mean of test AUC over runs.

    Examples
    --------
    >>> round(MeanAUC(0.83, 0.03, 20, 0.25).standard_error, 4)
    0.0164
    """

    mean: float
    deviation: float  # standard deviation of the runs
    runs: int
    ratio: float  # n_test / n_train

    @property
    def standard_error(self) -> float:
        """Of the mean, for runs that share rows."""
        return self.deviation * sqrt(1.0 / self.runs + self.ratio)

    @classmethod
    def of(cls, aucs: list[float], ratio: float) -> MeanAUC:
        """From the AUCs of at least two runs."""
        return cls(float(np.mean(aucs)), float(np.std(aucs, ddof=1)), len(aucs), ratio)

    def agrees_with(self, other: MeanAUC) -> bool:
        """Whether two means differ by at most two standard errors of their difference."""
        return abs(self.mean - other.mean) <= 2.0 * hypot(self.standard_error, other.standard_error)


def verdict_of(printed: MeanAUC, ours: MeanAUC, ceiling: MeanAUC | None = None) -> str:
    """How a printed number compares with ours.

    `ceiling` is the test AUC of the exact minimiser of the method's objective, its penalty and scaling chosen on the
    test rows. A printed mean that is significantly above it is not reachable.

    Examples
    --------
    >>> ours = MeanAUC(0.93, 0.002, 20, 0.25)
    >>> verdict_of(MeanAUC(0.931, 0.002, 20, 0.25), ours)
    'reproduced'
    >>> printed = MeanAUC(0.975, 0.001, 20, 0.25)
    >>> verdict_of(printed, ours), verdict_of(printed, ours, MeanAUC(0.935, 0.002, 20, 0.25))
    ('below', 'not reachable')
    """
    if ours.agrees_with(printed):
        return "reproduced"
    if ours.mean > printed.mean:
        return "above"
    beyond = ceiling is not None and ceiling.mean < printed.mean and not ceiling.agrees_with(printed)
    return "not reachable" if beyond else "below"


def agreed_verdict(verdicts: list[str]) -> str:
    """The verdict of several groupings of classes, when that of the paper is unknown.

    Only if the printed number is reproduced with each of them does the grouping not matter.

    Examples
    --------
    >>> agreed_verdict(["reproduced", "reproduced"]), agreed_verdict(["reproduced", "above"])
    ('reproduced', 'other task')
    """
    return "reproduced" if set(verdicts) == {"reproduced"} else "other task"
