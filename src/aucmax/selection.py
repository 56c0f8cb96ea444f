"""AUCClassifierCV: a path of alphas on all folds for the price of one pass, and calibrated probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from aucmax.calibration import Sigmoid
from aucmax.checks import (
    Checked,
    check_finite,
    check_penalty,
    check_taken,
    find_loss,
    find_solver,
    generator,
    make_data,
)
from aucmax.estimator import LinearRanker, warn_not_converged
from aucmax.folds import Fold, choose, make_folds, training_moments
from aucmax.metrics import auc_of_classes, threshold_for
from aucmax.path import path
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Problem, automatic_alpha
from aucmax.rows import dot
from aucmax.solvers import Solver, name_of
from aucmax.threads import threads_for

CHOICES = ("best", "one_se")


class Curve(NamedTuple):
    """One loss on all folds and alphas: out-of-fold scores (n, n_alphas) and AUC (n_alphas, n_folds)."""

    loss: Any
    solver: Solver
    data: Data
    alphas: np.ndarray
    scores: np.ndarray
    auc: np.ndarray


class AUCClassifierCV(LinearRanker):
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
    calibration_ : Sigmoid
        From `decision_function` to probabilities, fitted to the out-of-fold scores.
    coef_, intercept_, classes_, objective_, gap_, n_iter_, solver_
        As in `AUCClassifier`, but zero is where the probability is one half.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifierCV(random_state=0).fit(X, y)
    >>> model.cv_auc_.shape, round(float(model.cv_auc_.mean(axis=1).max()), 2)
    ((11, 5), 0.99)
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> AUCClassifierCV:
        """Choose alpha by cross-validation and fit to all rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `AUCClassifier.fit`. With weights the AUC of a fold is weighted too.
        groups : array, optional
            Passed to the splitter.
        """
        check_penalty("auto", self.l1_ratio)
        if self.choice not in CHOICES:
            raise ValueError(f"choice={self.choice!r}; choose one of {list(CHOICES)}")
        losses = [find_loss(name) for name in ([self.loss] if isinstance(self.loss, str) else self.loss)]
        table = self._check(X, y, sample_weight)
        folds = make_folds(self.cv, *table, groups, generator(self.random_state))
        with threads_for(table.X.shape[1]):
            curves = [self._curve(table, folds, loss) for loss in losses]
        best = max(curves, key=lambda curve: curve.auc.mean(axis=1).max())
        self.cv_results_ = {curve.loss.name: curve.auc for curve in curves}
        self.loss_, self.alphas_, self.cv_auc_ = best.loss.name, best.alphas, best.auc
        chosen = choose(best.auc, self.choice)
        self.alpha_ = float(best.alphas[chosen])
        return self._keep(best, table, best.scores[:, chosen])

    def _curve(self, table: Checked, folds: list[Fold], loss: Any) -> Curve:
        """All folds and alphas of one loss."""
        solver = find_solver("auto", table.X, loss, self.l1_ratio)
        check_taken(solver, ElasticNet.of(1.0, self.l1_ratio))
        if not solver.certified:
            raise ValueError(f"loss={loss.name!r} has no solver that certifies its answer; a path needs one")
        data, parts = fold_data(table, folds, solver, self.l1_ratio, self.standardize)
        alphas = make_alphas(self.alphas, data, self.l1_ratio)
        models = ((part, path(part, loss, alphas, self.l1_ratio, solver)) for part in parts)
        return Curve(loss, solver, data, alphas, *cross_validate(table, folds, models, alphas.size))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two classes, calibrated on the out-of-fold scores."""
        scores = self.decision_function(X)
        probability = self.calibration_(scores)
        return np.column_stack([1.0 - probability, probability])

    def threshold_at(
        self, *, fpr: float | None = None, tpr: float | None = None, precision: float | None = None
    ) -> float:
        """Smallest score to call positive, so that the out-of-fold scores keep a rate.

        Give one of: `fpr`, the highest false positive rate; `tpr`, the lowest recall; `precision`, the lowest one.
        """
        check_is_fitted(self, "coef_")
        seen = ~np.isnan(self.oof_scores_)
        y, scores, weight = self._oof_labels[seen], self.oof_scores_[seen], self._oof_weight[seen]
        return threshold_for(y, scores, fpr=fpr, tpr=tpr, precision=precision, sample_weight=weight)

    def plot_path(self, ax: Any = None) -> Any:
        """Draw the cross-validated AUC against alpha; needs matplotlib (`pip install aucmax[plot]`)."""
        from aucmax.plots import plot_path

        check_is_fitted(self, "coef_")
        return plot_path(self.alphas_, self.cv_auc_, ax)

    def _keep(self, curve: Curve, table: Checked, scores: np.ndarray) -> AUCClassifierCV:
        """Refit to all rows, calibrate, and keep all that was learned."""
        penalty, data, solver = ElasticNet.of(self.alpha_, self.l1_ratio), curve.data, curve.solver
        solution = solver.solve(Problem(data, curve.loss, penalty))
        self.solver_ = name_of(solver)
        self.objective_, self.gap_ = solution.objective, solution.gap
        self.n_iter_, self.trace_ = solution.n_epochs, solution.trace
        self._keep_weights(data, solution.coef, None)
        seen = ~np.isnan(scores)
        sigmoid = Sigmoid.fit(scores[seen], table.y[seen], table.weight[seen])
        self.intercept_ = self.intercept_ - sigmoid.midpoint
        self.calibration_ = Sigmoid(sigmoid.slope, 0.0)
        self.oof_scores_ = scores - sigmoid.midpoint
        self._oof_labels, self._oof_weight = table.y, table.weight
        if not solution.converged:
            warn_not_converged(self.solver_, solution, solver.tol)
        return self


