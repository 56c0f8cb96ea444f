"""Figure 5 of Fowler and Hocking (2024): crossings per step, and steps, of three line searches against n.

    AUCMAX_DATA=folder python papers/fowler_2024/figure5.py

writes `figure5.md` and `figure5.png` beside this file. The first class against all others on MNIST and CIFAR-10, the
columns divided by their standard deviation, four random starts, gradient descent on AUM of error rates without
normalization, until a step lowers AUM by less than 1e-3. As AUM along a line is convex, "all" takes the steps of
"first_min", and its crossings are counted like those of "first_min", as inversions, without visiting them; "linear"
has n - 1 crossings per step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from aucmax import datasets
from aucmax.aum import Descent, ErrorFunctions
from aucmax.aum.step import AUMData, DescentPoint
from aucmax.comparison.reproduction.curves import write_figure
from aucmax.numerics.matrix import dense

FOLDER = Path(__file__).parent
SIZES = {"mnist": (100, 200, 400, 800, 1600, 3200, 6400), "cifar10_sub": (100, 200, 400, 800, 1600, 3200)}
SEARCHES = ("first_min", "linear", "all")
COLOURS = {"first_min": "#1a7f37", "linear": "#b3261e", "all": "#3465a4"}
SEEDS = 4
DECREASE = 1e-3  # of AUM, below which a descent stops
MAX_EPOCHS = 3000
LARGEST_LINEAR = 1600  # rows; with more, "linear" takes too many steps for a table computed in minutes


@dataclass(frozen=True)
class Run:
    """One descent."""

    data: str
    search: str
    n: int
    seed: int
    crossings: float  # mean per step
    steps: int


def inversions(values: np.ndarray) -> int:
    """Pairs in descending order."""
    if values.size <= 64:
        return int(np.count_nonzero(np.triu(values[:, None] > values[None, :])))
    left, right = np.array_split(values, 2)
    across = left.size * right.size - int(np.searchsorted(np.sort(left), right, side="right").sum())
    return inversions(left) + inversions(right) + across


def crossings(pred: np.ndarray, move: np.ndarray, step: float) -> int:
    """The number of pairs of thresholds -(pred + s move) that cross for 0 < s <= step."""
    order = np.lexsort((-move, -pred))
    return inversions(-(pred + step * move)[order] if step < np.inf else -move[order])


load = cache(partial(datasets.load, binarize=0))


def subsample(name: str, n: int, seed: int) -> AUMData:
    """n random rows, the same for every search; the first class is negative, the columns are standardised."""
    data = load(name)
    rows = np.random.default_rng(seed).permutation(data.y.size)[:n]
    X, y = dense(data.X[rows]), -data.y[rows]
    spread = X.std(axis=0)
    sizes = {label: np.count_nonzero(y == label) for label in (-1, 1)}
    errors = ErrorFunctions.from_labels(y, np.where(y > 0, sizes[-1], sizes[1]))
    return AUMData(errors, np.ascontiguousarray(X[:, spread > 0] / spread[spread > 0]))


def descend(train: AUMData, search: str, seed: int) -> tuple[list[DescentPoint], list[tuple[int, int]]]:
    """The points of a descent, and for every step the crossings up to it and on its whole line."""
    descent = Descent(line_search=search, normalization="none")
    start = np.random.default_rng(100 + seed).normal(size=train.X.shape[1])
    points = [descent.start(train, start)]
    counts: list[tuple[int, int]] = []
    while len(points) <= MAX_EPOCHS:
        before = points[-1]
        after = descent.step(train, before)
        if after is None:
            break
        move = (after.pred - before.pred) / after.step
        counts.append((crossings(before.pred, move, after.step), crossings(before.pred, move, np.inf)))
        points.append(after)
        if before.objective - after.objective < DECREASE:
            break
    return points, counts


def measure(name: str, n: int, seed: int, linear: bool = True) -> list[Run]:
    """The three searches on the same rows from the same start."""
    train = subsample(name, n, seed)
    points, counts = descend(train, "first_min", seed)
    first, every = np.mean(counts, axis=0) if counts else (0.0, 0.0)
    steps = len(points) - 1
    runs = [Run(name, "first_min", n, seed, first, steps), Run(name, "all", n, seed, every, steps)]
    if linear:
        steps = len(descend(train, "linear", seed)[0]) - 1
        runs.append(Run(name, "linear", n, seed, float(n - 1), steps))
    return runs


def slope(sizes: list[int], values: list[float]) -> float:
    """Exponent of n, by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(values, 1e-9)), 1)[0])


