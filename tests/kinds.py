"""Problems that solvers of the squared loss are tried on: weighted, rare, unscaled, collinear, with many columns."""

import numpy as np
from scipy import sparse

from aucmax.losses import Squared
from aucmax.problem.data import Data, automatic_alpha
from aucmax.problem.objective import Problem
from aucmax.problem.penalties import ElasticNet

FORMS = {"dense": np.asarray, "csr": sparse.csr_array}
KINDS = ("plain", "weighted", "rare", "unscaled", "collinear", "more columns")
RATIOS = {"L2": 0.0, "elastic net": 0.3}


def make_problem(table, kind="weighted", form=np.asarray, *, l1_ratio=0.0, alpha=None):
    """A problem of that kind in raw units; alpha is the automatic one, or for l1_ratio = 1 a tenth of the largest."""
    shape = (40, 70) if kind == "more columns" else (1000, 8) if kind == "rare" else (300, 8)
    X, y, weight = table(*shape, rate=0.01 if kind == "rare" else 0.3)
    if kind == "unscaled":
        X = X * 10.0 ** np.linspace(-2, 2, X.shape[1])
    if kind == "collinear":
        X[:, 1], X[:, 2] = X[:, 0], X[:, 0] - 2.0 * X[:, 3]
    weight = weight if kind == "weighted" else np.ones(y.size)
    data = Data.of(form(X), y, weight, standardize=False, full=kind != "more columns")
    if alpha is None:
        alpha = 0.1 * np.abs(data.delta).max() if l1_ratio == 1 else automatic_alpha(data)
    return Problem(data, Squared(), ElasticNet.of(alpha, l1_ratio))
