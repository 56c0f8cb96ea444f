"""The exact line search of AUM: convex search and walk, against each other and against a sort."""

from __future__ import annotations

from functools import partial

import numpy as np

from aucmax.aum import ErrorFunctions, aum, exact_line_search
from aucmax.aum.lines import threshold_lines
from aucmax.aum.walk import CrossingWalk
from benchmarks.timing import medians, row

CROSSING_MICROSECONDS = 0.15  # target time per crossing


def problem(n: int) -> tuple[ErrorFunctions, np.ndarray, np.ndarray]:
    """Ten normal features, a noisy linear label, random weights, and minus the gradient as direction."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    y = X.sum(axis=1) + 3.0 * rng.normal(size=n) > 0
    errors = ErrorFunctions.from_labels(y)
    pred = X @ rng.normal(size=10)
    here = aum(errors, pred)
    return errors, pred, -X @ (X.T @ (here.left + here.right)) / n


def first_min_against_walk(n: int, repeats: int) -> dict:
    search = partial(exact_line_search, *problem(n))
    convex, walk = medians(search, partial(search, method="walk"), repeats=repeats)
    return row(f"first_min, n={n}: convex search against the walk", convex, walk, ">= 300")


def first_min_against_sort(n: int, repeats: int) -> dict:
    errors, pred, direction = problem(n)
    ours, sort = medians(
        lambda: exact_line_search(errors, pred, direction), lambda: np.argsort(pred), repeats=3 * repeats
    )  # fmt: skip
    return row(f"first_min, n={n}: convex search against np.argsort", ours, sort, ">= 1/30")


def linear_against_sort(n: int, repeats: int) -> dict:
    errors, pred, direction = problem(n)
    ours, sort = medians(
        lambda: exact_line_search(errors, pred, direction, until="linear"), lambda: np.argsort(pred), repeats=repeats
    )  # fmt: skip
    return row(f"linear, n={n}: walk of n rows against np.argsort", ours, sort, ">= 1/12")


def walk_per_crossing(n: int, n_rows: int, repeats: int) -> dict:
    lines = threshold_lines(*problem(n))

    def walk() -> np.ndarray:
        return CrossingWalk(lines).next_rows(n_rows)

    crossings = walk().shape[1] - 1
    (ours,) = medians(walk, repeats=repeats)
    what = f"walk, n={n}: {1e3 * ours / crossings:.3f} us a crossing, against {CROSSING_MICROSECONDS} us"
    return row(what, ours, 1e-3 * CROSSING_MICROSECONDS * crossings, ">= 1")


def run(scale: float = 1.0, repeats: int = 5) -> list[dict]:
    """All comparisons; a smaller `scale` makes the problems smaller, and the bars meaningless."""

    def sized(n: float) -> int:
        return max(20, int(scale * n))

    return [
        first_min_against_walk(sized(1e4), min(repeats, 3)),
        first_min_against_sort(sized(1e5), repeats),
        walk_per_crossing(sized(1e3), sized(1e6), repeats),
        walk_per_crossing(sized(1e4), sized(1e6), repeats),
        linear_against_sort(sized(1e6), repeats),
    ]


if __name__ == "__main__":
    for line in run():
        print(line)
