"""Plans: with which rows, scaling, method and protocol a printed cell is run, and what is reduced."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aucmax.comparison.reproduction.cells import Cell
from aucmax.comparison.reproduction.methods import METHODS, Method
from aucmax.comparison.reproduction.protocols import Protocol, RandomSplits, RepeatedFolds, TrainValidationTest
from aucmax.comparison.reproduction.sources import SOURCES

SMALL_SETS = ("diabetes", "fourclass", "german")  # whose rows are divided by their norm without being centred
UNIT_ROWS = ("rcv1_vw_sample", "news20.binary.sample", "real-sim")
STEPS_BY_LENGTH = ("OPAUC", "OAMseq", "OAMgra")  # one pass: the best step depends on the number of rows
A9A_ROWS = 32_561  # of the training file
SPLITS, FOLDS, PASSES = RandomSplits(20), RepeatedFolds(5, 5), TrainValidationTest(5)


@dataclass(frozen=True)
class Reduction:
    """What is done less often, or with fewer rows, than in the paper."""

    runs: int | None = None  # most runs
    rows: int | None = None  # random rows of a run
    tuned_once: bool = False  # whether hyperparameters are chosen in the first run and kept
    folds: int = 5  # of cross-validation
    tuning_rows: int | None = None  # random training rows on which hyperparameters are chosen
    stride: int = 1  # every stride-th value of each axis of the grid

    @property
    def apart_from_runs(self) -> Reduction:
        """The same for any number of runs."""
        return replace(self, runs=None)

    def describe(self, protocol: Protocol, method: Method) -> str:
        """For the results file."""
        n_all, n_used = len(method.settings()), len(method.settings(self.stride))
        by_folds = not isinstance(protocol, TrainValidationTest)
        parts = {
            f"{self.runs} of {protocol.runs} runs": self.runs is not None and self.runs < protocol.runs,
            f"{self.rows:,} random rows a run" if self.rows else "": self.rows is not None,
            "hyperparameters chosen in the first run": self.tuned_once,
            f"on {self.tuning_rows:,} rows" if self.tuning_rows else "": self.tuning_rows is not None,
            f"by {self.folds} folds": by_folds and self.folds < 5,
            f"{n_used} of {n_all} settings": n_used < n_all,
        }
        return "; ".join(part for part, holds in parts.items() if holds)


@dataclass(frozen=True)
class Task:
    """The runs of a method on a data set: several cells may need the same ones."""

    data: str  # a name of SOURCES
    grouping: str  # a name of GROUPINGS
    scaling: str  # a name of SCALINGS
    method: str  # a name of METHODS
    protocol: Protocol

    @property
    def name(self) -> str:
        """What the journal calls it."""
        return " / ".join((self.data, self.grouping, self.scaling, self.method, self.protocol.name))


def tasks_of(cell: Cell) -> list[Task]:
    """One task, or one for each grouping of the classes if the paper does not say theirs."""
    data = "a9a with its test file" if (cell.paper, cell.data) == ("002", "a9a") else cell.data
    row = (data, _scaling(cell), _method(cell), _protocol(cell))
    return [Task(row[0], grouping, *row[1:]) for grouping in _groupings(cell)]


def _groupings(cell: Cell) -> tuple[str, ...]:
    if not SOURCES[cell.data].multiclass:
        return ("",)
    return ("even against odd",) if cell.paper in ("000", "001") else ("even against odd", "random halves")


def _scaling(cell: Cell) -> str:
    if cell.paper == "002":  # no scaling is printed; the text sets are distributed with unit rows
        return "unit rows" if SOURCES[cell.data].files[0] in UNIT_ROWS else "as distributed"
    if cell.copied_from and cell.method not in ("SPAM-L2", "SPAM-NET", "SOLAM"):  # first printed by Gao et al.
        return "columns to [-1, 1]"
    return "unit rows" if cell.data in SMALL_SETS else "centred unit rows"


def _method(cell: Cell) -> str:
    if cell.method == "SOLAM":
        return "SOLAM in a ball" if cell.paper == "002" else "regSOLAM"
    return cell.method


def _protocol(cell: Cell) -> Protocol:
    if cell.paper == "002":
        return TrainValidationTest(5, n_given=A9A_ROWS) if cell.data == "a9a" else PASSES
    is_80_20 = cell.paper in ("000", "001") or (cell.table == "4.2" and not cell.copied_from)
    return SPLITS if is_80_20 else FOLDS


def reduction_for(task: Task, n: int, dim: int) -> Reduction:
    """What an hour on two cores allows for all tables, by the size of a data set."""
    two_axes = len(METHODS[task.method].axes) > 1
    one_pass = isinstance(task.protocol, TrainValidationTest)
    if one_pass:
        rows = 100_000 if n > 200_000 else None
        if dim > 1000:
            return Reduction(runs=3, tuned_once=True, stride=5)
        return Reduction(rows=rows, tuned_once=True, tuning_rows=20_000 if n > 30_000 else None, stride=3)
    if n <= 1300:
        once = two_axes or isinstance(task.protocol, RepeatedFolds)
        return Reduction(tuned_once=once, stride=2 if two_axes else 1, folds=3 if two_axes else 5)
    stride = 3 if two_axes else 2
    if n <= 12_000 and dim <= 300:
        return Reduction(runs=10, tuned_once=True, stride=stride, folds=3, tuning_rows=3000 if n > 4000 else None)
    if dim > 1000:
        return Reduction(runs=3, rows=6000, tuned_once=True, folds=2, stride=stride + 2, tuning_rows=1000)
    if n * dim > 20_000_000:
        tuning_rows = 10_000 if task.protocol == SPLITS and task.method != "OPAUC" else 2000
        return Reduction(runs=3, rows=20_000, tuned_once=True, folds=2, stride=stride + 1, tuning_rows=tuning_rows)
    all_rows = task.method in STEPS_BY_LENGTH and dim <= 150
    return Reduction(runs=5, tuned_once=True, folds=3, stride=stride, tuning_rows=None if all_rows else 6000)
