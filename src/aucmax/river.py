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
from copy import deepcopy
from math import exp, isfinite, log, nan
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from aucmax.estimators.fitted_state import restores_on_error
from aucmax.losses import find_loss
from aucmax.metrics.prequential import check_weight, is_missing
from aucmax.problem.data import Data
from aucmax.problem.spec import ProblemSpec
from aucmax.solvers import SOLVERS
from aucmax.solvers.base import Solver
from aucmax.solvers.registry import check_streams, find_solver, make_problem, streaming_solver
from aucmax.streaming.stream import Stream
from aucmax.validation.inputs import LabeledData, make_rng
from aucmax.validation.params import check_number, check_penalty

try:
    from river import base
except ImportError as error:
    raise ImportError("aucmax.river needs river; install it with: pip install 'aucmax[river]'") from error

FADING = 0.999  # of the score moments, with every row
DENSE = 0.1  # share of known features in a batch above which it is learned as a plain array
LARGEST = 1e100  # feature that is learned: weighted squares can still be added up
TRIAL = LabeledData(np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0, 1.0]), np.ones(4))


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
            variance = (sum(self.squares) + distance * distance) / sum(self.weight)
            logit += distance / variance * (score - 0.5 * sum(self.mean))
        return 1.0 / (1.0 + exp(-min(max(logit, -500.0), 500.0)))


class OnlineAUC(base.MiniBatchClassifier):
    """Linear ranking of a stream that maximises AUC, for river.

    Parameters
    ----------
    solver : str or Solver
        An online solver. "auto" stands for "exact" with the squared loss: the best ranking by all rows seen, O(d^2)
        a row and O(d^3) a batch; for hundreds of features, "spam" and the others are cheaper. With the exponential
        loss it stands for "uniexp"; the hinge needs "oam" by name.
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
        """Learn a row with weight w. A row that is refused leaves the model and the rows that wait as they were."""
        if not self._labels:
            self._check_settings()
        check_weight(w)
        label = y.item() if isinstance(y, np.generic) else y
        labels = self._labels_with(label)
        row = Row({name: _learnable(name, value) for name, value in x.items()}, labels.index(label), float(w))
        if w > 0 and len(self._waiting) + 1 >= self.batch_size:
            self._learn([*self._waiting, row])
        elif w > 0:
            self._waiting.append(row)
        self._labels = labels

    @restores_on_error
    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a pandas or polars frame as if they came one by one; an empty cell is a missing feature.

        A frame with a row that is refused is refused whole.
        """
        rows, labels = list(_dictionaries(X)), list(y)
        if len(rows) != len(labels):
            raise ValueError(f"{len(rows)} rows and {len(labels)} labels; give one label for each row")
        self._waiting, self._scores = list(self._waiting), deepcopy(self._scores)  # these are changed in place
        for x, label in zip(rows, labels, strict=True):
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
        """A pandas frame with the probabilities of the two labels."""
        import pandas as pd

        rows = [self.predict_proba_one(x) for x in _dictionaries(X)]
        return pd.DataFrame(rows, index=getattr(X, "index", None), columns=self._known_labels())

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

    def _labels_with(self, y: Any) -> list[Any]:
        """The labels so far and this one; a third is refused."""
        if is_missing(y):
            raise ValueError(f"label {y!r}; leave out the rows without a label")
        if y in self._labels:
            return self._labels
        labels = [*self._labels, y]
        _check_labels(labels, self.pos_label)
        return labels

    def _learn(self, rows: list[Row]) -> None:
        """Learn these rows, after which none wait; if that fails, nothing has changed."""
        names = dict.fromkeys(name for row in rows for name in row.x if name not in self._columns)
        columns = self._columns | {name: len(self._columns) + k for k, name in enumerate(names)}
        stream = self._advanced(rows, columns) if columns else None
        weights, intercept = _in_units_of_features(stream, len(columns))
        has_model = self._stream is not None and self._stream.problem is not None
        for row in rows:
            self._scores.add(row.side, row.weight, self._inside(row.x) if has_model else None)
        self._stream, self._columns, self._waiting = stream, columns, []
        self._weights, self._intercept = weights, intercept

    def _advanced(self, rows: list[Row], columns: dict[Any, int]) -> Stream:
        """The stream after these rows."""
        spec, solver = self._spec_and_solver()
        stream = self._stream or Stream.start(len(columns), solver, make_rng(self.seed))
        return stream.advance(_table(rows, columns), spec, solver)

    def _check_settings(self) -> None:
        """Refuse settings with which no batch could be learned, before the first row waits for its batch."""
        check_number("batch_size", self.batch_size, whole=True)
        spec, solver = self._spec_and_solver()
        make_rng(self.seed)
        solver.kept_weight()
        solver.adapt(make_problem(spec, Data.of(*TRIAL, standardize=True, full=True), solver))

    def _spec_and_solver(self) -> tuple[ProblemSpec, Solver]:
        """The settings, turned into objects."""
        check_penalty(self.alpha, self.l1_ratio)
        loss, solver = find_loss(self.loss), streaming_solver(self.solver, self.loss)
        if solver is not self.solver:
            _check_automatic(solver, loss)
        found = find_solver(solver, None, loss)
        check_streams(solver)
        return ProblemSpec(loss, self.alpha, self.l1_ratio, True), found


