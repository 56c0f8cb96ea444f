"""OnlineAUC: the solvers that learn from a stream, as river classifiers.

Features come as dictionaries. A feature gets a column when it is first learned; where it is missing it is zero. Rows
wait until there are `batch_size` of them and are then learned together, whether they came one by one or in frames:
the model depends on the rows and their order alone.

Probabilities are those of two normal distributions of one variance, with the running moments of the scores that rows
got before they were learned: with means m+ and m-, variance v and weights W+ and W- of the classes,

    log p/(1 - p) = (m+ - m-)/v (score - (m+ + m-)/2) + log (W+ + 1)/(W- + 1)

Older scores fade, since those of an older model are on another scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, isfinite, log, nan
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from aucmax.checks import Checked, check_penalty, find_loss, find_solver, for_streams, generator, is_online
from aucmax.stream import Recipe, Stream

try:
    from river import base
except ImportError as error:
    raise ImportError("aucmax.river needs river; install it with: pip install 'aucmax[river]'") from error

FADING = 0.999  # of the score moments, with every row
DENSE = 0.1  # share of known features in a batch above which it is learned as a plain array


class Row(NamedTuple):
    """A row that waits to be learned; side 0 is the label that came first, 1 the other."""

    x: dict[Any, float]
    side: int
    weight: float


class ScoreMoments:
    """Weight of each class, and weight, mean and squares of its scores, older ones fading."""

    def __init__(self) -> None:
        self.prior, self.weight, self.mean, self.squares = ([0.0, 0.0] for _ in range(4))

    def add(self, side: int, weight: float, score: float | None) -> None:
        """Add a row of the first (0) or of the second class (1), with its score if there was a model."""
        for sums in (self.prior, self.weight, self.squares):
            sums[0] *= FADING
            sums[1] *= FADING
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
            variance = (sum(self.squares) + distance**2) / sum(self.weight)
            logit += distance / variance * (score - 0.5 * sum(self.mean))
        return 1.0 / (1.0 + exp(-min(max(logit, -500.0), 500.0)))


class OnlineAUC(base.MiniBatchClassifier):
    """Linear ranking of a stream that maximises AUC, for river.

    Parameters
    ----------
    solver : str or Solver
        An online solver. "auto" stands for "exact" with the squared loss: the best ranking by all rows seen, O(d^2)
        a row and O(d^3) a batch. For hundreds of features, "spam" and the others are cheaper.
    loss : {"squared", "hinge", "exponential"}
        Pairwise loss, one that the solver takes.
    alpha : float or "auto"
        Strength of the penalty, as in `AUCClassifier`.
    l1_ratio : float
        Share of the l1 norm in the penalty, 0 to 1.
    batch_size : int
        Rows that are learned together. A row counts in predictions once its batch is full.
    pos_label : object
        The label to rank first; by default the larger of the two.
    seed : int or None
        Fixes the random choices of a stochastic solver.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), OnlineAUC(batch_size=50), metrics.ROCAUC())
    ROCAUC: 9...%
    """

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
        self._labels: list[Any] = []  # in the order in which they came: inside, the second one is positive
        self._waiting: list[Row] = []
        self._weights: list[float] = []
        self._intercept = 0.0
        self._scores = ScoreMoments()
        self._stream: Stream | None = None

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn a row with weight w. A row that is refused leaves the model as it was."""
        if not (isfinite(w) and w >= 0):
            raise ValueError(f"w={w!r}; give a finite weight that is not negative")
        values = {name: _number(name, value) for name, value in x.items()}
        side = self._side(y.item() if isinstance(y, np.generic) else y)
        if w > 0:
            self._waiting.append(Row(values, side, float(w)))
        if len(self._waiting) >= self.batch_size:
            self._learn()

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a data frame as if they came one by one; an empty cell is a missing feature."""
        for x, label in zip(_dictionaries(X), list(y), strict=True):
            self.learn_one(x, label)

    def score_one(self, x: dict[Any, Any]) -> float:
        """The score that ranks: larger means more likely positive, and zero is midway between the classes."""
        score = self._inside({name: _number(name, value) for name, value in x.items()})
        return score if self._second_is_positive else -score

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Probabilities of the two labels; of False and True while no other is known."""
        labels = self._known_labels()
        if len(labels) == 1:
            return {labels[0]: 1.0}
        second = self._scores.probability(self._inside({name: _number(name, value) for name, value in x.items()}))
        return {labels[0]: 1.0 - second, labels[1]: second}

    def predict_proba_many(self, X: Any) -> Any:
        """A data frame with the probabilities of the two labels."""
        import pandas as pd

        rows = [self.predict_proba_one(x) for x in _dictionaries(X)]
        return pd.DataFrame(rows, index=X.index, columns=self._known_labels())

    def _inside(self, x: dict[Any, float]) -> float:
        """The score of the label that came second."""
        score, weights, columns = self._intercept, self._weights, self._columns
        for name, value in x.items():
            column = columns.get(name)
            if column is not None:
                score += weights[column] * value
        return score

    @property
    def _second_is_positive(self) -> bool:
        labels = self._known_labels()
        return len(labels) < 2 or labels[1] == (max(labels) if self.pos_label is None else self.pos_label)

    def _known_labels(self) -> list[Any]:
        """Labels in the order in which they came; a single truth value has its opposite beside it."""
        if not self._labels:
            return [False, True]
        if len(self._labels) == 1 and isinstance(self._labels[0], bool):
            return [*self._labels, not self._labels[0]]
        return self._labels

    def _side(self, y: Any) -> int:
        """0 for the label that came first, 1 for the other; a third is refused."""
        if y not in self._labels:
            _check_labels([*self._labels, y], self.pos_label)
            self._labels.append(y)
        return self._labels.index(y)

    def _learn(self) -> None:
        """Learn the rows that wait; rows that are refused are dropped."""
        rows, self._waiting = self._waiting, []
        names = dict.fromkeys(name for row in rows for name in row.x if name not in self._columns)
        columns = self._columns | {name: len(self._columns) + k for k, name in enumerate(names)}
        stream = self._advanced(rows, columns) if columns else None
        has_model = self._stream is not None and self._stream.problem is not None
        for row in rows:
            self._scores.add(row.side, row.weight, self._inside(row.x) if has_model else None)
        self._stream, self._columns = stream, columns
        self._keep(stream)

    def _advanced(self, rows: list[Row], columns: dict[Any, int]) -> Stream:
        """The stream after these rows."""
        table = _table(rows, columns)
        recipe = self._recipe(table.X)
        stream = self._stream or Stream.start(len(columns), recipe.solver, generator(self.seed))
        return stream.advance(table, recipe)

    def _recipe(self, X: Any) -> Recipe:
        """The settings, checked."""
        if self.batch_size < 1:
            raise ValueError(f"batch_size={self.batch_size!r}; give a whole number of at least 1")
        check_penalty(self.alpha, self.l1_ratio)
        solver, loss = for_streams(self.solver, self.loss), find_loss(self.loss)
        is_online(solver)
        return Recipe(find_solver(solver, X, loss, self.l1_ratio), loss, self.alpha, self.l1_ratio, True)

    def _keep(self, stream: Stream | None) -> None:
        """Weights in the units of the features; zeros before both labels were seen."""
        self._weights, self._intercept = [0.0] * len(self._columns), 0.0
        if stream is not None and stream.problem is not None:
            data = stream.problem.data
            w = stream.coef / data.scale
            self._weights, self._intercept = w.tolist(), -float((data.raw_means @ w).mean())