def means(runs: list[Run], data: str, search: str, what: str) -> tuple[list[int], list[float]]:
    """Sizes, and means over the seeds."""
    mine = [run for run in runs if (run.data, run.search) == (data, search)]
    sizes = sorted({run.n for run in mine})
    return sizes, [float(np.mean([getattr(run, what) for run in mine if run.n == n])) for n in sizes]


def table(runs: list[Run]) -> str:
    """Markdown: a row for each set, search and quantity, with the fitted exponent."""
    every = sorted({run.n for run in runs})
    head = ["set", "search", "quantity", *map(str, every), "exponent of n"]
    lines = [head, ["---"] * len(head)]
    for data in dict.fromkeys(run.data for run in runs):
        for what, title in (("crossings", "crossings per step"), ("steps", "steps")):
            for search in SEARCHES:
                sizes, values = means(runs, data, search, what)
                cells = dict(zip(sizes, values))
                strings = [f"{cells[n]:.3g}" if n in cells else "" for n in every]
                lines.append([data, search, title, *strings, f"{slope(sizes, values):.2f}"])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def plot(runs: list[Run]) -> Figure:
    """Crossings above, steps below, a column for each set; both axes logarithmic."""
    names = list(dict.fromkeys(run.data for run in runs))
    figure = Figure(figsize=(4.6 * len(names), 6.6), layout="constrained")
    axes = figure.subplots(2, len(names), sharex="col", sharey="row", squeeze=False)
    for column, data in zip(axes.T, names):
        column[0].set_title(data)
        column[1].set_xlabel("number of rows n")
        n = np.array(means(runs, data, "all", "crossings")[0], dtype=float)
        column[0].loglog(n, n * (n - 1) / 2, ":", color="0.4", label="all pairs")
        for ax, what in zip(column, ("crossings", "steps")):
            draw(ax, runs, data, what)
    axes[0, 0].set_ylabel("crossings per step")
    axes[1, 0].set_ylabel("steps until AUM falls by less than 1e-3")
    return figure


def draw(ax: Any, runs: list[Run], data: str, what: str) -> None:
    """One panel; the legend shows the exponents of n."""
    for search in SEARCHES:
        sizes, values = means(runs, data, search, what)
        label = f"{search}: n^{slope(sizes, values):.2f}"
        style = {"linestyle": "--"} if search == "all" else {"linewidth": 3.0}  # "all" may lie on "first_min"
        ax.loglog(sizes, values, marker="o", markersize=4, color=COLOURS[search], label=label, **style)
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small")


def main(folder: Path = FOLDER, small: bool = False) -> list[Run]:
    """Run all descents, and write the table and the plot; `small` takes a few rows that need no files."""
    sizes, seeds = ({"digits": (60, 120)}, 1) if small else (SIZES, SEEDS)
    runs = [
        run
        for name, numbers in sizes.items()
        for n in numbers
        for seed in range(seeds)
        for run in measure(name, n, seed, linear=n <= LARGEST_LINEAR)
    ]
    write_figure(folder, "figure5", plot(runs), text(runs, seeds))
    return runs


def text(runs: list[Run], seeds: int) -> str:
    """What the paper shows, and whether ours agrees."""
    names = list(dict.fromkeys(run.data for run in runs))
    powers = [slope(*means(runs, name, "first_min", "crossings")) for name in names]
    steps = {
        search: [slope(*means(runs, name, search, "steps")) for name in names] for search in ("first_min", "linear")
    }
    fewer = all(ours < theirs for ours, theirs in zip(steps["first_min"], steps["linear"]))
    exponents = ", ".join(f"{power:.2f} ({name})" for power, name in zip(powers, names))
    return f"""# {(__doc__ or "").strip().splitlines()[0]}

The paper shows that "first_min" needs fewer crossings per step than n^2 and more than n, and asymptotically fewer
steps than "linear". Ours {"agrees" if max(powers) < 2 and fewer else "does not agree"}: the exponents of n of its
crossings are {exponents}. Means of {seeds} random starts; FashionMNIST and STL10 are not available, CIFAR-10 only in
part.

{table(runs)}
"""


if __name__ == "__main__":
    main()
