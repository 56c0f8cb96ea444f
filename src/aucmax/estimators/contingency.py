"""ContingencySVMClassifier: a linear classifier for a measure of its contingency table."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from aucmax.estimators.base import LinearModel, LinearRanker
from aucmax.numerics.matrix import dot
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.multivariate_svm import ContingencyLoss, ErrorRate, FBeta, Measure, MultivariateSVM, TopK
from aucmax.validation.inputs import check_table
from aucmax.validation.params import Boolean, Integer, Number, Option, check_params


class ContingencySVMClassifier(LinearRanker):
    """Linear classifier that minimises a convex upper bound on a measure of its contingency table.

    The multivariate support vector machine of Joachims (2005) for F1, F-beta, the precision/recall break-even point,
    precision and recall at k, and the error rate, for which it is an ordinary support vector machine. The bound can
    be loose: compare the result with a logistic regression at the threshold that is best on the training rows. Unlike
    the other classifiers, it does not support `sample_weight`: every row counts once.

    Parameters
    ----------
    measure : {"f1", "fbeta", "break_even", "precision_at_k", "recall_at_k", "error_rate"}
        What to optimise.
    beta : float
        Weight of recall against precision, for `measure="fbeta"`; from 1e-6 to 1e6.
    k : int, float or None
        For precision and recall at k: a number of rows, or a share of the rows if it is a float; None means the
        number of positive rows.
    alpha : float
        Strength of the penalty alpha/2 |w|^2; the loss is between 0 and 1 at w = 0.
    intercept_scaling : float
        The intercept is a weight on a constant column of this value and is penalised like the others. For the
        break-even point and the measures at k the intercept has no meaning in training; it is set afterwards, so that
        k training rows are predicted positive.
    standardize : bool
        Divide the columns by their overall standard deviation first. `coef_` is in the units of X either way.
    max_epochs : int
        Maximum number of cutting planes.
    tol : float
        Stop when the certified gap is at most `tol` times the objective.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
    classes_ : array of the two labels; the second is the positive one
    objective_, gap_ : float
        Final objective, and an upper bound on how far it is above its minimum.
    n_iter_ : int
        Number of cutting planes.
    trace_ : Trace
        Objective and gap after each cutting plane.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import f1_score
    >>> from aucmax import ContingencySVMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ContingencySVMClassifier(measure="f1").fit(X, y)
    >>> bool(f1_score(y, model.predict(X)) > 0.97), bool(model.gap_ <= 1e-3 * model.objective_)
    (True, True)
    """

    parameter_constraints: ClassVar = {
        "measure": [Option("f1", "fbeta", "break_even", "precision_at_k", "recall_at_k", "error_rate")],
        "beta": [Number(1e-6, 1e6)],
        "k": [None, Integer(1), Number(0, 1, open="both")],
        "alpha": [Number(0, open="low")],
        "intercept_scaling": [Number(0, open="low")],
        "standardize": [Boolean()],
        "max_epochs": [Integer(1)],
        "tol": [Number(0)],
    }

    def __init__(
        self,
        measure="f1",
        beta=1.0,
        k=None,
        alpha=1e-3,
        intercept_scaling=10.0,
        standardize=True,
        max_epochs=2000,
        tol=1e-3,
    ):
        self.measure = measure
        self.beta = beta
        self.k = k
        self.alpha = alpha
        self.intercept_scaling = intercept_scaling
        self.standardize = standardize
        self.max_epochs = max_epochs
        self.tol = tol

    def fit(self, X: Any, y: Any) -> ContingencySVMClassifier:
        """Fit to a table and its labels.

        Parameters
        ----------
        X : table of shape (n, d)
            NumPy array, SciPy sparse matrix or array, pandas, polars or Arrow table.
        y : array of two distinct labels
        """
        check_params(self)
        table = check_table(self, X, y, None)
        measure = self._measure(table.y)
        data = Data.of(*table, standardize=self.standardize)
        share = float((data.y > 0).mean())
        centre = share * data.means[0] + (1.0 - share) * data.means[1]
        scaling = 0.0 if isinstance(measure, TopK) else self.intercept_scaling
        loss = ContingencyLoss(measure, centre, scaling)
        solver = MultivariateSVM(max_epochs=self.max_epochs, tol=self.tol)
        solution = solver.solve(Problem(data, loss, ElasticNet(0.0, self.alpha)), w=np.zeros(data.dim + 1))
        self._store_solution(solution, solver, self.alpha)
        w = solution.coef[:-1]
        coef = w / data.scale
        origin = float(centre @ w + np.sum(data.shift * coef))  # the score of the centre of the table
        intercept = float(scaling * solution.coef[-1] - origin)
        if isinstance(measure, TopK):
            intercept = -_threshold(dot(table.X, coef), measure.k)
        self._linear = LinearModel(coef, intercept)
        return self

    def _measure(self, y: np.ndarray) -> Measure:
        """The measure, for the labels of the training rows."""
        if self.measure == "error_rate":
            return ErrorRate()
        if self.measure in ("f1", "fbeta"):
            return FBeta(1.0 if self.measure == "f1" else float(self.beta))
        n_pos = int((y > 0).sum())
        if self.measure == "break_even" or self.k is None:
            return TopK(n_pos, n_pos)
        k = int(self.k) if Integer().accepts(self.k) else max(1, round(self.k * y.size))
        if k > y.size:
            raise ValueError(
                f"k={self.k!r} is more than the {y.size} rows; give a smaller number or a share of the rows"
            )
        return TopK(k, k if self.measure == "precision_at_k" else n_pos)


def _threshold(scores: np.ndarray, k: int) -> float:
    """A threshold that k scores exceed, or fewer if there are ties."""
    if k == scores.size:
        return float(np.nextafter(scores.min(), -np.inf))
    highest = np.sort(scores)[::-1]
    return float(0.5 * (highest[k - 1] + highest[k]))