def fold_data(
    table: Checked, folds: list[Fold], solver: Solver, l1_ratio: float, standardize: bool
) -> tuple[Data, Iterator[Data]]:
    """Data of all rows, and of the training rows of each fold: from moments alone where the solver takes them."""
    penalty = ElasticNet.of(1.0, l1_ratio)
    smallest = min(train.size for train, _ in folds)
    if solver.wants_scatter(smallest, table.X.shape[1], penalty):
        whole, parts = training_moments(*table, folds)
        check_finite(whole, table.X)
        made = (Data.of_moments(part, standardize=standardize) for part in parts)
        return Data.of_moments(whole, standardize=standardize), made
    made = (make_data(table.rows(train), solver, penalty, standardize) for train, _ in folds)
    return make_data(table.weighted(), solver, penalty, standardize), made


def make_alphas(alphas: Any, data: Data, l1_ratio: float) -> np.ndarray:
    """Decreasing strengths: those given, or a grid around the automatic one (below the first zero path for l1)."""
    if alphas is None or isinstance(alphas, (int, np.integer)):
        count = 11 if alphas is None else int(alphas)
        if count < 1:
            raise ValueError(f"alphas={alphas!r}; give at least one")
        if l1_ratio > 0:
            largest = float(np.abs(data.delta).max()) / l1_ratio or 1.0
            return np.geomspace(largest, 1e-3 * largest, count)
        return automatic_alpha(data.moments) * np.logspace(2, -3, count)
    alphas = np.asarray(alphas, dtype=float).ravel()
    if alphas.size == 0 or not np.isfinite(alphas).all() or alphas.min() < 0:
        raise ValueError("alphas must be finite numbers that are not negative, at least one")
    return np.sort(alphas)[::-1]


def cross_validate(
    table: Checked, folds: list[Fold], models: Iterator[tuple[Data, np.ndarray]], n_alphas: int
) -> tuple[np.ndarray, np.ndarray]:
    """Out-of-fold scores (n, n_alphas), each fold's zero midway between its class means, and AUC of each fold."""
    n = table.y.size
    total, times = np.zeros((n, n_alphas)), np.zeros(n)
    auc = np.empty((n_alphas, len(folds)))
    for k, ((_, test), (data, weights)) in enumerate(zip(folds, models, strict=True)):
        weights = weights / data.scale[:, None]
        scores = dot(table.X, weights, test)
        auc[:, k] = _aucs(scores, table.y[test], table.weight[test])
        total[test] += scores - (data.raw_means @ weights).mean(axis=0)
        times[test] += 1
    with np.errstate(invalid="ignore"):  # rows in no test set become NaN
        return total / times[:, None], auc


def _aucs(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> list[float]:
    """AUC of every column of scores."""
    pos, neg = y > 0, y < 0
    weights = () if (weight == weight[0]).all() else (weight[pos], weight[neg])
    columns = np.ascontiguousarray(scores.T)
    return [auc_of_classes(column[pos], column[neg], *weights) for column in columns]