def _in_units_of_features(stream: Stream | None, dim: int) -> tuple[list[float], float]:
    """Weights and intercept; zeros before both labels were seen."""
    if stream is None or stream.problem is None:
        return [0.0] * dim, 0.0
    data = stream.problem.data
    w = stream.coef / data.scale
    return w.tolist(), -float((data.raw_means @ w).mean())


def _check_automatic(solver: str, loss: Any) -> None:
    """Refuse "auto" where it stands for a solver that does not stream, and name those of the loss that do."""
    able = [name for name, kind in SOLVERS.items() if kind.online and isinstance(loss, kind.losses)]
    if solver not in able:
        remedy = f"choose one of {able}" if able else "choose another loss"
        raise ValueError(f"solver='auto' has none for a stream with loss={loss.name!r}; {remedy}")


def _number(name: Any, value: Any) -> float:
    """A feature as a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = nan
    if not isfinite(number):
        raise ValueError(f"feature {name!r} is {value!r}; give finite numbers, as river's OneHotEncoder makes them")
    return number


def _learnable(name: Any, value: Any) -> float:
    """A feature as a number whose squares can be added up."""
    number = _number(name, value)
    if abs(number) > LARGEST:
        raise ValueError(f"feature {name!r} is {value!r}, too large: squares overflow; divide it by its size")
    return number


def _check_labels(labels: list[Any], pos_label: Any) -> None:
    """Two labels at most, of which one is known to be positive."""
    if len(labels) > 2 or (len(labels) == 2 and isinstance(labels[0], bool) and labels[1] not in (False, True)):
        raise ValueError(f"label {labels[-1]!r} beside {labels[:-1]}; ranking takes two labels")
    if pos_label is not None and len(labels) == 2 and pos_label not in labels:
        raise ValueError(f"pos_label={pos_label!r} is not among the labels {labels}; name one of them")
    if pos_label is None:
        try:
            max(labels)
        except TypeError as error:
            raise ValueError(f"labels {labels} have no order; name the positive one by pos_label") from error


def _dictionaries(X: Any) -> Iterator[dict[Any, Any]]:
    """The rows of a pandas or polars frame, without empty cells."""
    if not hasattr(X, "to_dict"):
        raise ValueError(f"X is of type {type(X).__name__}; give a pandas or polars frame")
    for row in X.iter_rows(named=True) if hasattr(X, "iter_rows") else X.to_dict("records"):
        yield {name: value for name, value in row.items() if not is_missing(value)}


def _table(rows: list[Row], columns: dict[Any, int]) -> LabeledData:
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
    return LabeledData(X, y, np.array([row.weight for row in rows]))
