"""AUCClassifier: checks input, calls a solver, keeps the answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from aucmax.estimators.base import LinearRanker, warn_not_converged
from aucmax.estimators.class_weight import check_stream_costs
from aucmax.estimators.fitted_state import resets_fitted_state, restores_on_error
from aucmax.losses import find_loss
from aucmax.problem.data import make_data
from aucmax.problem.objective import Problem
from aucmax.problem.penalties import ElasticNet
from aucmax.problem.solution import Monitor, Solution
from aucmax.problem.spec import ProblemSpec
from aucmax.solvers import Solver
from aucmax.solvers.base import Callback
from aucmax.solvers.registry import (
    alpha_for,
    check_finite_weights,
    check_penalty_supported,
    check_streams,
    check_unlearns,
    find_solver,
    make_problem,
    solver_name,
    streaming_solver,
)
from aucmax.streaming.stream import Stream
from aucmax.validation.inputs import check_batch, check_validation, make_rng
from aucmax.validation.params import check_penalty


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

    @resets_fitted_state
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
        spec = self._spec()
        solver = self._solver(self.solver, table.X, spec)
        data = make_data(table, solver, ElasticNet.of(1.0, self.l1_ratio), self.standardize)
        problem = make_problem(spec, data, solver)
        self.alpha_ = alpha_for(spec, data, solver)
        watch = self._monitor(monitor)
        solution = solver.solve(problem, rng=make_rng(self.random_state), monitor=watch, callback=callback)
        self._stream: Stream | None = None
        return self._keep(problem, solver, solution)

    @available_if(lambda self: check_streams(streaming_solver(self.solver, self.loss)))
    @restores_on_error
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
        spec = self._spec()
        solver = self._solver(streaming_solver(self.solver, self.loss), table.X, spec)
        check_stream_costs(self.class_weight, labels, solver)
        if stream is None:
            stream = Stream.start(table.X.shape[1], solver, make_rng(self.random_state))
        self._stream = stream.advance(table, spec, solver)
        self.classes_ = labels
        return self._keep_stream(self._stream, spec, solver)

    @available_if(lambda self: check_unlearns(streaming_solver(self.solver, self.loss)))
    @restores_on_error
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
        spec = self._spec()
        solver = self._solver(streaming_solver(self.solver, self.loss), table.X, spec)
        self._stream = stream.retract(table, spec, solver)
        return self._keep_stream(self._stream, spec, solver)

    def _spec(self) -> ProblemSpec:
        check_penalty(self.alpha, self.l1_ratio)
        return ProblemSpec(find_loss(self.loss), self.alpha, self.l1_ratio, self.standardize)

    def _solver(self, solver: Any, X: Any, spec: ProblemSpec) -> Solver:
        """The solver of that name or the one that suits the table."""
        found = find_solver(solver, X, spec.loss)
        if self.alpha != 0:  # at once, not when both classes have come
            check_penalty_supported(found, ElasticNet.of(1.0, self.l1_ratio), spec.loss)
        return found

    def _keep_stream(self, stream: Stream, spec: ProblemSpec, solver: Solver) -> AUCClassifier:
        self.solver_ = solver_name(solver)
        self.n_iter_ = stream.batches
        self.objective_ = self.gap_ = np.nan
        for name in ("alpha_", "trace_"):  # those of an earlier fit
            if hasattr(self, name):
                delattr(self, name)
        if stream.problem is None:
            self.coef_, self.intercept_ = np.zeros((1, self.n_features_in_)), np.zeros(1)
            return self
        self.alpha_ = alpha_for(spec, stream.problem.data, solver)
        if stream.solution is not None:
            self._keep(stream.problem, solver, stream.solution)
            self.n_iter_ = stream.batches
            return self
        self._keep_weights(stream.problem.data, stream.coef, self.class_weight)
        return self

    def _monitor(self, monitor: Any) -> Monitor | None:
        if monitor is None or monitor is False:
            return None
        return Monitor() if monitor is True else Monitor(check_validation(self, monitor))

    def _keep(self, problem: Problem, solver: Solver, solution: Solution) -> AUCClassifier:
        self.solver_ = solver_name(solver)
        check_finite_weights(solution.coef, solver)
        self.objective_, self.gap_ = solution.objective, solution.gap
        self.n_iter_, self.trace_ = solution.n_epochs, solution.trace
        self._keep_weights(problem.data, solution.coef, self.class_weight)
        if not solution.converged:
            warn_not_converged(self.solver_, solution, solver.tol)
        return self
