"""The methods of the tables: their published settings, grids and scales.

Penalties and steps of the papers are those of their own objectives; c = 2 p (1-p) converts them to ours
(docs/mathematics.md, section 1.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from aucmax.estimators.linear import AUCClassifier
from aucmax.solvers.cutting_plane import CuttingPlane
from aucmax.solvers.published.fsauc import FSAUC
from aucmax.solvers.published.oam import OAM
from aucmax.solvers.published.opauc import OPAUC
from aucmax.solvers.published.solam import SOLAM
from aucmax.solvers.published.spam import SPAM
from aucmax.solvers.published.spdam import SPDAM
from aucmax.solvers.published.vrspam import VRSPAM

Setting = Mapping[str, float]  # a value of each axis of a grid


class TableSize(NamedTuple):
    """What a method must know of its training rows before it sees them."""

    n: int  # number of rows
    dim: int  # number of columns
    positive_rate: float  # share of positives

    @property
    def factor(self) -> float:
        """2 p (1-p): between the objectives of the papers and ours."""
        return 2.0 * self.positive_rate * (1.0 - self.positive_rate)


@dataclass(frozen=True)
class Method:
    """A column of a table."""

    name: str
    axes: Mapping[str, tuple[float, ...]]  # the published grid
    build: Callable[[Setting, TableSize], AUCClassifier]
    objective: str  # of which the exact minimiser is the ceiling: "l2", "elastic net" or "hinge"

    def settings(self, stride: int = 1) -> list[Setting]:
        """The grid, or every stride-th value of each axis; the last value is always among them."""
        axes = [sorted({*values[::stride], values[-1]}) for values in self.axes.values()]
        return [dict(zip(self.axes, values)) for values in product(*axes)]


def powers(base: float, first: int, last: int) -> tuple[float, ...]:
    """base^first, ..., base^last."""
    return tuple(base**k for k in range(first, last + 1))


def _ranker(solver: Any, **settings: Any) -> AUCClassifier:
    return AUCClassifier(solver=solver, standardize=False, **settings)


def _penalty(setting: Setting, rows: TableSize) -> dict[str, float]:
    """alpha and l1_ratio for beta/2 |w|^2 + beta1 |w|_1."""
    beta, beta1 = setting["beta"], setting.get("beta1", 0.0)
    return {"alpha": (beta + beta1) / rows.factor, "l1_ratio": beta1 / (beta + beta1)}


def _spam(setting: Setting, rows: TableSize) -> AUCClassifier:
    return _ranker(SPAM(max_epochs=20), **_penalty(setting, rows))


def _vrspam(setting: Setting, rows: TableSize) -> AUCClassifier:
    return _ranker(VRSPAM(max_epochs=20, tol=1e-3), **_penalty(setting, rows))


def _reg_solam(setting: Setting, rows: TableSize) -> AUCClassifier:
    solver = SOLAM(max_epochs=20, zeta=rows.factor * setting["zeta"], capped=False, prior="running", tilt=0.0)
    return _ranker(solver, alpha=setting["lambda"] / rows.factor)


def _solam_in(form: str) -> Callable[[Setting, TableSize], AUCClassifier]:
    def build(setting: Setting, rows: TableSize) -> AUCClassifier:
        zeta = rows.factor * setting["eta"]
        solver = SOLAM(max_epochs=1, form=form, radius=setting["R"], zeta=zeta, capped=False, prior="running", tilt=0)
        return _ranker(solver, alpha=0.0)

    return build


def _fsauc(setting: Setting, rows: TableSize) -> AUCClassifier:
    eta = rows.factor * setting["eta"]
    return _ranker(FSAUC(max_epochs=1, radius=setting["R"], eta=eta, statistics="running"), alpha=0.0)


def _opauc(setting: Setting, rows: TableSize) -> AUCClassifier:
    covariance = "full" if rows.dim <= 1000 else "sketched"
    return _ranker(OPAUC(eta=setting["eta"], covariance=covariance), alpha=setting["lambda"])


def _oam(update: str) -> Callable[[Setting, TableSize], AUCClassifier]:
    def build(setting: Setting, rows: TableSize) -> AUCClassifier:
        return _ranker(OAM(update=update, normalize=False, C=setting["C"]), alpha=0.0, loss="hinge")

    return build


def _svm_or(setting: Setting, rows: TableSize) -> AUCClassifier:
    return _ranker(CuttingPlane(tol=1e-3, max_epochs=200), alpha=setting["lambda"], loss="hinge")


def _ls_svm(setting: Setting, rows: TableSize) -> AUCClassifier:
    return _ranker("auto", alpha=setting["lambda"])


def _spdam(setting: Setting, rows: TableSize) -> AUCClassifier:
    return _ranker(SPDAM(max_epochs=100, tol=1e-2, batch_size=0.1), alpha=setting["lambda"])


_TEN = powers(10.0, -5, 5)
_STEPS = powers(2.0, -10, 10)
_BALL = {"R": _TEN, "eta": _STEPS}
METHODS = {
    method.name: method
    for method in (
        Method("SPAM-L2", {"beta": _TEN}, _spam, "l2"),
        Method("SPAM-NET", {"beta": _TEN, "beta1": _TEN}, _spam, "elastic net"),
        Method("SPAM", {"beta": powers(10.0, -5, 1)}, _spam, "l2"),
        Method("VRSPAM-L2", {"beta": _TEN}, _vrspam, "l2"),
        Method("VRSPAM-NET", {"beta": _TEN, "beta1": _TEN}, _vrspam, "elastic net"),
        Method("regSOLAM", {"zeta": tuple(np.arange(1.0, 101.0, 9.0)), "lambda": _TEN}, _reg_solam, "l2"),
        Method("SPDAM", {"lambda": powers(10.0, -5, 1)}, _spdam, "l2"),
        Method("SOLAM in a ball", _BALL, _solam_in("l2_ball"), "l2"),
        Method("SOLAM-l1", _BALL, _solam_in("l1_ball"), "elastic net"),
        Method("FSAUC", _BALL, _fsauc, "elastic net"),
        Method("OPAUC", {"eta": powers(2.0, -12, -4), "lambda": powers(2.0, -10, 0)}, _opauc, "l2"),
        Method("OAMseq", {"C": _STEPS}, _oam("sequential"), "hinge"),
        Method("OAMgra", {"C": _STEPS}, _oam("gradient"), "hinge"),
        Method("B-SVM-OR", {"lambda": _STEPS}, _svm_or, "hinge"),
        Method("B-LS-SVM", {"lambda": _STEPS}, _ls_svm, "l2"),
    )
}
