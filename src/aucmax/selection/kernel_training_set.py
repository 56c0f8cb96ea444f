"""A training set of the kernel search: rows without the test sets of some folds, and what is fitted to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.kernels.landmark_space import NystroemFamily
from aucmax.kernels.nystroem import Nystroem
from aucmax.problem.moments import Moments
from aucmax.selection.alpha_path import moment_path


class TrainingSet(NamedTuple):
    """The rows outside of the test sets of some folds, and what their models are fitted to."""

    left_out: tuple[int, ...]  # the folds whose test rows are not among these rows: none, one or a pair
    tested: tuple[int, ...]  # those folds of `left_out` whose test rows the models score
    family: NystroemFamily  # the feature maps of the landmarks that are used
    similarities: np.ndarray  # of all rows to landmarks, of shape (n, m)
    columns: np.ndarray  # those landmarks that are used
    moments: Moments  # of the similarities of the training rows

    def weights(self, dual: np.ndarray) -> np.ndarray:
        """Weights of all landmarks, zero for those that are not used; one column per alpha."""
        weights = np.zeros((self.similarities.shape[1], dual.shape[1]))
        weights[self.columns] = dual
        return weights


def dual_path(
    made: Nystroem, moments: Moments, alphas: np.ndarray, columns: np.ndarray | slice = slice(None)
) -> np.ndarray:
    """Weights of the landmarks, one column per alpha, from the moments of similarities to them."""
    within = moments.within[columns][:, columns]
    return made.T @ moment_path(made.T.T @ within @ made.T, moments.delta[columns] @ made.T, alphas)
