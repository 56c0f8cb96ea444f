"""`FitSettings`: the options of `aucmax fit`, and the estimators that they describe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.estimators.stacking import AUCStackingClassifier


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """The options of `aucmax fit`.

    Parameters
    ----------
    loss : list of str
        "auto", or pairwise losses; of several, the one with the best cross-validated AUC is used.
    l1_ratio : float
        Fraction of the l1 norm in the penalty.
    alpha : float or None
        Strength of the penalty; chosen by cross-validation if None.
    kernel : str or None
        A kernel, or "auto" to average models of several; None for a linear model.
    solver : str or None
        A name in `SOLVERS`; with one, alpha is not tuned.
    stack : bool
        A stack of a kernel model, extra trees and, for longer tables, boosting.
    cv, seed : int
        Number of folds, and the random seed.
    threshold_at : dict or None
        The rate that the threshold should meet: one of fpr, tpr, precision.
    decision : {"prior", "probability", "balanced"}
        Where predictions cut the scores if no rate is given (docs/predictions.md).
    baseline : bool
        Whether to compare with a tuned logistic regression.
    """

    loss: Sequence[str] = ("auto",)
    l1_ratio: float = 0.0
    alpha: float | None = None
    kernel: str | None = None
    solver: str | None = None
    stack: bool = False
    cv: int = 5
    seed: int = 0
    threshold_at: dict[str, float] | None = None
    decision: str = "prior"
    baseline: bool = True

    def estimator(self, folds: Any = None) -> Any:
        """The estimator that these settings describe; it tunes on the given folds, or on shuffled ones."""
        alphas = None if self.alpha is None else [self.alpha]
        cv = self.cv if folds is None else folds
        if self.stack:
            return AUCStackingClassifier(cv=cv, decision=self.decision, random_state=self.seed)
        if self.kernel is not None:
            loss = "squared" if self.loss[0] == "auto" else self.loss[0]
            settings = {"alphas": alphas, "loss": loss, "cv": cv, "random_state": self.seed}
            return KernelAUCClassifier(self.kernel, decision=self.decision, **settings)
        if self.solver is not None:
            settings = {"solver": self.solver, "decision": self.decision, "random_state": self.seed}
            alpha = "auto" if self.alpha is None else self.alpha
            return AUCClassifier(alpha, self.l1_ratio, self.loss[0], **settings)
        losses = self.loss[0] if len(self.loss) == 1 else list(self.loss)
        settings = {"cv": cv, "decision": self.decision, "random_state": self.seed}
        return AUCClassifierCV(alphas, self.l1_ratio, losses, **settings)

    def models(self) -> dict[str, Any]:
        """The estimator and its baselines, by name."""
        models: dict[str, Any] = {"aucmax": self.estimator()}
        if self.baseline:
            models["logistic"] = "logistic"
        if self.baseline and (self.stack or self.kernel is not None):
            models["linear"] = AUCClassifierCV(cv=self.cv, random_state=self.seed)
        return models
