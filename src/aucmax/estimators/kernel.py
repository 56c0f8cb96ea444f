"""KernelAUCClassifier: Nystroem features, with the path and the folds of the linear classifier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from aucmax.estimators.base import Ranker, warn_not_converged
from aucmax.estimators.calibration import Calibrated
from aucmax.estimators.fitted_state import resets_fitted_state
from aucmax.estimators.kernel_checks import check_settings, count_landmarks, find_kernels
from aucmax.kernels import Coordinates, choose_landmarks
from aucmax.kernels.score import KernelScore, Term
from aucmax.kernels.space import Space, ranked_coordinates
from aucmax.losses import find_loss
from aucmax.numerics.matrix import alike, is_sparse
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import check_finite, column_scale, make_data
from aucmax.problem.moments import Moments
from aucmax.problem.objective import Problem
from aucmax.problem.penalties import ElasticNet
from aucmax.problem.solution import Solution
from aucmax.selection.cross_validation import choose
from aucmax.selection.kernel_search import L2, Candidate, Trial, best_few, judge, thinned, tune
from aucmax.selection.splits import make_splits
from aucmax.solvers.registry import solver_name
from aucmax.validation.inputs import LabeledData, make_rng


class Part(NamedTuple):
    """One setting fitted to all rows: its term, what puts zero midway, its out-of-fold scores, and the run."""

    term: Term
    offset: float
    scores: np.ndarray
    solution: Solution


class KernelAUCClassifier(Calibrated, Ranker):
    """Nonlinear ranking: the squared pairwise loss in the feature space of a kernel, chosen by cross-validated AUC.

    A row is compared with landmarks, half of them from each class. The kernel values become Nystroem features, and
    all folds and all alphas come from the moments of these, as in `AUCClassifierCV`. Kernels and their scales are
    compared on at most 4,000 rows with 250 landmarks; the best is then fitted with all rows and landmarks. Features
    are made for some rows at a time: beyond the table itself the memory is that of `tuning_rows` rows of features,
    or 128 megabytes if that is less, as much again for chunks, and ten numbers a row.

    Parameters
    ----------
    kernel : "auto", name or list of names
        "linear"; "rbf", exp(-gamma |x - z|^2); "laplacian", exp(-gamma |x - z|_1); "ranks", the laplacian of the
        ranks of the columns. "auto" tries all, for a sparse table the first two, which are all that it takes.
    n_components : int or "auto"
        Landmarks; "auto" takes 300 to 600, fewer for long tables. Never more than there are rows.
    gamma : float or None
        Scale of the kernel, in scaled columns; None tries several around the typical distance of two landmarks.
    alpha : float or None
        Strength of the penalty; None chooses among 11 by cross-validated AUC.
    loss : {"squared", "squared_hinge", "hinge"}
        Pairwise loss of the final model; settings are compared by the squared one, which is fastest.
    cv : int or splitter
        As in `AUCClassifierCV`.
    choice : {"best", "one_se"}
        As in `AUCClassifierCV`.
    n_averaged : int
        Of how many kernels, at most, the scores are averaged: the best ones, each at its best scale, if their AUC
        is within one standard error of the best.
    relevance : bool or "auto"
        Try the best kernel again with columns stretched by their relevance to its model, which helps where few of
        many columns matter; "auto" does so if `kernel` is "auto".
    landmarks : {"random", "kmeans++", "leverage"}
        How they are drawn within a class.
    standardize : bool
        Divide the columns by their class-pooled standard deviation.
    tuning_rows : int
        Rows on which all is chosen, if there are more: up to half of them from each class. The final model is
        fitted to all rows.
    random_state : int, RandomState or None
        Fixes landmarks and folds.

    Attributes
    ----------
    best_kernel_, gamma_, alpha_ : str, float, float
        Of the best setting; gamma is NaN for the linear kernel.
    alphas_, cv_auc_ : arrays of shape (n_alphas,) and (n_alphas, n_folds)
        Of the best setting.
    cv_results_ : dict of lists
        Every setting that was compared: kernel, gamma, relevance (whether columns were stretched), alpha, and the
        AUC, of shape (n_alphas, n_folds).
    score_ : KernelScore
        Landmarks and terms: all that scoring needs.
    landmarks_ : array
        Numbers of the rows that are landmarks.
    oof_scores_, calibration_, loss_, classes_
        As in `AUCClassifierCV`.
    objective_, gap_, n_iter_, solver_
        Of the final fit of the best setting.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from aucmax import KernelAUCClassifier
    >>> X, y = make_circles(300, noise=0.1, factor=0.5, random_state=0)
    >>> model = KernelAUCClassifier(kernel="rbf", random_state=0).fit(X, y)
    >>> model.best_kernel_, bool(model.cv_auc_.mean(axis=1).max() > 0.99)
    ('rbf', True)
    """

    def __init__(
        self,
        kernel="auto",
        n_components="auto",
        gamma=None,
        alpha=None,
        loss="squared",
        cv=5,
        choice="best",
        n_averaged=3,
        relevance="auto",
        landmarks="random",
        standardize=True,
        tuning_rows=8_000,
        random_state=None,
    ):
        self.kernel = kernel
        self.n_components = n_components
        self.gamma = gamma
        self.alpha = alpha
        self.loss = loss
        self.cv = cv
        self.choice = choice
        self.n_averaged = n_averaged
        self.relevance = relevance
        self.landmarks = landmarks
        self.standardize = standardize
        self.tuning_rows = tuning_rows
        self.random_state = random_state

    @resets_fitted_state
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> KernelAUCClassifier:
        """Choose a kernel, its scale and alpha by cross-validation, and fit to all rows.

        Parameters
        ----------
        X, y, sample_weight, groups
            As in `AUCClassifierCV.fit`.
        """
        check_settings(self)
        loss, rng = find_loss(self.loss), make_rng(self.random_state)
        table = self._check(X, y, sample_weight)
        kernels = find_kernels(self.kernel, is_sparse(table.X))
        folds = make_splits(self.cv, *table, groups, rng)
        tuned, inner, numbers = thinned(table, folds, self.tuning_rows, rng)
        space = self._space(table, tuned, "ranks" in kernels, rng)
        trial = Trial(tuned, inner, space, loss, None if self.alpha is None else [self.alpha], self.standardize)
        with threads_for(1):  # many calls of middling size, one after the other: waiting for threads costs far more
            candidates = tune(trial, kernels, self.gamma, self._second_round, rng)
            self.cv_results_ = _results(candidates)
            fitted = [judge(trial, setting) for setting in best_few(candidates, self.n_averaged)]
        parts = [self._fit_all(candidate, table, tuned) for candidate in fitted]
        self.score_, scores = _averaged(space.landmarks, parts)
        self._keep_best(fitted[0], parts[0])
        out_of_fold = np.full(table.y.size, np.nan)
        out_of_fold[numbers] = scores
        shift = self._calibrate(out_of_fold, table)
        self.score_ = KernelScore(space.landmarks, self.score_.terms, self.score_.intercept - shift)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Score every row; larger means more likely positive."""
        check_is_fitted(self, "score_")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return self.score_(alike(X, self.score_.landmarks))

    @property
    def _second_round(self) -> bool:
        return self.kernel == "auto" if self.relevance == "auto" else bool(self.relevance)

    def _space(self, table: LabeledData, tuned: LabeledData, ranked: bool, rng: np.random.Generator) -> Space:
        """Landmarks among all rows, and coordinates; NaN and infinity in the table surface here."""
        moments = Moments.of(*table, full=False)
        check_finite(moments, table.X)
        plain = Coordinates(column_scale(moments) if self.standardize else np.ones(table.X.shape[1]))
        groups = tuple(np.flatnonzero((table.y == sign) & (table.weight > 0)) for sign in (1.0, -1.0))
        count = count_landmarks(self.n_components, groups[0].size + groups[1].size)
        self.landmarks_ = choose_landmarks(table.X, groups, count, self.landmarks, plain, rng)
        return Space(
            table.X[self.landmarks_],
            plain,
            ranked_coordinates(*tuned.weighted(), self.standardize) if ranked else None,
        )

    def _fit_all(self, candidate: Candidate, table: LabeledData, tuned: LabeledData) -> Part:
        """The model of one setting, from all rows."""
        curve, made = candidate.curve, candidate.map
        chosen = choose(curve.auc, self.choice)
        data = curve.data
        if tuned is not table:
            rows = table.weighted()
            features = rows if made is None else rows._replace(X=made.features(rows.X))
            data = make_data(features, curve.solver, L2, made is None and self.standardize)
        penalty = ElasticNet.of(float(curve.alphas[chosen]), 0.0)
        with threads_for(1):
            solution = curve.solver.solve(Problem(data, curve.loss, penalty))
        if not solution.converged:
            warn_not_converged(solver_name(curve.solver), solution, curve.solver.tol)
        w = solution.coef / data.scale
        offset = -float((data.raw_means @ w).mean())
        term = Term("linear", w) if made is None else Term(made.kernel.name, made.T @ w, made.gamma, made.coordinates)
        return Part(term, offset, curve.scores.at(chosen), solution)

    def _keep_best(self, best: Candidate, part: Part) -> None:
        """What the best setting is, and how its run ended."""
        curve, solution = best.curve, part.solution
        self.best_kernel_, self.gamma_ = best.setting.kernel, float(best.setting.gamma)
        self.alphas_, self.cv_auc_, self.loss_ = curve.alphas, curve.auc, curve.loss.name
        self.alpha_ = float(curve.alphas[choose(curve.auc, self.choice)])
        self.objective_, self.gap_ = solution.objective, solution.gap
        self.n_iter_, self.solver_ = solution.n_epochs, solver_name(curve.solver)


def _averaged(landmarks: Any, parts: list[Part]) -> tuple[KernelScore, np.ndarray]:
    """The mean of the scores, each in units of the spread of its out-of-fold scores; a single one as it is."""
    spreads = [float(np.nanstd(part.scores)) or 1.0 for part in parts] if len(parts) > 1 else [1.0]
    shares = [1.0 / (len(parts) * spread) for spread in spreads]
    terms = tuple(replace(part.term, weights=share * part.term.weights) for part, share in zip(parts, shares))
    intercept = sum(share * part.offset for part, share in zip(parts, shares))
    scores = np.column_stack([part.scores for part in parts]) @ shares
    return KernelScore(landmarks, terms, intercept), scores


def _results(candidates: list[Candidate]) -> dict[str, list]:
    """The settings that were compared, column by column."""
    curves = [candidate.curve for candidate in candidates]
    return {
        "kernel": [candidate.setting.kernel for candidate in candidates],
        "gamma": [float(candidate.setting.gamma) for candidate in candidates],
        "relevance": [candidate.setting.relevance is not None for candidate in candidates],
        "alpha": [float(curve.alphas[choose(curve.auc, "best")]) for curve in curves],
        "auc": [curve.auc for curve in curves],
    }
