"""AUCClassifier: a linear ranking for a given penalty, fitted to a table or to a stream."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from aucmax.estimators.base import LinearModel, LinearRanker
from aucmax.estimators.class_weight import check_stream_costs, intercept_shift
from aucmax.estimators.decision import prior_cut
from aucmax.estimators.platt_scaling import Calibration
from aucmax.estimators.thresholds import ThresholdMixin
from aucmax.losses import LOSSES
from aucmax.numerics.matrix import dot
from aucmax.problem.data import Data
from aucmax.problem.objective import ProblemSpec
from aucmax.problem.solution import Callback, Monitor
from aucmax.solvers import Exact
from aucmax.solvers.base import Solver
from aucmax.solvers.registry import check_in_passes, find_solver, find_streaming_solver, make_problem, streams
from aucmax.streaming.recent_scores import RecentScores
from aucmax.streaming.stream import Stream
from aucmax.validation.inputs import check_batch, check_table, check_validation, make_rng
from aucmax.validation.params import Boolean, Number, Option, check_param, check_params


class AUCClassifier(ThresholdMixin, LinearRanker):
    """Linear ranking that minimises a pairwise surrogate of 1 - AUC.

    The objective is ``E[loss(w.(x - x'))] + alpha (l1_ratio |w|_1 + (1 - l1_ratio)/2 |w|^2)``, with the mean over
    all pairs of a positive row x and a negative row x'. With the squared loss and an L2 penalty the ranking is
    that of a class-balanced ridge classifier; on many tables a tuned logistic regression ranks just as well.

    Parameters
    ----------
    alpha : float or "auto"
        Strength of the penalty; "auto" means ``tr(S) max(0.03/d, 1/n)``, with S the sum of the class covariances.
    l1_ratio : float
        Share of the l1 norm in the penalty, from 0 to 1.
    loss : {"squared", "squared_hinge", "hinge", "exponential", "logistic", "sigmoid", "aum"}
        Pairwise loss of the margin m = w.(x - x'): (1 - m)^2/2, max(0, 1 - m)^2, max(0, 1 - m), exp(-m),
        log(1 + exp(-m)), 1/(1 + exp(m)); or "aum", the area under the minimum of the two error rates.
    solver : str or Solver
        A name in `SOLVERS`, a `Solver` with its own settings, or "auto".
    standardize : bool
        Divide the columns by their overall standard deviation first. `coef_` is in the units of X either way.
    class_weight : dict, "balanced" or None
        Cost of an error on each class. The ranking does not depend on it: it shifts the intercept, as prior odds
        do in a linear discriminant. "balanced" has the effect of `decision="balanced"`. In streams a dict is
        supported by the solver "exact" only.
    decision : {"prior", "balanced"}
        Where `predict` cuts the scores, and zero is: where as many training rows are predicted positive as are
        positive, by weight, or midway between the class means (docs/predictions.md).
    random_state : int, RandomState or None
        Random seed of stochastic solvers.

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
        Final objective, and an upper bound on how far it is above its minimum.
    n_iter_ : int
        Epochs of the solver.
    trace_ : Trace
        Objective and gap after each epoch. Solvers whose epochs cost little more than a certificate compute fewer,
        unless `fit` is given a monitor or a callback: "spam", "solam", "fsauc" and "mba" after epochs 2, 4, 8, ...
        and the last one, "sdca" and "spdam" after every second epoch, one-pass learners after the last.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifier().fit(X, y)
    >>> model.solver_, bool(model.gap_ <= 1e-8 * model.objective_)
    ('exact', True)
    """

    parameter_constraints: ClassVar = {
        "alpha": [Option("auto"), Number(0)],
        "l1_ratio": [Number(0, 1)],
        "loss": [Option(registry=LOSSES)],
        "standardize": [Boolean()],
        "decision": [Option("prior", "balanced")],
    }

    def __init__(
        self,
        alpha="auto",
        l1_ratio=0.0,
        loss="squared",
        solver="auto",
        standardize=True,
        class_weight=None,
        decision="prior",
        random_state=None,
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.loss = loss
        self.solver = solver
        self.standardize = standardize
        self.class_weight = class_weight
        self.decision = decision
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        monitor: bool = False,
        validation: Any = None,
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
        monitor : bool
            Record the training AUC after every epoch in `trace_`.
        validation : (X, y), optional
            Record the AUC on this validation set as well, after every epoch.
        callback : callable, optional
            Called with the `Record` of every epoch; the run stops when it returns True.
        """
        check_params(self)
        check_param("monitor", monitor, Boolean())
        table = check_table(self, X, y, sample_weight, chunked=True).weighted()
        spec = self._spec()
        solver = find_solver(self.solver, table.X, spec.loss)
        check_in_passes(solver, table.X)
        data = Data.of(*table, standardize=self.standardize, scatter=isinstance(solver, Exact))
        problem, alpha = make_problem(spec, data, solver)
        held_out = None if validation is None else check_validation(self, validation)
        watch = Monitor(held_out) if monitor or held_out else None
        solution = solver.solve(problem, rng=make_rng(self.random_state), monitor=watch, callback=callback)
        self._store_solution(solution, solver, alpha)
        model = LinearModel.of(data, solution.coef)
        scored = None
        if not self._is_balanced:
            scored = dot(table.X, model.w) + model.intercept, table.y, table.weight
        self._linear = self._with_zero(model, data, solution.coef, scored)
        self._stream: Stream | None = None
        return self

    @available_if(lambda self: streams(self.solver, self.loss))
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> AUCClassifier:
        """Update the model with a batch of rows; available with online solvers, including "auto" if it chooses one.

        With the solver "exact" ("auto" with the squared loss) the weights are those of a `fit` to all rows seen,
        regardless of the batches; zero follows from the scores that rows had before they were learned. Until both
        classes have been seen the weights stay zero, but every row counts in the class statistics. A batch may
        contain only one class. An invalid batch is rejected before anything changes. The first call starts a stream;
        `fit` ends it.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array of the two labels
            Required in the first call unless its y contains both.
        """
        check_params(self)
        spec, solver = self._streaming()
        stream = getattr(self, "_stream", None)
        table, labels = check_batch(self, X, y, sample_weight, classes, first=stream is None)
        check_stream_costs(self.class_weight, labels, solver)
        if stream is None:
            stream = Stream.start(table.X.shape[1], solver, make_rng(self.random_state))
        recent = RecentScores.empty() if stream.batches == 0 else self._recent
        recent = recent.after(stream, table)
        stream = stream.advance(table, spec, solver)
        self.classes_ = labels
        return self._store_stream(stream, recent, solver)

    @available_if(lambda self: streams(self.solver, self.loss) and _unlearns(self.solver))
    def unlearn(self, X: Any, y: Any, sample_weight: Any = None) -> AUCClassifier:
        """Remove rows that `partial_fit` has learned, as if they had never been seen; available with "exact".

        The rows may be batched differently than before, but must have the same weights. Rows far larger than the
        remaining ones leave their rounding errors behind. Rows that cannot all have been seen are rejected as a
        whole. The scores for thresholds are dropped, since it is unknown which of them belong to the removed rows,
        and collected again from later batches.

        Parameters
        ----------
        X, y, sample_weight
            As passed to `partial_fit`.
        """
        check_params(self)
        stream = getattr(self, "_stream", None)
        if stream is None:
            raise ValueError("there is no stream to remove rows from; call partial_fit first")
        spec, solver = self._streaming()
        table, _ = check_batch(self, X, y, sample_weight, None, first=False)
        return self._store_stream(stream.retract(table, spec, solver), RecentScores.empty(), solver)

    @property
    def calibration_(self) -> Calibration:
        """Platt scaling from `decision_function` to probabilities, for a stream with scored rows of both classes."""
        return Calibration.fit(*self._held_out_scores())

    def _spec(self) -> ProblemSpec:
        return ProblemSpec(LOSSES[self.loss](), self.alpha, self.l1_ratio, self.standardize)

    def _streaming(self) -> tuple[ProblemSpec, Solver]:
        """Objective and solver of a stream."""
        spec = self._spec()
        return spec, find_streaming_solver(self.solver, spec.loss)

    @property
    def _is_balanced(self) -> bool:
        """Whether zero stays midway between the class means."""
        return self.decision == "balanced" or (isinstance(self.class_weight, str) and self.class_weight == "balanced")

    def _with_zero(self, model: LinearModel, data: Data, coef: np.ndarray, scored: Any) -> LinearModel:
        """The model with zero where `decision` and `class_weight` say, instead of midway between the class means.

        `scored` are scores of rows by the model, with their labels and weights; None if there are none, or if zero
        does not depend on them.
        """
        zero = 0.0 if scored is None else prior_cut(*scored)
        if self.class_weight is not None:
            zero -= intercept_shift(data, coef, self.class_weight, self.classes_)
        self._shift = float(zero)
        return model._replace(intercept=model.intercept - self._shift)

    def _store_stream(self, stream: Stream, recent: RecentScores, solver: Solver) -> AUCClassifier:
        """Store the model after a batch: that of all rows seen, the last iterate, or zeros if a class is missing."""
        self._stream = stream
        self._recent = recent
        self._shift = 0.0
        for name in ("alpha_", "trace_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        self.solver_ = solver.name
        self.objective_ = np.nan
        self.gap_ = np.nan
        if stream.problem is None:
            self._linear = LinearModel(np.zeros(self.n_features_in_), 0.0)
        else:
            self.alpha_ = stream.alpha
            if stream.solution is not None:
                self._store_solution(stream.solution, solver, stream.alpha)
            data = stream.problem.data
            scored = recent.reweighted(stream) if recent.has_both_classes and not self._is_balanced else None
            self._linear = self._with_zero(LinearModel.of(data, stream.coef), data, stream.coef, scored)
        self.n_iter_ = stream.batches
        return self

    def _held_out_scores(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores given before learning, classes -1/+1 and weights, on the scale of `decision_function`."""
        stream = getattr(self, "_stream", None)
        if stream is None:
            raise NotFittedError(
                "AUCClassifier has held-out scores only after partial_fit, from the rows of later batches; for a "
                "table use AUCClassifierCV"
            )
        if not self._recent.has_both_classes:
            raise NotFittedError(
                "no held-out scores yet: they need rows of both classes in batches after the first that has both"
            )
        recent = self._recent.reweighted(stream)
        return recent.scores - self._shift, recent.y, recent.weight


def _unlearns(solver: Any) -> bool:
    """Whether rows can be removed: by the exact solver, unless it forgets, so that the weight of a row is unknown."""
    if isinstance(solver, str):
        return solver in ("auto", "exact")
    return isinstance(solver, Exact) and solver.forgetting == 1.0
