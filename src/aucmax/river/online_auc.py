"""OnlineAUC: the online solvers as a river classifier.

Features come as dictionaries. A feature is assigned a column when it is first learned; where it is missing it is
zero. Rows are collected until there are `batch_size` of them and then learned together, whether they arrived one by
one or in frames: the model depends only on the rows and their order.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

import numpy as np
from river import base

from aucmax.losses import LOSSES
from aucmax.metrics.prequential import is_missing
from aucmax.penalties import ElasticNet
from aucmax.problem.objective import ProblemSpec
from aucmax.river.rows import BufferedRow, batch_table, check_labels, finite_feature, frame_rows, learnable_feature
from aucmax.river.score_moments import ScoreMoments
from aucmax.solvers.base import Solver
from aucmax.solvers.registry import check_penalty_supported, find_streaming_solver
from aucmax.streaming.stream import Stream
from aucmax.validation.inputs import make_rng
from aucmax.validation.params import Integer, Number, Option, check_params
from aucmax.validation.weights import check_weights


class OnlineAUC(base.MiniBatchClassifier):
    """Linear ranking of a stream by maximising AUC, for river.

    Parameters
    ----------
    solver : str or Solver
        An online solver. With the squared loss, "auto" means "exact": the exact minimiser over all rows seen, at
        O(d^2) per row and O(d^3) per batch; for hundreds of features, "spam" and the others are cheaper. With the
        exponential loss "auto" means "uniexp"; with the hinge there is no default: choose "oam".
    loss : {"squared", "hinge", "exponential"}
        Pairwise loss, one that the solver supports.
    alpha : float or "auto"
        Strength of the penalty, as in `AUCClassifier`.
    l1_ratio : float
        Share of the l1 norm in the penalty, from 0 to 1.
    batch_size : int
        Number of rows that are learned together. A row affects predictions once its batch is full.
    pos_label : object
        The label to rank first; by default the larger of the two.
    seed : int or None
        Random seed of stochastic solvers.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), OnlineAUC(batch_size=50), metrics.ROCAUC())
    ROCAUC: 9...%
    """

    parameter_constraints: ClassVar = {
        "loss": [Option(registry=LOSSES)],
        "alpha": [Option("auto"), Number(0)],
        "l1_ratio": [Number(0, 1)],
        "batch_size": [Integer(1)],
    }

    def __init__(
        self,
        solver: Any = "auto",
        loss: str = "squared",
        alpha: float | str = "auto",
        l1_ratio: float = 0.0,
        batch_size: int = 1,
        pos_label: Any = None,
        seed: int | None = None,
    ) -> None:
        self.solver = solver
        self.loss = loss
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.batch_size = batch_size
        self.pos_label = pos_label
        self.seed = seed
        self._columns: dict[Any, int] = {}
        self._labels: list[Any] = []  # in order of arrival; internally, the second one is positive
        self._buffer: list[BufferedRow] = []
        self._weights: list[float] = []
        self._intercept = 0.0
        self._scores = ScoreMoments()
        self._stream: Stream | None = None

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn a row with weight w. A rejected row leaves the model and the buffered rows as they were.

        Parameters
        ----------
        x : dict of feature names to numbers
        y : label
        w : float
            Weight of the row: 0, or from 1e-100 to 1e100.
        """
        if not self._labels:
            self._check_settings()
        check_weights(w, 1, "w")
        label = y.item() if isinstance(y, np.generic) else y
        labels = self._labels_with(label)
        row = BufferedRow(
            {name: learnable_feature(name, value) for name, value in x.items()}, labels.index(label), float(w)
        )
        if w > 0 and len(self._buffer) + 1 >= self.batch_size:
            self._learn([*self._buffer, row])
        elif w > 0:
            self._buffer.append(row)
        self._labels = labels

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a pandas or polars frame as if one by one; an empty cell is a missing feature.

        A frame with an invalid row is rejected as a whole.

        Parameters
        ----------
        X : data frame
        y : series of labels
        """
        rows = list(frame_rows(X))
        labels = list(y)
        if len(rows) != len(labels):
            raise ValueError(f"{len(rows)} rows and {len(labels)} labels; give one label for each row")
        before = vars(self).copy()
        self._buffer = list(self._buffer)  # both are modified in place
        self._scores = deepcopy(self._scores)
        try:
            for x, label in zip(rows, labels, strict=True):
                self.learn_one(x, label)
        except BaseException:
            self.__dict__ = before
            raise

    def score_one(self, x: dict[Any, Any]) -> float:
        """The ranking score: larger means more likely positive, and zero is midway between the class means.

        Parameters
        ----------
        x : dict of feature names to numbers
        """
        score = self._inside({name: finite_feature(name, value) for name, value in x.items()})
        return score if self._second_is_positive else -score

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Probabilities of the two labels; of False and True before any label has been seen.

        Parameters
        ----------
        x : dict of feature names to numbers
        **kwargs
            Ignored; river may pass some.
        """
        labels = self._known_labels()
        if len(labels) == 1:
            return {labels[0]: 1.0}
        second = self._scores.probability(
            self._inside({name: finite_feature(name, value) for name, value in x.items()})
        )
        return {labels[0]: 1.0 - second, labels[1]: second}

    def predict_proba_many(self, X: Any) -> Any:
        """A pandas frame with the probabilities of the two labels.

        Parameters
        ----------
        X : data frame
        """
        import pandas as pd

        rows = [self.predict_proba_one(x) for x in frame_rows(X)]
        return pd.DataFrame(rows, index=getattr(X, "index", None), columns=self._known_labels())

    def _inside(self, x: dict[Any, float]) -> float:
        """The score in favour of the second label."""
        score = self._intercept
        for name, value in x.items():
            column = self._columns.get(name)
            if column is not None:
                score += self._weights[column] * value
        return score

    @property
    def _second_is_positive(self) -> bool:
        labels = self._known_labels()
        return len(labels) < 2 or labels[1] == (max(labels) if self.pos_label is None else self.pos_label)

    def _known_labels(self) -> list[Any]:
        """Labels in order of arrival; a single boolean is followed by its opposite."""
        if not self._labels:
            return [False, True]
        if len(self._labels) == 1 and isinstance(self._labels[0], bool):
            return [*self._labels, not self._labels[0]]
        return self._labels

    def _labels_with(self, y: Any) -> list[Any]:
        """The labels so far and this one; a third is rejected."""
        if is_missing(y):
            raise ValueError(f"label {y!r}; drop the rows without a label")
        if y in self._labels:
            return self._labels
        labels = [*self._labels, y]
        check_labels(labels, self.pos_label)
        return labels

    def _learn(self, rows: list[BufferedRow]) -> None:
        """Learn these rows and empty the buffer; if that fails, nothing changes."""
        names = dict.fromkeys(name for row in rows for name in row.x if name not in self._columns)
        columns = self._columns | {name: len(self._columns) + k for k, name in enumerate(names)}
        stream = self._advanced(rows, columns) if columns else None
        weights, intercept = _in_units_of_features(stream, len(columns))
        has_model = self._stream is not None and self._stream.problem is not None
        for row in rows:
            self._scores.add(row.side, row.weight, self._inside(row.x) if has_model else None)
        self._stream = stream
        self._columns = columns
        self._buffer = []
        self._weights = weights
        self._intercept = intercept

    def _advanced(self, rows: list[BufferedRow], columns: dict[Any, int]) -> Stream:
        """The stream after these rows."""
        spec, solver = self._spec_and_solver()
        stream = self._stream or Stream.start(len(columns), solver, make_rng(self.seed))
        return stream.advance(batch_table(rows, columns), spec, solver)

    def _check_settings(self) -> None:
        """Reject invalid settings before the first row is buffered."""
        check_params(self)
        _, solver = self._spec_and_solver()
        solver.check_settings()
        make_rng(self.seed)

    def _spec_and_solver(self) -> tuple[ProblemSpec, Solver]:
        """Objective and solver from the parameters."""
        spec = ProblemSpec(LOSSES[self.loss](), self.alpha, self.l1_ratio, True)
        solver = find_streaming_solver(self.solver, spec.loss)
        if self.alpha != 0:
            check_penalty_supported(solver, ElasticNet.of(1.0, self.l1_ratio), spec.loss)
        return spec, solver


def _in_units_of_features(stream: Stream | None, dim: int) -> tuple[list[float], float]:
    """Weights and intercept; zeros until both labels have been seen."""
    if stream is None or stream.problem is None:
        return [0.0] * dim, 0.0
    data = stream.problem.data
    w = stream.coef / data.scale
    return w.tolist(), -float(data.midpoint(w))