def _number(name: Any, value: Any) -> float:
    """A feature as a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = nan
    if not isfinite(number):
        raise ValueError(f"feature {name!r} is {value!r}; give finite numbers, as river's OneHotEncoder makes them")
    return number


def _check_labels(labels: list[Any], pos_label: Any) -> None:
    """Two labels at most, of which one is known to be positive."""
    if len(labels) > 2 or (len(labels) == 2 and isinstance(labels[0], bool) and labels[1] not in (False, True)):
        raise ValueError(f"label {labels[-1]!r} beside {labels[:-1]}; ranking takes two labels")
    if pos_label is not None and len(labels) == 2 and pos_label not in labels:
        raise ValueError(f"pos_label={pos_label!r} is not among the labels {labels}; name one of them")
    if pos_label is None and len({isinstance(label, str) for label in labels}) > 1:
        raise ValueError(f"labels {labels} have no order; name the positive one by pos_label")


def _dictionaries(X: Any) -> Iterator[dict[Any, Any]]:
    """The rows of a data frame, without empty cells."""
    for row in X.to_dict("records"):
        yield {name: value for name, value in row.items() if value == value}


def _table(rows: list[Row], columns: dict[Any, int]) -> Checked:
    """The rows in the given columns: a plain array, or CSR if they are mostly empty."""
    sizes = [len(row.x) for row in rows]
    indices = np.array([columns[name] for row in rows for name in row.x], dtype=np.int32)
    values = np.array([value for row in rows for value in row.x.values()])
    shape = (len(rows), len(columns))
    if sum(sizes) >= DENSE * shape[0] * shape[1]:
        X = np.zeros(shape)
        X[np.repeat(np.arange(shape[0]), sizes), indices] = values
    else:
        X = sparse.csr_array((values, indices, np.cumsum([0, *sizes], dtype=np.int32)), shape=shape)
        X.sort_indices()
    y = np.array([1.0 if row.side else -1.0 for row in rows])
    return Checked(X, y, np.array([row.weight for row in rows]))
