"""AUCClassifier: checks input, calls a solver, keeps the answer."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from aucmax.losses import LOSSES, within_product
from aucmax.moments import Moments
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Problem, automatic_alpha
from aucmax.rows import canonical, dot, nonzeros
from aucmax.solvers import SOLVERS, Solver
from aucmax.trace import Solution

# A factorisation costs n dim min(n, dim), conjugate gradients some passes: above this many times the non-zeros
# the passes are cheaper.
EXACT_COST = 2400


class Checked(NamedTuple):
    """A table that passed the door: rows, labels -1/+1, weights."""

    X: Any
    y: np.ndarray
    weight: np.ndarray

    def rows(self, index: np.ndarray) -> Checked:
        """Some of the rows."""
        return Checked(self.X[index], self.y[index], self.weight[index])

    def weighted(self) -> Checked:
        """Without the rows of weight zero."""
        return self if self.weight.min() > 0 else self.rows(np.flatnonzero(self.weight > 0))


class LinearRanker(ClassifierMixin, BaseEstimator):
    """What all linear estimators share: the door, scores, and labels from scores."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Score every row; larger means more likely positive."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return dot(X, self.coef_[0]) + self.intercept_[0]

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
        """Check a table once; sets `classes_` and the feature names."""
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,  # seen in the moments, without a pass of its own
        )
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        _check_two_classes(self.classes_, y)
        weight = _check_weight(sample_weight, codes)
        return Checked(canonical(X), np.where(codes == 1, 1.0, -1.0), weight)

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
    loss : {"squared"}
        Pairwise loss.
    solver : str or Solver
        A name in `SOLVERS`, a `Solver` with its own settings, or "auto".
    standardize : bool
        Divide the columns by their class-pooled standard deviation first. `coef_` is in the units of X anyway.
    class_weight : dict, "balanced" or None
        Cost of an error on each class. The ranking does not depend on it: it moves the intercept, as the odds
        do in a linear discriminant. None and "balanced" put zero midway between the class means.
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AUCClassifier:
        """Fit to a table and its labels.

        Parameters
        ----------
        X : table of shape (n, d)
            NumPy array, SciPy sparse matrix or array, pandas, polars or Arrow table.
        y : array of two distinct labels
        sample_weight : array of non-negative numbers, optional
            A weight of k equals k copies of the row.
        """
        check_penalty(self.alpha, self.l1_ratio)
        loss = find_loss(self.loss)
        table = self._check(X, y, sample_weight).weighted()
        solver = find_solver(self.solver, table.X, loss, self.l1_ratio)
        unit = ElasticNet.of(1.0, self.l1_ratio)
        data = make_data(table, solver, unit, self.standardize)
        self.alpha_ = automatic_alpha(data.moments) if self.alpha == "auto" else float(self.alpha)
        problem = Problem(data, loss, ElasticNet.of(self.alpha_, self.l1_ratio))
        solution = solver.solve(problem, rng=generator(self.random_state))
        return self._keep(data, solver, solution)

    def _keep(self, data: Data, solver: Solver, solution: Solution) -> AUCClassifier:
        self.solver_ = type(solver).__name__.lower()
        self.objective_, self.gap_ = solution.objective, solution.gap
        self.n_iter_, self.trace_ = solution.n_epochs, solution.trace
        self._keep_weights(data, solution.coef, self.class_weight)
        if not solution.converged:
            warn_not_converged(self.solver_, solution, solver.tol)
        return self


def make_data(table: Checked, solver: Solver, penalty: ElasticNet, standardize: bool) -> Data:
    """Data with the statistics that the solver wants; NaN and infinity in the table surface here."""
    n, dim = table.X.shape
    full = solver.wants_scatter(n, dim, penalty)
    data = Data.of(table.X, table.y, table.weight, standardize=standardize, full=full)
    check_finite(data.raw_moments, table.X)
    return data


def check_finite(moments: Moments, X: Any) -> None:
    """NaN and infinity in X show in its moments; then say which, and what to do."""
    if not (np.isfinite(moments.delta).all() and np.isfinite(moments.variances).all()):
        assert_all_finite(X, input_name="X")
        raise ValueError("X has values so large that their squares overflow; divide its columns by their size")


