"""Ceilings: the best test AUC that the objective of a method allows, its penalty and scaling chosen on the test rows.

No run of an algorithm that minimises the objective can print more, apart from random variation: the exact minimiser
is computed for a fine grid of penalties and every usual scaling, and the test rows themselves choose among them. An
algorithm that stops early is not at the minimiser, but early stopping acts as a stronger penalty, and all of those
are in the grid.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from aucmax.comparison.reproduction.plans import Reduction, Task
from aucmax.comparison.reproduction.runs import Rows, RunJournal
from aucmax.comparison.reproduction.scalings import USUAL, scale
from aucmax.losses import LOSSES
from aucmax.metrics import roc_auc
from aucmax.problem.data import Data, automatic_alpha
from aucmax.selection.alpha_path import alpha_path
from aucmax.solvers.cutting_plane import CuttingPlane
from aucmax.solvers.exact import Exact

FINE = 10.0 ** np.arange(-5.0, 4.01, 0.25)  # times the automatic penalty
COARSE = 10.0 ** np.arange(-4.0, 2.01, 0.5)
L1_RATIOS = (0.1, 0.5, 0.9)
MOST_COLUMNS = {"l2": 1000, "elastic net": 300, "hinge": 300}  # of a table for which a ceiling is computed
MOST_ROWS = 20_000  # of a table for which a ceiling of the hinge, which has no moments, is computed
RUNS = 5
SCORED = 2**24  # scores held in memory at a time


def ceiling_name(task: Task, objective: str, encoding: str = "") -> str:
    """What the journal calls the ceiling of a task."""
    return " / ".join(filter(None, ("ceiling", task.data, task.grouping, objective, encoding, task.protocol.name)))


def ceiling_runs(
    task: Task,
    data: Rows,
    objective: str,
    reduction: Reduction,
    journal: RunJournal,
    scalings: tuple[str, ...] = USUAL,
) -> None:
    """Compute the ceiling in the first runs of a task, unless the journal has it; nothing for large tables."""
    encoding = "" if scalings == USUAL else scalings[0]
    name = ceiling_name(task, objective, encoding)
    reduced = f"{reduction.rows:,} random rows a run" if reduction.rows else ""
    n_runs = min(RUNS, reduction.runs or RUNS, task.protocol.runs)
    todo = [run for run in range(n_runs) if journal.get(name, reduced, run) is None]
    too_long = objective == "hinge" and min(data.y.size, reduction.rows or data.y.size) > MOST_ROWS
    if data.X.shape[1] > MOST_COLUMNS[objective] or too_long or not todo:
        return
    aucs: dict[int, dict[str, float]] = {run: {} for run in todo}
    for scaling in scalings:
        rows = Rows(scale(data.X, scaling), data.y)
        for run in todo:
            split = task.protocol.split(data.y.size, run, reduction.rows)
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                aucs[run][scaling] = best_auc(rows.take(split.train), rows.take(split.test), objective)
    for run, found in aucs.items():
        journal.add(name, reduced, run, auc=max(found.values()), by_scaling=found)


def best_auc(train: Rows, test: Rows, objective: str) -> float:
    """The best test AUC of the exact minimisers, over the penalties.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 3)), np.repeat([-1, 1], 30)
    >>> rows = Rows(X + y[:, None] * [0.5, 0.0, 0.0], y)
    >>> best_auc(rows, rows, "l2") > 0.7
    True
    """
    paths = [
        _path(train, objective, l1_ratio)
        for l1_ratio in ((0.0, *L1_RATIOS) if objective == "elastic net" else (0.0,))
    ]
    weights = np.hstack(paths)
    columns = max(SCORED // test.y.size, 1)
    scores = (test.X @ weights[:, k : k + columns] for k in range(0, weights.shape[1], columns))
    return max(float(roc_auc(test.y, column)) for block in scores for column in block.T if np.isfinite(column).all())


def _path(train: Rows, objective: str, l1_ratio: float) -> np.ndarray:
    """Exact minimisers, one column for each penalty."""
    n = train.y.size
    data = Data.of(train.X, train.y, np.ones(n), standardize=False)
    if objective == "hinge":
        return alpha_path(data, LOSSES["hinge"](), COARSE * automatic_alpha(data), 0.0, CuttingPlane(tol=1e-3))
    largest = float(np.abs(data.delta).max()) / l1_ratio if l1_ratio else 0.0  # above it all weights are 0
    alphas: Any = largest * 10.0 ** np.arange(-4.0, 0.0, 0.25) if l1_ratio else FINE * automatic_alpha(data)
    return alpha_path(data, LOSSES["squared"](), alphas, l1_ratio, Exact(tol=1e-5))
