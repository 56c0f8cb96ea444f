"""KernelAUCClassifier: a linear ranking of Nystroem features, with kernel and penalty chosen by cross-validation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from aucmax.estimators.base import Ranker
from aucmax.estimators.calibration import CalibratedMixin
from aucmax.estimators.fitted_state import reads_one_state, resets_fitted_state
from aucmax.kernels.coordinates import Coordinates
from aucmax.kernels.functions import find_kernels, supports_sparse
from aucmax.kernels.landmark_space import LandmarkSpace, ranked_coordinates
from aucmax.kernels.landmarks import LANDMARKS, choose_landmarks, count_landmarks
from aucmax.kernels.score import KernelScore, Term
from aucmax.losses import LOSSES
from aucmax.numerics.matrix import alike, is_sparse
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import Data, check_finite, column_scale
from aucmax.problem.moments import Moments
from aucmax.problem.objective import Problem
from aucmax.problem.solution import Solution
from aucmax.selection.cross_validation import CHOICES, choose_alpha, cv_results, training_data
from aucmax.selection.kernel_search import KernelCandidate, KernelSearch, best_settings, subsample
from aucmax.selection.splits import make_splits
from aucmax.validation.inputs import LabeledData, check_table, make_rng
from aucmax.validation.params import Boolean, Integer, Number, Option, check_params


class KernelAUCClassifier(CalibratedMixin, Ranker):
    """Nonlinear ranking: the squared pairwise loss in the feature space of a kernel, chosen by cross-validated AUC.

    Each row is compared with landmarks, half of them from each class. The kernel values become Nystroem features, and
    all folds and all alphas come from the moments of these, as in `AUCClassifierCV`. Kernels and their scales are
    compared on at most 4,000 rows with 250 landmarks; the best is then fitted with all rows and landmarks. Features
    are computed in chunks: beyond the table itself, fitting takes the memory of `tuning_rows` rows of features, or
    128 megabytes if that is less, as much again for chunks, and ten numbers per row.

    Parameters
    ----------
    kernel : "auto", name or list of names
        "linear"; "rbf", exp(-gamma |x - z|^2); "laplacian", exp(-gamma |x - z|_1); "ranks", the Laplacian kernel of
        the ranks of the columns. "auto" tries all of them, or for a sparse table the first two, the only ones that
        support it.
    n_components : int or "auto"
        Number of landmarks; "auto" means 300 to 600, fewer for long tables. Never more than the number of rows.
    gamma : float or None
        Scale of the kernel, for scaled columns; None tries several around the inverse median distance between
        landmarks.
    alpha : float or "auto"
        Strength of the penalty; "auto" chooses among 11 by cross-validated AUC.
    loss : {"squared", "squared_hinge", "hinge"}
        Pairwise loss of the final model; settings are compared with the squared loss, which is fastest.
    cv : int or splitter
        As in `AUCClassifierCV`.
    choice : {"best", "one_se"}
        As in `AUCClassifierCV`.
    n_averaged : int
        Maximum number of kernels whose scores are averaged: the best ones, each at its best scale, if their AUC is
        within one standard error of the best.
    relevance : bool or "auto"
        Whether to try the best kernel again with columns stretched by their relevance to its model, which helps if
        few of many columns matter; "auto" means True if `kernel` is "auto".
    landmarks : {"random", "kmeans++", "leverage"}
        How landmarks are drawn within a class.
    standardize : bool
        Divide the columns by their class-pooled standard deviation.
    tuning_rows : int
        Maximum number of rows, about half of them from each class, on which kernels, scales and alpha are chosen.
        The final model is fitted to all rows.
    decision : {"prior", "probability", "balanced"}
        As in `AUCClassifierCV`.
    random_state : int, RandomState or None
        Random seed of landmarks and folds.

    Attributes
    ----------
    best_kernel_, gamma_, alpha_ : str, float, float
        The best setting; gamma is NaN for the linear kernel.
    alphas_, cv_auc_ : arrays of shape (n_alphas,) and (n_alphas, n_folds)
        The path of the best setting.
    cv_results_ : dict of arrays
        Every setting and alpha compared, as in `AUCClassifierCV`: `param_kernel`, `param_gamma`, `param_relevance`
        (whether columns were stretched), `param_alpha`, `split0_test_score`, ..., `mean_test_score`.
    score_ : KernelScore
        The scoring function: landmarks, terms and intercept.
    landmarks_ : array
        Indices of the rows that are landmarks.
    oof_scores_, calibration_, loss_, classes_
        As in `AUCClassifierCV`.
    objective_, gap_, n_iter_, solver_, trace_
        As in `AUCClassifier`, for the final fit of the best setting.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from aucmax import KernelAUCClassifier
    >>> X, y = make_circles(300, noise=0.1, factor=0.5, random_state=0)
    >>> model = KernelAUCClassifier(kernel="rbf", random_state=0).fit(X, y)
    >>> model.best_kernel_, bool(model.cv_auc_.mean(axis=1).max() > 0.99)
    ('rbf', True)
    """

    parameter_constraints: ClassVar = {
        "n_components": [Option("auto"), Integer(1)],
        "gamma": [None, Number(0, open="low")],
        "alpha": [Option("auto"), Number(0, open="low")],
        "loss": [Option(registry=LOSSES)],
        "choice": [Option(*CHOICES)],
        "n_averaged": [Integer(1)],
        "relevance": [Boolean(), Option("auto")],
        "landmarks": [Option(*LANDMARKS)],
        "standardize": [Boolean()],
        "tuning_rows": [Integer(10)],
    }

    def __init__(
        self,
        kernel="auto",
        n_components="auto",
        gamma=None,
        alpha="auto",
        loss="squared",
        cv=5,
        choice="best",
        n_averaged=3,
        relevance="auto",
        landmarks="random",
        standardize=True,
        tuning_rows=8_000,
        decision="prior",
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
        self.decision = decision
        self.random_state = random_state

    @resets_fitted_state
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> KernelAUCClassifier:
        """Choose a kernel, its scale and alpha by cross-validation, and fit to all rows.

        Parameters
        ----------
        X, y, sample_weight, groups
            As in `AUCClassifierCV.fit`.
        """
        check_params(self)
        rng = make_rng(self.random_state)
        table = check_table(self, X, y, sample_weight)
        kernels = find_kernels(self.kernel, is_sparse(table.X))
        folds = make_splits(self.cv, *table, groups, rng)
        tuning, inner, kept = subsample(table, folds, self.tuning_rows, rng)
        space = self._landmark_space(table, tuning, "ranks" in kernels, rng)
        alphas = None if self.alpha == "auto" else [self.alpha]
        search = KernelSearch(tuning, inner, space, LOSSES[self.loss](), alphas, self.standardize)
        with threads_for(1):  # many consecutive BLAS calls of medium size: synchronising threads would cost far more
            candidates = search.run(kernels, self.gamma, self._tries_relevance, rng)
            best = [search.evaluate(setting) for setting in best_settings(candidates, self.n_averaged)]
            fitted = [self._fit_setting(candidate, table, kept, space.landmarks) for candidate in best]
        self._store_search(candidates, best[0], fitted[0][1])
        self._store_average([score for score, _ in fitted], best, table, kept)
        return self

    @reads_one_state
    def decision_function(self, X: Any) -> np.ndarray:
        """Score every row; larger means more likely positive."""
        X = self._validate_rows(X, "score_")
        return self.score_(alike(X, self.score_.landmarks))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = supports_sparse(self.kernel)
        return tags

    @property
    def _tries_relevance(self) -> bool:
        return self.kernel == "auto" if self.relevance == "auto" else bool(self.relevance)

    def _landmark_space(
        self, table: LabeledData, tuning: LabeledData, ranked: bool, rng: np.random.Generator
    ) -> LandmarkSpace:
        """Landmarks among all rows, and the coordinates; this is where NaN and infinity are detected."""
        moments = Moments.of(*table, full=False)
        check_finite(moments, table.X)
        plain = Coordinates(column_scale(moments, self.standardize))
        groups = [np.flatnonzero((table.y == label) & (table.weight > 0)) for label in (1.0, -1.0)]
        count = count_landmarks(self.n_components, groups[0].size + groups[1].size)
        self.landmarks_ = choose_landmarks(table.X, groups, count, self.landmarks, plain, rng)
        ranks = ranked_coordinates(*tuning.weighted(), self.standardize) if ranked else None
        return LandmarkSpace(table.X[self.landmarks_], plain, ranks)

    def _fit_setting(
        self, candidate: KernelCandidate, table: LabeledData, kept: np.ndarray, landmarks: Any
    ) -> tuple[KernelScore, Solution]:
        """The model of one setting, from all rows."""
        path = candidate.path
        made = candidate.map
        data = path.data if kept.size == table.y.size else self._all_rows(candidate, table)
        alpha = float(path.alphas[choose_alpha(path.auc, self.choice)])
        solution = path.solver.solve(Problem(data, path.loss, candidate.settings.penalty(alpha)))
        w = solution.coef / data.scale
        offset = -float(data.midpoint(w))
        term = Term("linear", w) if made is None else Term(made.kernel.name, made.T @ w, made.gamma, made.coordinates)
        return KernelScore(landmarks, (term,), offset), solution

    def _all_rows(self, candidate: KernelCandidate, table: LabeledData) -> Data:
        """Data of all rows in the features of a setting."""
        rows = table.weighted()
        made = candidate.map
        features = rows if made is None else rows._replace(X=made.features(rows.X))
        return training_data(features, candidate.path.solver, candidate.settings)

    def _store_search(self, candidates: list[KernelCandidate], best: KernelCandidate, solution: Solution) -> None:
        """Store the comparison, the best setting, and the outcome of its final fit."""
        path = best.path
        self.cv_results_ = cv_results([(candidate.setting.params, candidate.path) for candidate in candidates])
        self.best_kernel_ = best.setting.kernel
        self.gamma_ = float(best.setting.gamma)
        self.alphas_ = path.alphas
        self.cv_auc_ = path.auc
        self.loss_ = path.loss.name
        self._store_solution(solution, path.solver, float(path.alphas[choose_alpha(path.auc, self.choice)]))

    def _store_average(
        self, scores: list[KernelScore], best: list[KernelCandidate], table: LabeledData, kept: np.ndarray
    ) -> None:
        """Store the mean of the scores, each divided by the spread of its out-of-fold scores, and its calibration."""
        chosen = [choose_alpha(candidate.path.auc, self.choice) for candidate in best]
        parts = [candidate.path.out_of_fold(k, kept.size) for candidate, k in zip(best, chosen, strict=True)]
        spreads = [float(np.nanstd(part)) or 1.0 for part in parts] if len(parts) > 1 else [1.0]
        shares = [1.0 / (len(parts) * spread) for spread in spreads]
        out_of_fold = np.full(table.y.size, np.nan)
        out_of_fold[kept] = np.column_stack(parts) @ shares
        self.score_ = KernelScore.combined(scores, shares, -self._calibrate(out_of_fold, table))
