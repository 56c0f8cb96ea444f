"""AUCClassifier: checks input, calls a solver, keeps the answer."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from aucmax.checks import (
    Checked,
    can_unlearn,
    check_batch,
    check_penalty,
    check_stream_costs,
    check_table,
    check_taken,
    check_validation,
    check_weights,
    class_costs,
    find_loss,
    find_solver,
    for_streams,
    generator,
    is_online,
    make_data,
)
from aucmax.losses import within_product
from aucmax.penalties import ElasticNet
from aucmax.problem import Data
from aucmax.rows import dot
from aucmax.solvers import Solver, name_of
from aucmax.solvers.base import Callback
from aucmax.stream import Recipe, Stream
from aucmax.trace import Monitor, Solution
from aucmax.whole import afresh, all_or_nothing


class Ranker(ClassifierMixin, BaseEstimator):
    """What all estimators share: the door, and labels from scores."""

    decision_function: Any

    def predict(self, X: Any) -> np.ndarray:
        """The positive label where the score is above zero."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    def _check(self, X: Any, y: Any, sample_weight: Any) -> Checked:
        """Check a table, and keep its classes."""
        table, self.classes_ = check_table(self, X, y, sample_weight)
        return table


class LinearRanker(Ranker):
    """What all linear estimators share: scores from weights in the user's units."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Score every row; larger means more likely positive."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return dot(X, self.coef_[0]) + self.intercept_[0]

    def _keep_weights(self, data: Data, coef: np.ndarray, class_weight: Any) -> None:
        """Weights in the user's units, and the intercept that puts zero midway between the class means."""
        w = coef / data.scale
        self.coef_ = w[None, :]
        self.intercept_ = np.array([-(data.raw_means @ w).mean() + _shift(data, coef, class_weight, self.classes_)])


