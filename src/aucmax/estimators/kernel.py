"""KernelAUCClassifier: linear rankings of Nystroem features, averaged over kernels, metrics and penalties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from aucmax.estimators.base import Ranker
from aucmax.estimators.calibration import CalibratedMixin
from aucmax.estimators.linear_cv import PathPlotMixin
from aucmax.kernels.functions import Coordinates, find_kernels, kernel_coordinates, supports_sparse
from aucmax.kernels.landmarks import choose_landmarks, count_landmarks, places_among
from aucmax.kernels.nystroem import KernelScore, Nystroem, Term
from aucmax.losses import LOSSES
from aucmax.numerics.matrix import alike, is_sparse, rows_in_memory
from aucmax.numerics.threads import threads_for
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data, check_finite, column_scale
from aucmax.problem.moments import Moments
from aucmax.problem.objective import Problem
from aucmax.selection.alpha_path import alpha_path
from aucmax.selection.averaging import Average, average_paths
from aucmax.selection.choice import cv_results
from aucmax.selection.cross_validation import PathSettings, certified_solver
from aucmax.selection.kernel_search import KernelPath, KernelSearch, count_rounds
from aucmax.selection.splits import make_splits, subsample
from aucmax.solvers import Exact, Solver
from aucmax.validation.inputs import LabeledData, check_table, make_rng
from aucmax.validation.params import Boolean, Integer, Number, Option, check_params

Features = tuple[Nystroem | None, Data, Solver]  # a map, or None for the columns; the features; the solver for them


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
    alphas : array, int or None
        As in `AUCClassifierCV`: strengths to try, above 0, or the size of a grid around the automatic one (None: 11).
    loss : {"squared", "squared_hinge", "hinge", "exponential", "logistic"}
        Pairwise loss of the final models; settings are compared with the squared loss, which is fastest.
    cv : int or splitter
        As in `AUCClassifierCV`.
    average : bool
        Average the models, weighted by their cross-validated AUC (docs/mathematics.md, section 12), instead of using
        the best one alone.
    relevance : bool or "auto"
        Whether to learn a metric: up to three rounds, each of which stretches the columns by how much the model of
        the round before varies along them; this helps if few of many columns matter. "auto" means True if `kernel`
        is "auto".
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
        "loss": [Option(registry=LOSSES)],
        "average": [Boolean()],
        "relevance": [Boolean(), Option("auto")],
        "standardize": [Boolean()],
        "tuning_rows": [Integer(10)],
    }

    def __init__(
        self,
        kernel="auto",
        n_components="auto",
        gamma=None,
        alphas=None,
        loss="squared",
        cv=5,
        average=True,
        relevance="auto",
        standardize=True,
        tuning_rows=4_000,
        decision="prior",
        random_state=None,
    ):
        self.kernel = kernel
        self.n_components = n_components
        self.gamma = gamma
        self.alphas = alphas
        self.loss = loss
        self.cv = cv
        self.average = average
        self.relevance = relevance
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
        table = check_table(self, X, y, sample_weight, chunked=True)
        folds = make_splits(self.cv, *table, groups, rng)
        tuning, inner, kept = subsample(table, folds, self.tuning_rows, rng)
        kernels = find_kernels(self.kernel, is_sparse(tuning.X))
        rounds = count_rounds(self.relevance, self.kernel, kernels)
        columns = self._choose_landmarks(table, rng)
        coordinates = kernel_coordinates(kernels, columns, tuning, self.standardize)
        landmarks = rows_in_memory(table.X, self.landmarks_)
        places = places_among(kept, self.landmarks_)
        settings = PathSettings(self.alphas, 0.0, self.standardize)
        search = KernelSearch(tuning, inner, landmarks, places, coordinates, settings)
        with threads_for(1):  # many consecutive BLAS calls of medium size: synchronising threads would cost far more
            paths = search.run(kernels, self.gamma, rounds, rng)
            average = average_paths(tuning, [each.path for each in paths], pick=not self.average)
            features = self._features(table.weighted(), (paths[k].nystroem(landmarks) for k in average.kept))
            score = self._fit_average(paths, average, landmarks, features)
        self._store_search(paths, average)
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

    def _choose_landmarks(self, table: LabeledData, rng: np.random.Generator) -> Coordinates:
        """Store the landmarks among all rows; return the coordinates of the columns. NaN and infinity are refused."""
        moments = Moments.of(*table, full=False)
        check_finite(moments, table.X)
        columns = Coordinates(column_scale(moments, self.standardize))
        groups = [np.flatnonzero((table.y == label) & (table.weight > 0)) for label in (1.0, -1.0)]
        count = count_landmarks(self.n_components, groups[0].size + groups[1].size)
        self.landmarks_ = choose_landmarks(groups, count, rng)
        return columns

    def _features(self, rows: LabeledData, maps: Iterable[Nystroem | None]) -> Iterator[Features]:
        """For each map the features, or the columns themselves if it is None, and the solver of the final model."""
        loss = LOSSES[self.loss]()
        for nystroem in maps:
            if nystroem is None:
                solver = certified_solver(rows.X, loss)
                scatter = isinstance(solver, Exact)
                yield None, Data.of(*rows, standardize=self.standardize, scatter=scatter), solver
                continue
            solver = certified_solver(nystroem.computed_features(rows.X), loss)
            if isinstance(solver, Exact):
                yield nystroem, Data.of_moments(nystroem.moments(*rows), standardize=False), solver
            else:
                data = Data.of(nystroem.features(rows.X), rows.y, rows.weight, standardize=False)
                yield nystroem, data, solver

    def _fit_average(
        self, paths: list[KernelPath], average: Average, landmarks: Any, features: Iterable[Features]
    ) -> KernelScore:
        """Fit the models that keep weight, in the features of all landmarks; return the sum of their scores."""
        loss = LOSSES[self.loss]()
        terms = []
        intercept = 0.0
        for k, (nystroem, data, solver) in zip(average.kept, features, strict=True):
            alphas = paths[k].path.alphas
            w = alpha_path(data, loss, alphas, 0.0, solver) @ average.factors[k] / data.scale
            intercept -= float(data.midpoint(w))
            if nystroem is None:
                terms.append(Term("linear", w))
            else:
                terms.append(Term(nystroem.kernel.name, nystroem.T @ w, nystroem.gamma, nystroem.coordinates))
            if k == average.best[0]:
                alpha = float(alphas[average.best[1]])
                solution = solver.solve(Problem(data, loss, ElasticNet.of(alpha, 0.0)))
                self._store_solution(solution, solver, alpha)
        return KernelScore(landmarks, tuple(terms), intercept)

    def _store_search(self, paths: list[KernelPath], average: Average) -> None:
        """Store the comparison and the best setting."""
        best = paths[average.best[0]]
        self.weights_ = average.weights.ravel()
        self.cv_results_ = cv_results([(each.params, each.path) for each in paths]) | {"weight": self.weights_}
        self.best_kernel_ = best.kernel
        self.gamma_ = float(best.gamma)
        self.alphas_ = best.path.alphas
        self.cv_auc_ = best.path.auc
        self.loss_ = self.loss
