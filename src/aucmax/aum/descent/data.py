"""The data of a descent: error functions, and the features that predictions are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from aucmax.aum.errors import ErrorFunctions
from aucmax.numerics.matrix import dot, transposed_dot


@dataclass(frozen=True, eq=False)
class AUMData:
    """Error functions of n examples and their features; column j of X is implicitly divided by `scale[j]`.

    Parameters
    ----------
    errors : ErrorFunctions
    X : array or CSR of shape (n_examples, dim)
    scale : array of shape (dim,), or 1.0
    """

    errors: ErrorFunctions
    X: Any
    scale: Any = 1.0

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or self.X.shape[0] != self.errors.n_examples:
            hint = "pass one row of features for each example"
            raise ValueError(f"X has shape {self.X.shape} but there are {self.errors.n_examples} examples; {hint}")

    def scores(self, w: np.ndarray) -> np.ndarray:
        """Predictions of weights w."""
        return dot(self.X, w / self.scale)

    def combine(self, c: np.ndarray) -> np.ndarray:
        """Sum of c_i x_i over the examples."""
        return transposed_dot(self.X, c) / self.scale

    @cached_property
    def unit(self) -> float:
        """What AUM is divided by in the objective: the smaller of total false positives and total false negatives."""
        return min(self.errors.total_fp, self.errors.total_fn)

    @cached_property
    def is_homogeneous(self) -> bool:
        """Whether all breakpoints are at the same value, as those of labels are: then AUM(c f) = c AUM(f)."""
        return bool((self.errors.v == self.errors.v[0]).all())

    @cached_property
    def mean_difference(self) -> np.ndarray:
        """Mean features of false negatives minus those of false positives: for labels, of the two classes."""
        errors = self.errors
        share = -errors.fn / errors.total_fn - errors.fp / errors.total_fp
        return self.combine(np.bincount(errors.example, share, errors.n_examples))
