"""KernelAUCClassifier: linear rankings of Nystroem features, averaged over kernels, metrics and penalties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from aucmax.estimators.base import Ranker
from aucmax.estimators.calibration import CalibratedMixin
from aucmax.estimators.path_plot import PathPlotMixin
from aucmax.kernels.coordinates import Coordinates
from aucmax.kernels.functions import find_kernels, supports_sparse
from aucmax.kernels.landmark_space import LandmarkSpace, ranked_coordinates
from aucmax.kernels.landmarks import LANDMARKS, choose_landmarks, count_landmarks, places_among
from aucmax.kernels.nystroem import Nystroem
from aucmax.kernels.score import KernelScore, Term
from aucmax.losses import LOSSES
from aucmax.numerics.matrix import alike, is_sparse
from aucmax.numerics.threads import threads_for
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data, check_finite, column_scale
from aucmax.problem.moments import Moments
from aucmax.problem.objective import Problem
from aucmax.selection.alpha_path import alpha_path
from aucmax.selection.averaging import Average, average_paths
from aucmax.selection.cross_validation import PathSettings, certified_solver, cv_results, training_data
from aucmax.selection.kernel_search import LANDMARKS as SEARCH_LANDMARKS
from aucmax.selection.kernel_search import KernelPath, KernelSearch, count_rounds
from aucmax.selection.splits import make_splits, subsample
from aucmax.solvers import Exact, Solver
from aucmax.validation.inputs import LabeledData, check_table, make_rng
from aucmax.validation.params import Boolean, Integer, Number, Option, check_params

FeatureData = Callable[[Nystroem | None], tuple[Data, Solver]]  # of the rows that a final model is fitted to


class KernelAUCClassifier(CalibratedMixin, PathPlotMixin, Ranker):
    """Nonlinear ranking: the squared pairwise loss in the feature spaces of kernels, averaged by cross-validated AUC.

    Each row is compared with landmarks, half of them from each class. The kernel values become Nystroem features, and
    all folds and all alphas come from the moments of these, as in `AUCClassifierCV`. Kernels, bandwidths and learned
    metrics are compared on `tuning_rows` rows with 250 landmarks. Those that rank as well as the best, up to the
    error of its AUC, are then fitted with all rows and landmarks, and the scores are averaged. Features are computed
    in chunks: beyond the table itself, fitting takes the memory of `tuning_rows` rows of features, or 128 megabytes
    if that is less, as much again for chunks, and ten numbers per row.

    Parameters
    ----------
    kernel : "auto", name or list of names
        "linear"; "rbf", exp(-gamma |x - z|^2); "laplacian", exp(-gamma |x - z|_1); "ranks", the Laplacian kernel of
        the ranks of the columns. "auto" tries all of them, or for a sparse table the first two, the only ones that
        support it.
    n_components : int or "auto"
        Number of landmarks; "auto" means 300 to 800, fewer for long tables. Never more than the number of rows.
    gamma : float or None
        Scale of the kernel, for scaled columns; None tries several around the inverse median distance between
        landmarks.
    alpha : float or "auto"
        Strength of the penalty; "auto" tries 11.
    loss : {"squared", "squared_hinge", "hinge", "exponential", "logistic"}
        Pairwise loss of the final models; settings are compared with the squared loss, which is fastest.
    cv : int or splitter
        As in `AUCClassifierCV`.
    choice : {"average", "best"}
        Average the models, weighted by their cross-validated AUC (docs/mathematics.md, section 12), or use the best
        one alone.
    relevance : bool or "auto"
        Whether to learn a metric: up to three rounds, each of which stretches the columns by how much the model of
        the round before varies along them; this helps if few of many columns matter. "auto" means True if `kernel`
        is "auto".
    landmarks : {"random", "kmeans++", "leverage"}
        How landmarks are drawn within a class.
    standardize : bool
        Divide the columns by their overall standard deviation.
    tuning_rows : int
        Maximum number of rows, about half of them from each class, on which models are compared. The final models
        are fitted to all rows.
    decision : {"prior", "probability", "balanced"}
        As in `AUCClassifierCV`.
    random_state : int, RandomState or None
        Random seed of landmarks and folds.

    Attributes
    ----------
    best_kernel_, gamma_, alpha_ : str, float, float
        The setting of the largest weight; gamma is NaN for the linear kernel.
    alphas_, cv_auc_ : arrays of shape (n_alphas,) and (n_alphas, n_folds)
        The path of that setting.
    cv_results_ : dict of arrays
        Every model compared, as in `AUCClassifierCV`: `param_kernel`, `param_gamma`, `param_round` (of metric
        learning, 0 before the first), `param_alpha`, `split0_test_score`, ..., `mean_test_score`, and `weight`.
    weights_ : array
        The weights of these models in the average, which sum to 1; most are 0.
    score_ : KernelScore
        The scoring function: landmarks, intercept, and one term for each kernel, bandwidth and metric that keeps
        weight.
    landmarks_ : array
        Indices of the rows that are landmarks.
    oof_scores_, calibration_, loss_, classes_
        As in `AUCClassifierCV`.
    objective_, gap_, n_iter_, solver_, trace_
        As in `AUCClassifier`, for the final fit of the model of the largest weight.

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
        "choice": [Option("average", "best")],
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
        choice="average",
        relevance="auto",
        landmarks="random",
        standardize=True,
        tuning_rows=4_000,
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
        self.relevance = relevance
        self.landmarks = landmarks
        self.standardize = standardize
        self.tuning_rows = tuning_rows
        self.decision = decision
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> KernelAUCClassifier:
        """Cross-validate kernels, bandwidths, metrics and alphas, and refit the ones that have weight, on all rows.

        Parameters
        ----------
        X, y, sample_weight, groups
            As in `AUCClassifierCV.fit`.
        """
        check_params(self)
        rng = make_rng(self.random_state)
        table = check_table(self, X, y, sample_weight)
        kernels = find_kernels(self.kernel, is_sparse(table.X))
        rounds = count_rounds(self.relevance, self.kernel, kernels)
        folds = make_splits(self.cv, *table, groups, rng)
        tuning, inner, kept = subsample(table, folds, self.tuning_rows, rng)
        space = self._landmark_space(table, tuning, "ranks" in kernels, rng)
        alphas = None if self.alpha == "auto" else [self.alpha]
        some = slice(SEARCH_LANDMARKS)
        places = places_among(kept, self.landmarks_[some])
        search = KernelSearch(tuning, inner, space.some(some), places, alphas, self.standardize)
        with threads_for(1):  # many consecutive BLAS calls of medium size: synchronising threads would cost far more
            found = search.run(kernels, self.gamma, rounds, rng)
            average = average_paths(tuning, [one.path for one in found], pick=self.choice == "best")
            score = self._fit_average(found, average, space, partial(self._feature_data, table.weighted()))
        self._store_search(found, average)
        out_of_fold = np.full(table.y.size, np.nan)
        out_of_fold[kept] = average.out_of_fold
        self.score_ = replace(score, intercept=score.intercept - self._calibrate(out_of_fold, table))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Score every row; larger means more likely positive.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        X = self._validate_rows(X, "score_")
        return self.score_(alike(X, self.score_.landmarks))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = supports_sparse(self.kernel)
        return tags

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

    def _store_search(self, found: list[KernelPath], average: Average) -> None:
        """Store the comparison and the best setting."""
        best = found[average.best[0]]
        self.weights_ = average.weights.ravel()
        self.cv_results_ = cv_results([(one.params, one.path) for one in found]) | {"weight": self.weights_}
        self.best_kernel_ = best.kernel
        self.gamma_ = float(best.gamma)
        self.alphas_ = best.path.alphas
        self.cv_auc_ = best.path.auc
        self.loss_ = self.loss

    def _feature_data(self, rows: LabeledData, made: Nystroem | None) -> tuple[Data, Solver]:
        """The features of a map, or the columns themselves, and the solver of the final model."""
        loss = LOSSES[self.loss]()
        if made is None:
            solver = certified_solver(rows.X, loss)
            return training_data(rows, PathSettings(None, 0.0, self.standardize)), solver
        solver = certified_solver(made.lazy_features(rows.X), loss)
        if isinstance(solver, Exact):
            return Data.of_moments(made.moments(*rows), standardize=False), solver
        return training_data(rows._replace(X=made.features(rows.X)), PathSettings(None, 0.0, False)), solver

    def _fit_average(
        self, found: list[KernelPath], average: Average, space: LandmarkSpace, data_of: FeatureData
    ) -> KernelScore:
        """Fit what keeps weight to all rows with all landmarks; the sum of the scores."""
        loss = LOSSES[self.loss]()
        terms = []
        intercept = 0.0
        for k in average.kept:
            one = found[k]
            made = with_all_landmarks(one, space)
            data, solver = data_of(made)
            w = alpha_path(data, loss, one.path.alphas, 0.0, solver) @ average.factors[k] / data.scale
            intercept -= float(data.midpoint(w))
            terms.append(_term(one, made, w))
            if k == average.best[0]:
                alpha = float(one.path.alphas[average.best[1]])
                solution = solver.solve(Problem(data, loss, ElasticNet.of(alpha, 0.0)))
                self._store_solution(solution, solver, alpha)
        return KernelScore(space.landmarks, tuple(terms), intercept)


def with_all_landmarks(one: KernelPath, space: LandmarkSpace) -> Nystroem | None:
    """The feature map of a setting that was compared with some of the landmarks; None for the columns themselves."""
    if not one.maps:
        return None
    made = one.maps[0]
    if made.landmarks.shape[0] == space.landmarks.shape[0]:
        return made
    return space.family(one.kernel, made.coordinates).map(one.gamma)


def _term(one: KernelPath, made: Nystroem | None, w: np.ndarray) -> Term:
    return Term("linear", w) if made is None else Term(one.kernel, made.T @ w, one.gamma, made.coordinates)
