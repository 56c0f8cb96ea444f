"""Row sampling: the probabilities with which VRSPAM draws rows, and the step-size constant L that they imply.

With p_i the probability of row i and h_i = r_i / p_i, L is the largest 2 h_i |x_i|^2 for the printed direction and
the largest h_i |x_i - m_{y_i}|^2 + |delta|^2 for the centred one. Importance sampling, p_i ~ r_i |x_i - m_{y_i}|^2,
turns the maximum into a mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.published.step_sizes import batch_smoothness, rows_per_step
from aucmax.solvers.visiting_order import shuffled_blocks

SAMPLINGS = ("auto", "uniform", "importance")
RAREST = 1e-3  # lower bound on a probability in importance sampling, relative to the uniform one


class RowSampling(NamedTuple):
    """How rows are drawn, and the constants of the steps."""

    p: np.ndarray | None  # probabilities of the rows; None if all are equal
    h: np.ndarray  # r_i / p_i
    norms: np.ndarray  # squared norms of what h multiplies
    batch: int  # rows in a step
    L: float  # smoothness constant: steps of 1/L are stable

    @classmethod
    def of(cls, problem: Problem, sampling: str, *, centred: bool, top: float, batch: int | None) -> RowSampling:
        """Sampling by name; "auto" is importance sampling if that makes L four times smaller, else uniform."""
        data = problem.data
        norms = data.class_centred_norms if centred else data.squared_norms
        importance = np.maximum(data.r * norms / ((data.r @ norms) or 1.0), RAREST / data.n)
        probabilities = {
            "uniform": np.full(data.n, 1.0 / data.n),
            "importance": importance / importance.sum(),
        }
        largest = {kind: float((data.r / p * norms).max()) for kind, p in probabilities.items()}
        L = {kind: x + data.delta @ data.delta if centred else 2.0 * x for kind, x in largest.items()}
        if sampling == "auto":
            sampling = "importance" if L["uniform"] > 4.0 * L["importance"] else "uniform"
        p = probabilities[sampling]
        size = rows_per_step(problem, L[sampling], top, batch)
        smoothness = batch_smoothness(L[sampling], top, size)
        return cls(None if sampling == "uniform" else p, data.r / p, norms, size, smoothness)

    def draw(self, data: Data, length: int, independent: bool, rng: np.random.Generator) -> np.ndarray:
        """Rows to visit: drawn independently, or each in proportion to its probability, in random order."""
        n = self.h.size
        if self.p is None:
            if independent:
                return rng.integers(n, size=length)
            return np.concatenate([shuffled_blocks(data, rng) for _ in range(-(-length // n))])[:length]
        if independent:
            return rng.choice(n, size=length, p=self.p)
        levels = (rng.random() + np.arange(length)) / length
        index = np.minimum(np.searchsorted(np.cumsum(self.p), levels), n - 1)
        return rng.permutation(index)
