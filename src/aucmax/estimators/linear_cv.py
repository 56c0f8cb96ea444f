"""AUCClassifierCV: a path of alphas on all folds for the price of one pass, and calibrated probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from aucmax.estimators.base import LinearRanker, warn_not_converged
from aucmax.estimators.calibration import Calibrated, check_choice
from aucmax.estimators.fitted_state import resets_fitted_state
from aucmax.losses import find_loss
from aucmax.numerics.threads import threads_for
from aucmax.problem.objective import Problem
from aucmax.problem.penalties import ElasticNet
from aucmax.selection.cross_validation import Curve, Penalties, choose, curve_of
from aucmax.selection.splits import make_splits
from aucmax.solvers.registry import solver_name
from aucmax.validation.inputs import LabeledData, make_rng
from aucmax.validation.params import check_penalty


class AUCClassifierCV(Calibrated, LinearRanker):
    """Linear ranking with the penalty, and if wished the loss, chosen by cross-validated AUC.

    With the squared loss and an L2 penalty all folds and all alphas come from the moments of the folds: one pass over
    the data, one eigendecomposition a fold, and exactly the AUC that refitting every combination would give.

    Parameters
    ----------
    alphas : array, int or None
        Strengths to try, or how many of them to spread around the automatic one (None: 11).
    l1_ratio : float
        Share of the l1 norm in the penalty, 0 to 1.
    loss : {"squared", "squared_hinge", "hinge"} or a list of them
        Pairwise loss; of several, that of the best cross-validated AUC is taken.
    cv : int or splitter
        Number of shuffled stratified folds, or any scikit-learn splitter or iterable of splits.
    choice : {"best", "one_se"}
        Take the alpha of the best mean AUC, or the largest whose mean is within one standard error of it.
    standardize : bool
        Divide the columns by their class-pooled standard deviation, on each training set anew.
    random_state : int, RandomState or None
        Fixes the folds.

    Attributes
    ----------
    alphas_ : array of shape (n_alphas,), decreasing
    cv_auc_ : array of shape (n_alphas, n_folds)
    alpha_, loss_ : float, str
        The chosen strength and loss.
    cv_results_ : dict of loss to array
        `cv_auc_` of every loss tried.
    oof_scores_ : array of shape (n,)
        Score of every row by a model that has not seen it, on the scale of `decision_function`; NaN for a row
        that is in no test set.
    calibration_ : Platt
        From `decision_function` to probabilities, fitted to the out-of-fold scores.
    coef_, intercept_, classes_, objective_, gap_, n_iter_, solver_
        As in `AUCClassifier`, but zero is where the probability is one half.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifierCV(random_state=0).fit(X, y)
    >>> model.cv_auc_.shape, bool(model.cv_auc_.mean(axis=1).max() > 0.99)
    ((11, 5), True)
    >>> model.predict_proba(X).shape
    (569, 2)
    """

    def __init__(
        self, alphas=None, l1_ratio=0.0, loss="squared", cv=5, choice="best", standardize=True, random_state=None
    ):
        self.alphas = alphas
        self.l1_ratio = l1_ratio
        self.loss = loss
        self.cv = cv
        self.choice = choice
        self.standardize = standardize
        self.random_state = random_state

    @resets_fitted_state
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> AUCClassifierCV:
        """Choose alpha by cross-validation and fit to all rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `AUCClassifier.fit`. With weights the AUC of a fold is weighted too.
        groups : array, optional
            Rows of one group stay in one fold, if `cv` is a number; else passed to the splitter.
        """
        check_penalty("auto", self.l1_ratio)
        check_choice(self.choice)
        losses = [find_loss(name) for name in _names(self.loss)]
        table = self._check(X, y, sample_weight)
        folds = make_splits(self.cv, *table, groups, make_rng(self.random_state))
        with threads_for(table.X.shape[1]):
            penalties = Penalties(self.alphas, self.l1_ratio, self.standardize)
            curves = [curve_of(table, folds, loss, penalties) for loss in losses]
        best = max(curves, key=lambda curve: curve.best)
        self.cv_results_ = {curve.loss.name: curve.auc for curve in curves}
        self.loss_, self.alphas_, self.cv_auc_ = best.loss.name, best.alphas, best.auc
        chosen = choose(best.auc, self.choice)
        self.alpha_ = float(best.alphas[chosen])
        return self._keep(best, table, best.scores.at(chosen))

    def _keep(self, curve: Curve, table: LabeledData, scores: np.ndarray) -> AUCClassifierCV:
        """Refit to all rows, calibrate, and keep all that was learned."""
        penalty, data, solver = ElasticNet.of(self.alpha_, self.l1_ratio), curve.data, curve.solver
        solution = solver.solve(Problem(data, curve.loss, penalty))
        self.solver_ = solver_name(solver)
        self.objective_, self.gap_ = solution.objective, solution.gap
        self.n_iter_, self.trace_ = solution.n_epochs, solution.trace
        self._keep_weights(data, solution.coef, None)
        self.intercept_ = self.intercept_ - self._calibrate(scores, table)
        if not solution.converged:
            warn_not_converged(self.solver_, solution, solver.tol)
        return self


def _names(loss: Any) -> list:
    """The losses to try."""
    names = [loss] if isinstance(loss, str) else list(loss) if isinstance(loss, Iterable) else []
    if not names:
        raise ValueError(f"loss={loss!r}; give a name, or a list of names with at least one")
    return names
