"""RecentScores: scores of a stream's latest rows, each given before the row was learned.

Such scores are honest: the model that gave them had not seen the row (Dawid 1984, "prequential"). They are measured
from the midpoint of the class means of their model, so that those of successive models are comparable. Older rows are
dropped, since the scores of an older model are on another scale.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.numerics.matrix import dot
from aucmax.streaming.stream import Stream
from aucmax.validation.inputs import LabeledData

LATEST = 2000  # rows of each class that are kept


class RecentScores(NamedTuple):
    """The latest rows of each class."""

    scores: np.ndarray  # of the rows, by the model before it learned them
    y: np.ndarray  # their labels, -1.0 and +1.0
    weight: np.ndarray  # their weights

    @classmethod
    def empty(cls) -> RecentScores:
        """No rows yet."""
        return cls(np.empty(0), np.empty(0), np.empty(0))

    def after(self, stream: Stream, table: LabeledData) -> RecentScores:
        """With the scores of a batch by the model of the stream, which has not learned it; none without a model."""
        if stream.problem is None:
            return self
        table = table.weighted()
        data = stream.problem.data
        w = stream.coef / data.scale
        scores = np.append(self.scores, dot(table.X, w) - data.midpoint(w))
        y = np.append(self.y, table.y)
        weight = np.append(self.weight, table.weight)
        latest = np.concatenate([np.flatnonzero(y == side)[-LATEST:] for side in (-1.0, 1.0)])
        return RecentScores(scores[latest], y[latest], weight[latest])

    @property
    def has_both_classes(self) -> bool:
        """Whether there are rows of both classes, so that rates and probabilities are defined."""
        return bool((self.y > 0).any() and (self.y < 0).any())

    def reweighted(self, stream: Stream) -> RecentScores:
        """With each class as heavy as all of its rows that the stream has seen."""
        weight = self.weight.copy()
        for side, seen in ((1.0, stream.moments.pos), (-1.0, stream.moments.neg)):
            mine = self.y == side
            weight[mine] *= seen.weight / weight[mine].sum()
        return self._replace(weight=weight)
