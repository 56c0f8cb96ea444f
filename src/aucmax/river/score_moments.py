"""Probabilities of a stream, from the running moments of its scores.

They are those of two normal distributions of equal variance, fitted to the scores of rows before they were learned:
with means m+ and m-, variance v and weights W+ and W- of the classes,

    log p/(1 - p) = (m+ - m-)/v (score - (m+ + m-)/2) + log (W+ + 1)/(W- + 1)

Older scores are forgotten gradually, since those of an older model are on another scale.
"""

from __future__ import annotations

from math import exp, log

FORGETTING = 0.999  # factor by which each row scales the weight of the earlier ones


class ScoreMoments:
    """Exponentially weighted moments of the scores of each class."""

    def __init__(self) -> None:
        self.prior = [0.0, 0.0]  # weight of all rows of each class
        self.weight = [0.0, 0.0]  # weight of the rows with a score
        self.mean = [0.0, 0.0]  # mean of their scores
        self.squares = [0.0, 0.0]  # weighted sum of squares around the mean

    def add(self, side: int, weight: float, score: float | None) -> None:
        """Add a row of the first (0) or second (1) class, with its score if there was a model."""
        for sums in (self.prior, self.weight, self.squares):
            sums[0] *= FORGETTING
            sums[1] *= FORGETTING
        self.prior[side] += weight
        if score is not None:
            self.weight[side] += weight
            step = score - self.mean[side]
            self.mean[side] += step * weight / self.weight[side]
            self.squares[side] += weight * step * (score - self.mean[side])

    def probability(self, score: float) -> float:
        """Probability of the second class."""
        distance = self.mean[1] - self.mean[0]
        logit = log((self.prior[1] + 1.0) / (self.prior[0] + 1.0))
        if distance > 0.0 and min(self.weight) > 0.0:
            variance = (sum(self.squares) + distance * distance) / sum(self.weight)
            logit += distance / variance * (score - 0.5 * sum(self.mean))
        return 1.0 / (1.0 + exp(-min(max(logit, -500.0), 500.0)))
