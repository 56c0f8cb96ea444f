"""Figure 6 of Fowler and Hocking (2024): time and best validation AUC of line searches and of grid search.

    AUCMAX_DATA=folder python papers/fowler_2024/figure6.py

writes `figure6.md` and `figure6.png` beside this file. Labelled changepoints of H3K4me3_TDH_immune: each of four
folds is left out in turn, and the rest is split into halves, subtrain and validation, in four random ways. Interval
regression on the subtrain set, its alpha chosen by the loss on the validation set, is the start; descent on AUM
follows until a step lowers AUM by less than a fraction of 1e-5. Seconds are those of the descent, without the
evaluation of AUC.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from aucmax.aum import Descent, descend
from aucmax.changepoint import BenchmarkSet, interval_regression_path, load_benchmark
from aucmax.changepoint.feature_scaling import FeatureScaling
from aucmax.changepoint.interval_loss import IntervalLoss
from aucmax.changepoint.interval_path import alpha_grid
from aucmax.comparison.reproduction.curves import write_figure

FOLDER = Path(__file__).parent
NAME, FOLDS = "H3K4me3_TDH_immune", "equal_labels"
SEARCHES = ("first_min", "linear", "all", "grid")
COLOURS = {"start": "0.5", "first_min": "#1a7f37", "linear": "#b3261e", "all": "#3465a4", "grid": "#9a6700"}
SEEDS = 4
TOL = 1e-5
MAX_EPOCHS = 5000


@dataclass(frozen=True)
class Run:
    """One descent."""

    fold: int
    seed: int
    search: str
    seconds: float
    steps: int
    start: float  # validation AUC before the descent
    auc: float  # best validation AUC


def measure(data: BenchmarkSet, fold: int, seed: int, searches: tuple[str, ...] = SEARCHES) -> list[Run]:
    """All searches from the same start."""
    rest = np.random.default_rng(seed).permutation(np.flatnonzero(data.folds[FOLDS] != fold))
    halves = np.array_split(rest, 2)  # subtrain, validation
    scaling = FeatureScaling.fit(data.X[halves[0]])
    X = [scaling.transform(data.X[half]) for half in halves]
    errors = [data.table.subset(half).error_functions() for half in halves]
    limits = [data.table.subset(half).target_intervals() for half in halves]
    models = interval_regression_path(X[0], limits[0], alpha_grid(X[0], limits[0]))
    validation_loss = IntervalLoss.of(limits[1])
    first = min(models, key=lambda model: validation_loss.value(X[1] @ model.w + model.constant))
    runs = []
    for search in searches:
        settings = Descent(line_search=search, max_epochs=MAX_EPOCHS, tol=TOL)
        found = descend(errors[0], X[0], -first.w, (errors[1], X[1]), settings)  # f = -log penalty
        aucs = found.trace["validation_auc"]
        runs.append(Run(fold, seed, search, found.trace["seconds"][-1], found.n_epochs, aucs[0], aucs.max()))
    return runs


def table(runs: list[Run]) -> str:
    """Markdown: a row for each search; medians of seconds and steps and means of AUC over folds and seeds."""
    head = [
        "search",
        "median seconds",
        "times first_min",
        "median steps",
        "mean best validation AUC",
        "gain over start",
    ]
    lines = [head, ["---"] * len(head)]
    quickest = np.median([run.seconds for run in runs if run.search == "first_min"])
    for search in dict.fromkeys(run.search for run in runs):
        mine = [run for run in runs if run.search == search]
        seconds = np.median([run.seconds for run in mine])
        auc = np.array([run.auc for run in mine])
        gain = auc - [run.start for run in mine]
        steps = np.median([run.steps for run in mine])
        cells = f"{seconds:.3g} {seconds / quickest:.2f} {steps:g} {auc.mean():.4f} {gain.mean():.4f}".split()
        lines.append([search, *cells])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def plot(runs: list[Run]) -> Figure:
    """Seconds above, best validation AUC below, a column for each fold; a point for each seed."""
    folds = sorted({run.fold for run in runs})
    figure = Figure(figsize=(2.6 * len(folds) + 1.2, 5.6), layout="constrained")
    axes = figure.subplots(2, len(folds), sharey="row", squeeze=False)
    for column, fold in zip(axes.T, folds):
        mine = [run for run in runs if run.fold == fold]
        column[0].set_title(f"test fold {fold}", fontsize="medium")
        column[0].set_xscale("log")
        draw(column[0], {search: [run.seconds for run in mine if run.search == search] for search in SEARCHES})
        best = {search: [run.auc for run in mine if run.search == search] for search in SEARCHES}
        starts = [run.start for run in mine if run.search == SEARCHES[0]]
        draw(column[1], {**best, "start": starts})
        column[0].set_xlabel("seconds of descent")
        column[1].set_xlabel("best validation AUC")
    return figure


def draw(ax: Any, values: dict[str, list[float]]) -> None:
    """A row of points for each search, and a bar at their mean."""
    heights = np.arange(len(values))[::-1]
    for height, (search, points) in zip(heights, values.items()):
        ax.plot(points, np.full(len(points), height), "o", color=COLOURS[search], alpha=0.6, markersize=5)
        ax.plot(np.mean(points), height, "|", color=COLOURS[search], markersize=16)
    ax.set_yticks(heights, list(values))
    ax.set_ylim(-0.6, len(values) - 0.4)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="x", alpha=0.25)


def main(folder: Path = FOLDER, small: bool = False) -> list[Run]:
    """Run all descents, and write the table and the plot; `small` takes one fold and one seed."""
    folds, seeds = (1, 1) if small else (4, SEEDS)
    data = load_benchmark(NAME)
    numbers = np.unique(data.folds[FOLDS])[:folds].tolist()
    measure(data, numbers[0], 0, ("first_min", "grid"))  # compiles; not counted
    runs = [run for fold in numbers for seed in range(seeds) for run in measure(data, fold, seed)]
    how_many = f"{len(numbers)} folds, {seeds} seeds, {len(data.table)} sequences."
    write_figure(folder, "figure6", plot(runs), text(runs, how_many))
    return runs


def text(runs: list[Run], how_many: str) -> str:
    """What the paper shows, and whether ours agrees."""
    seconds = {search: np.median([run.seconds for run in runs if run.search == search]) for search in SEARCHES}
    quickest, slowest = min(seconds, key=seconds.__getitem__), max(seconds, key=seconds.__getitem__)
    best = {search: np.mean([run.auc for run in runs if run.search == search]) for search in SEARCHES}
    return f"""# {(__doc__ or "").strip().splitlines()[0]}

The paper shows that first_min is the quickest, linear the slowest, and that all reach similar validation AUCs.
Ours: the
quickest is {quickest}, the slowest {slowest}, and the mean best validation AUCs differ by
{max(best.values()) - min(best.values()):.4f}. {how_many}

{table(runs)}
"""


if __name__ == "__main__":
    main()