def find_loss(name: str) -> Any:
    """The loss of that name."""
    if name not in LOSSES:
        raise ValueError(f"unknown loss {name!r}; choose one of {sorted(LOSSES)}")
    return LOSSES[name]()


def find_solver(solver: Any, X: Any, loss: Any, l1_ratio: float) -> Solver:
    """The solver of that name, or the one that suits the table."""
    if isinstance(solver, str) and solver == "auto":
        solver = _suitable(X)
    if isinstance(solver, str) and solver in SOLVERS:
        solver = SOLVERS[solver]()
    if not isinstance(solver, Solver):
        raise ValueError(f"unknown solver {solver!r}; choose 'auto', one of {sorted(SOLVERS)} or pass a Solver")
    if not isinstance(loss, solver.losses):
        taken = [name for name, kind in LOSSES.items() if issubclass(kind, solver.losses)]
        raise ValueError(f"solver {type(solver).__name__} does not take loss={loss.name!r}; it takes {taken}")
    return solver


def _suitable(X: Any) -> str:
    n, dim = X.shape
    return "exact" if float(n) * dim * min(n, dim) <= EXACT_COST * nonzeros(X) else "cg"


def check_penalty(alpha: Any, l1_ratio: Any) -> None:
    """alpha is "auto" or a finite number that is not negative; l1_ratio is in [0, 1]."""
    if alpha != "auto" and not (_is_number(alpha) and 0 <= alpha < np.inf):
        raise ValueError(f"alpha={alpha!r}; give 'auto' or a finite number that is not negative")
    if not (_is_number(l1_ratio) and 0 <= l1_ratio <= 1):
        raise ValueError(f"l1_ratio={l1_ratio!r}; give a number from 0 (L2) to 1 (l1)")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def generator(random_state: Any) -> np.random.Generator:
    """A generator from anything that scikit-learn takes as random_state."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def warn_not_converged(name: str, solution: Solution, tol: float) -> None:
    """Say how far the run got and what to do."""
    warnings.warn(
        f"solver {name!r} stopped after {solution.n_epochs} epochs at a gap of {solution.gap:.1e}, above tol = "
        f"{tol:.0e} times the objective {solution.objective:.6g}; raise max_epochs, tol or alpha, or use "
        "standardize=True or solver='exact'",
        ConvergenceWarning,
        stacklevel=3,
    )


def _check_two_classes(classes: np.ndarray, y: Any) -> None:
    if classes.size == 1:
        raise ValueError(f"y has only one class, {classes[0]!r}; ranking needs rows of two classes")
    if classes.size > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(y)}: "
            f"{classes.size} classes; choose one as positive, as in y == {classes[-1]!r}"
        )


def _check_weight(sample_weight: Any, codes: np.ndarray) -> np.ndarray:
    if sample_weight is None:
        return np.ones(codes.size)
    weight = np.asarray(sample_weight, dtype=float)
    if weight.ndim == 0:
        weight = np.full(codes.size, float(weight))
    if weight.shape != codes.shape:
        raise ValueError(f"sample_weight has shape {weight.shape}; give one number for each of {codes.size} rows")
    if not np.isfinite(weight).all() or weight.min() < 0:
        raise ValueError("sample_weight has negative, NaN or infinite values; give weights of zero or more")
    for code in (0, 1):
        if weight[codes == code].sum() == 0:
            raise ValueError("all rows of one class have weight zero; ranking needs rows of two classes")
    return weight


def _shift(data: Data, coef: np.ndarray, class_weight: Any, classes: np.ndarray) -> float:
    """Move of the intercept for class costs: sigma^2/(a - b) log(cost+/cost-), as in a linear discriminant."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return 0.0
    if not isinstance(class_weight, dict) or not set(class_weight) <= set(classes.tolist()):
        raise ValueError(
            f"class_weight={class_weight!r}; give None, 'balanced' or a dict with keys among {classes.tolist()}"
        )
    negative, positive = (float(class_weight.get(label, 1.0)) for label in classes.tolist())
    if not (0 < negative < np.inf and 0 < positive < np.inf):
        raise ValueError(f"class_weight={class_weight!r}; give finite costs above zero")
    variance = float(coef @ within_product(data, coef)) / 2
    distance = float(coef @ data.delta)
    return np.log(positive / negative) * variance / distance if distance > 0 else 0.0