class AUCClassifier(LinearRanker):
    """Linear ranking that minimises a pairwise surrogate of 1 - AUC.

    The objective is ``E[loss(w.(x - x'))] + alpha (l1_ratio |w|_1 + (1 - l1_ratio)/2 |w|^2)``, the mean taken over
    all pairs of a positive row x and a negative row x'. With the squared loss and an L2 penalty the ranking is
    that of a class-balanced ridge classifier; on many tables a tuned logistic regression ranks as well.

    Parameters
    ----------
    alpha : float or "auto"
        Strength of the penalty; "auto" takes ``tr(S) max(0.03/d, 1/n)``, S the sum of the class covariances.
    l1_ratio : float
        Share of the l1 norm in the penalty, 0 to 1.
    loss : {"squared", "squared_hinge", "hinge", "exponential", "sigmoid", "aum"}
        Pairwise loss of the margin m = w.(x - x'): (1 - m)^2/2, max(0, 1 - m)^2, max(0, 1 - m), exp(-m),
        1/(1 + exp(m)); or the area under the minimum of both error rates.
    solver : str or Solver
        A name in `SOLVERS`, a `Solver` with its own settings, or "auto".
    standardize : bool
        Divide the columns by their class-pooled standard deviation first. `coef_` is in the units of X anyway.
    class_weight : dict, "balanced" or None
        Cost of an error on each class. The ranking does not depend on it: it moves the intercept, as the odds
        do in a linear discriminant. None and "balanced" put zero midway between the class means. In streams a dict
        is for the solver "exact" only.
    random_state : int, RandomState or None
        Fixes every random choice of a stochastic solver.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
    classes_ : array of the two labels; the second is the positive one
    alpha_ : float
        The strength that was used.
    solver_ : str
        The solver that was used.
    objective_, gap_ : float
        Final objective and an upper bound on its distance to the minimum.
    n_iter_ : int
        Epochs of the solver.
    trace_ : Trace
        Objective and gap after each epoch.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifier().fit(X, y)
    >>> model.solver_, bool(model.gap_ <= 1e-8 * model.objective_)
    ('exact', True)
    """

    def __init__(
        self,
        alpha="auto",
        l1_ratio=0.0,
        loss="squared",
        solver="auto",
        standardize=True,
        class_weight=None,
        random_state=None,
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.loss = loss
        self.solver = solver
        self.standardize = standardize
        self.class_weight = class_weight
        self.random_state = random_state

    @afresh
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        monitor: Any = None,
        callback: Callback | None = None,
    ) -> AUCClassifier:
        """Fit to a table and its labels.

        Parameters
        ----------
        X : table of shape (n, d)
            NumPy array, SciPy sparse matrix or array, pandas, polars or Arrow table.
        y : array of two distinct labels
        sample_weight : array of non-negative numbers, optional
            A weight of k equals k copies of the row.
        monitor : True or (X, y), optional
            Note the training AUC after every epoch in `trace_`, and the AUC on a validation set if one is given.
        callback : callable, optional
            Called with the `Record` of every epoch; the run stops when it returns True.
        """
        table = self._check(X, y, sample_weight).weighted()
        recipe = self._recipe(self.solver, table.X)
        data = make_data(table, recipe.solver, ElasticNet.of(1.0, self.l1_ratio), self.standardize)
        self.alpha_ = recipe.strength(data)
        problem, watch = recipe.problem(data), self._monitor(monitor)
        solution = recipe.solver.solve(problem, rng=generator(self.random_state), monitor=watch, callback=callback)
        self._stream: Stream | None = None
        return self._keep(data, recipe.solver, solution)

    @available_if(lambda self: is_online(for_streams(self.solver, self.loss)))
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> AUCClassifier:
        """Go on with a batch of rows; offered by online solvers, and by "auto" where it stands for one.

        With the solver "exact" ("auto" with the squared loss) the model is that of a `fit` to all rows seen, whatever
        the batches. Until both classes have been seen the weights stay zero, but every row counts in the class
        statistics. A batch may hold one class only. A bad batch is refused whole and leaves the model as it was. The
        first call begins a stream, `fit` ends it.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array of the two labels
            Needed in the first call unless its y holds both.
        """
        stream = getattr(self, "_stream", None)
        table, labels = check_batch(self, X, y, sample_weight, classes, first=stream is None)
        recipe = self._recipe(for_streams(self.solver, self.loss), table.X)
        check_stream_costs(self.class_weight, labels, recipe.solver)
        if stream is None:
            stream = Stream.start(table.X.shape[1], recipe.solver, generator(self.random_state))
        stream = stream.advance(table, recipe)
        self._stream, self.classes_ = stream, labels
        return self._keep_stream(stream, recipe)

    @available_if(lambda self: can_unlearn(for_streams(self.solver, self.loss)))
    @all_or_nothing
    def unlearn(self, X: Any, y: Any, sample_weight: Any = None) -> AUCClassifier:
        """Take rows out of what `partial_fit` has learned, as if they had never been seen; offered by "exact".

        The rows may come in other batches than they did then, but with the same weights. Rounding in rows far larger
        than those that stay is left behind. Rows that cannot all have been seen are refused whole.

        Parameters
        ----------
        X, y, sample_weight
            As they were given to `partial_fit`.
        """
        stream = getattr(self, "_stream", None)
        if stream is None:
            raise ValueError("there is no stream to take rows out of; unlearn what partial_fit has learned")
        table, _ = check_batch(self, X, y, sample_weight, None, first=False)
        recipe = self._recipe(for_streams(self.solver, self.loss), table.X)
        self._stream = stream.retract(table, recipe)
        return self._keep_stream(self._stream, recipe)

    def _recipe(self, solver: Any, X: Any) -> Recipe:
        """The settings, checked, with the solver of that name or the one that suits the table."""
        check_penalty(self.alpha, self.l1_ratio)
        loss = find_loss(self.loss)
        found = find_solver(solver, X, loss, self.l1_ratio)
        if self.alpha != 0:
            check_taken(found, ElasticNet.of(1.0, self.l1_ratio), loss)  # at once, not when both classes have come
        return Recipe(found, loss, self.alpha, self.l1_ratio, self.standardize)

    def _keep_stream(self, stream: Stream, recipe: Recipe) -> AUCClassifier:
        self.solver_, self.n_iter_ = name_of(recipe.solver), stream.batches
        self.objective_ = self.gap_ = np.nan
        for name in ("alpha_", "trace_"):  # those of an earlier fit
            if hasattr(self, name):
                delattr(self, name)
        if stream.problem is None:
            self.coef_, self.intercept_ = np.zeros((1, self.n_features_in_)), np.zeros(1)
            return self
        self.alpha_ = recipe.strength(stream.problem.data)
        if stream.solution is not None:
            self._keep(stream.problem.data, recipe.solver, stream.solution)
            self.n_iter_ = stream.batches
            return self
        self._keep_weights(stream.problem.data, stream.coef, self.class_weight)
        return self

    def _monitor(self, monitor: Any) -> Monitor | None:
        if monitor is None or monitor is False:
            return None
        return Monitor() if monitor is True else Monitor(check_validation(self, monitor))

    def _keep(self, data: Data, solver: Solver, solution: Solution) -> AUCClassifier:
        self.solver_ = name_of(solver)
        check_weights(solution.coef, solver)
        self.objective_, self.gap_ = solution.objective, solution.gap
        self.n_iter_, self.trace_ = solution.n_epochs, solution.trace
        self._keep_weights(data, solution.coef, self.class_weight)
        if not solution.converged:
            warn_not_converged(self.solver_, solution, solver.tol)
        return self


def warn_not_converged(name: str, solution: Solution, tol: float) -> None:
    """Say how far the run got and what to do."""
    warnings.warn(
        f"solver {name!r} stopped after {solution.n_epochs} epochs at a gap of {solution.gap:.1e}, above tol = "
        f"{tol:.0e} times the objective {solution.objective:.6g}; raise alpha, use standardize=True, or, where a "
        "solver can be chosen, pass one with larger max_epochs or tol",
        ConvergenceWarning,
        stacklevel=3,
    )


def _shift(data: Data, coef: np.ndarray, class_weight: Any, classes: np.ndarray) -> float:
    """Move of the intercept for class costs: sigma^2/(a - b) log(cost+/cost-), as in a linear discriminant."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return 0.0
    negative, positive = class_costs(class_weight, classes)
    variance = float(coef @ within_product(data, coef)) / 2
    distance = float(coef @ data.delta)
    return np.log(positive / negative) * variance / distance if distance > 0 else 0.0
