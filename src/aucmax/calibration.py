"""Sigmoid: probabilities from scores (Platt 1999, with Newton steps as in Lin, Lin and Weng 2007)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

FLATTEST = 1e-3  # smallest slope, in standard deviations of the scores: the order of the scores is kept


@dataclass(frozen=True)
class Sigmoid:
    """Probability of the positive class 1 / (1 + exp(-(slope * score + intercept)))."""

    slope: float
    intercept: float

    @classmethod
    def fit(cls, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Sigmoid:
        """Maximum likelihood against slightly softened labels, which keeps separable scores finite.

        Examples
        --------
        >>> sigmoid = Sigmoid.fit(np.array([-1.0, 0.0, 0.0, 1.0]), np.array([-1, 1, -1, 1]), np.ones(4))
        >>> sigmoid.slope > 0, abs(sigmoid.intercept) < 1e-9
        (True, True)
        """
        spread = float(scores.std()) or 1.0
        design = np.column_stack([(scores - scores.mean()) / spread, np.ones(scores.size)])
        theta = _newton(design, _soft_labels(y, weight), weight / weight.sum())
        slope = max(theta[0], FLATTEST) / spread
        return cls(float(slope), float(theta[1] - slope * scores.mean()))

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        """Probability of the positive class."""
        return expit(self.slope * scores + self.intercept)

    @property
    def midpoint(self) -> float:
        """The score whose probability is one half."""
        return -self.intercept / self.slope


def _soft_labels(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Labels 0/1 moved inwards by Laplace's rule."""
    pos, neg = weight[y > 0].sum(), weight[y < 0].sum()
    return np.where(y > 0, (pos + 1.0) / (pos + 2.0), 1.0 / (neg + 2.0))


def _newton(design: np.ndarray, target: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Minimise the weighted logistic loss by Newton steps with backtracking."""
    theta, logits = np.zeros(2), np.zeros(target.size)
    value = _loss(logits, target, weight)
    for _ in range(100):
        probability = expit(logits)
        gradient = design.T @ (weight * (probability - target))
        curvature = weight * probability * (1.0 - probability)
        hessian = design.T @ (curvature[:, None] * design) + 1e-12 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        move, size = design @ step, 1.0
        while (lower := _loss(logits - size * move, target, weight)) > value and size > 1e-10:
            size /= 2
        theta, logits = theta - size * step, logits - size * move
        if value - lower <= 1e-12:
            break
        value = lower
    return theta


def _loss(logits: np.ndarray, target: np.ndarray, weight: np.ndarray) -> float:
    return float(weight @ (np.logaddexp(0.0, logits) - target * logits))
