"""Protocols: how the papers split their rows into training and test rows, run by run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class RunSplit(NamedTuple):
    """The rows of one run."""

    train: np.ndarray  # row numbers
    test: np.ndarray  # row numbers
    validation: np.ndarray | None = None  # row numbers on which hyperparameters are chosen; None: by folds


class Protocol(ABC):
    """The splits of an experiment: run k depends on k alone, so that runs can be added later."""

    name: str
    runs: int
    ratio: float  # n_test / n_train

    @abstractmethod
    def split(self, n: int, run: int, rows: int | None = None) -> RunSplit:
        """The split of n rows in run number `run`, of which `rows` random ones are used if that is given."""


@dataclass(frozen=True)
class RandomSplits(Protocol):
    """Random splits, 80 % for training by default.

    Examples
    --------
    >>> split = RandomSplits(20).split(10, run=3)
    >>> split.train.size, split.test.size
    (8, 2)
    """

    runs: int
    test_share: float = 0.2

    @property
    def name(self) -> str:  # type: ignore[override]
        """As it is written in the results."""
        return f"{self.runs} random splits {1 - self.test_share:.0%}/{self.test_share:.0%}"

    @property
    def ratio(self) -> float:  # type: ignore[override]
        """n_test / n_train."""
        return self.test_share / (1.0 - self.test_share)

    def split(self, n: int, run: int, rows: int | None = None) -> RunSplit:
        """See `Protocol`."""
        order = np.random.default_rng(run).permutation(n)[:rows]
        n_test = round(self.test_share * order.size)
        return RunSplit(order[n_test:], order[:n_test])


@dataclass(frozen=True)
class RepeatedFolds(Protocol):
    """Every fold of several random partitions is a test set once: 5 times 5 folds are 25 runs.

    Examples
    --------
    >>> protocol = RepeatedFolds(5, 5)
    >>> sorted(np.concatenate([protocol.split(10, run).test for run in range(5)]).tolist()) == list(range(10))
    True
    """

    repeats: int
    folds: int

    @property
    def name(self) -> str:  # type: ignore[override]
        """As it is written in the results."""
        return f"{self.repeats} x {self.folds} folds"

    @property
    def runs(self) -> int:  # type: ignore[override]
        """One for every fold of every partition."""
        return self.repeats * self.folds

    @property
    def ratio(self) -> float:  # type: ignore[override]
        """n_test / n_train."""
        return 1.0 / (self.folds - 1)

    def split(self, n: int, run: int, rows: int | None = None) -> RunSplit:
        """See `Protocol`."""
        repeat, fold = divmod(run, self.folds)
        order = np.random.default_rng(1000 + repeat).permutation(n)[:rows]
        parts = np.array_split(order, self.folds)
        return RunSplit(np.concatenate([part for k, part in enumerate(parts) if k != fold]), parts[fold])


@dataclass(frozen=True)
class TrainValidationTest(Protocol):
    """4:1:1 for training, validation and test; with `n_given` the first rows train, and the others are halved.

    Examples
    --------
    >>> split = TrainValidationTest(5).split(12, run=0)
    >>> split.train.size, split.validation.size, split.test.size
    (8, 2, 2)
    """

    runs: int
    n_given: int | None = None  # rows of the training file, if it is used as it is

    @property
    def name(self) -> str:  # type: ignore[override]
        """As it is written in the results."""
        return f"{self.runs} passes, " + ("4:1:1" if self.n_given is None else "the test file halved")

    @property
    def ratio(self) -> float:  # type: ignore[override]
        """n_test / n_train."""
        return 0.25

    def split(self, n: int, run: int, rows: int | None = None) -> RunSplit:
        """See `Protocol`."""
        rng = np.random.default_rng(2000 + run)
        if self.n_given is not None:
            n_train = min(self.n_given, 2 * n // 3)  # a table smaller than the published one is split alike
            validation, test = np.array_split(rng.permutation(np.arange(n_train, n)), 2)
            return RunSplit(rng.permutation(n_train)[:rows], test, validation)
        order = rng.permutation(n)[:rows]
        validation, test, train = np.split(order, [order.size // 6, order.size // 3])
        return RunSplit(train, test, validation)
