"""Learning curves, for the figures: test AUC against rows visited or seconds, by epochs or within a pass."""

from __future__ import annotations

import textwrap
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from aucmax.comparison.reproduction.plans import SMALL_SETS
from aucmax.comparison.reproduction.protocols import RandomSplits
from aucmax.comparison.reproduction.runs import Rows
from aucmax.comparison.reproduction.scalings import scale
from aucmax.comparison.reproduction.sources import SOURCES, load_rows
from aucmax.datasets import make_toy
from aucmax.estimators.linear import AUCClassifier
from aucmax.metrics import roc_auc
from aucmax.tables.atomic_write import atomic_write

COLOURS = ("#1a7f37", "#b3261e", "#3465a4", "#9a6700", "#6f42c1", "#0b7285", "#555555")
MOST_ROWS = 20_000


@dataclass(frozen=True)
class Curve:
    """A run, watched on test rows."""

    label: str
    passes: np.ndarray  # over the training rows
    seconds: np.ndarray  # without evaluations and compilation: CPU time within passes, else by the clock
    auc: np.ndarray  # on the test rows

    def passes_to(self, auc: float) -> float:
        """The passes after which the curve first reaches an AUC; infinity if it never does."""
        reached = np.flatnonzero(self.auc >= auc)
        return float(self.passes[reached[0]]) if reached.size else np.inf


def figure_rows(name: str, scaling: str | None = None, *, small: bool = False) -> tuple[Rows, Rows]:
    """Training and test rows of a data set, at most 20,000, scaled as in the dissertation unless a scaling is given;
    with `small`, generated ones.
    """
    if small:
        data = Rows(*make_toy(200, 5, positive_rate=0.4, random_state=len(name)))
    else:
        X, y = load_rows(name, "even against odd" if SOURCES[name].multiclass else "")
        part = np.random.default_rng(0).permutation(y.size)[:MOST_ROWS]
        usual = "unit rows" if name in SMALL_SETS else "centred unit rows"
        data = Rows(scale(X[part], scaling or usual), y[part])
    split = RandomSplits(1).split(data.y.size, 0)
    return data.take(split.train), data.take(split.test)


def epoch_curve(label: str, model: AUCClassifier, train: Rows, test: Rows) -> Curve:
    """A point after every epoch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        trace = model.fit(train.X, train.y, validation=(test.X, test.y)).trace_
    return Curve(label, trace["passes"], trace["seconds"], trace["validation_auc"])


def stream_curve(
    label: str, model: AUCClassifier, train: Rows, test: Rows, points: int = 12, passes: int = 1
) -> Curve:
    """Points within a pass, denser at its start; the rows come in the order of `train`."""
    n = train.y.size
    ends = np.unique(np.geomspace(min(100, n // 4), n, points).astype(int))
    visited = []
    seconds = []
    aucs = []
    spent = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for k in range(passes):
            for start, end in zip([0, *ends[:-1]], ends):
                begin = time.process_time()
                model.partial_fit(train.X[start:end], train.y[start:end], classes=[-1, 1])
                spent += time.process_time() - begin
                visited.append(k + end / n)
                seconds.append(spent)
                aucs.append(roc_auc(test.y, model.decision_function(test.X)))
    return Curve(label, np.array(visited), np.array(seconds), np.array(aucs))


def plot_panels(panels: Mapping[str, Sequence[Curve]], x: str = "passes", *, columns: int = 3) -> Any:
    """A panel for each data set, a line for each curve."""
    from matplotlib.figure import Figure

    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(3.9 * min(columns, len(panels)), 3.0 * rows), layout="constrained")
    axes = figure.subplots(rows, min(columns, len(panels)), squeeze=False).ravel()
    for ax, (name, curves) in zip(axes, panels.items()):
        draw_curves(ax, curves, x)
        ax.set_title(name, fontsize="medium")
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False, fontsize="small")
    return figure


def draw_curves(ax: Any, curves: Sequence[Curve], x: str = "passes") -> None:
    """One panel."""
    for curve, colour in zip(curves, COLOURS):
        ax.plot(getattr(curve, x), curve.auc, marker="o", markersize=3, color=colour, label=curve.label)
    ax.set_xlabel("passes over the training rows" if x == "passes" else "seconds")
    ax.set_ylabel("test AUC")
    if x == "seconds":
        ax.set_xscale("log")
        ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)


def write_figure(folder: Path, stem: str, figure: Any, text: str) -> None:
    """Write the figure as PNG and SVG, and the text beside it."""
    for suffix, options in (("png", {"dpi": 100}), ("svg", {"metadata": {"Date": None}})):
        with atomic_write(folder / f"{stem}.{suffix}", "wb") as file:
            figure.savefig(file, format=suffix, **options)
    with atomic_write(folder / f"{stem}.md") as file:
        file.write("\n\n".join(map(_filled, text.strip().split("\n\n"))) + "\n")


def _filled(paragraph: str) -> str:
    """A paragraph in lines of up to 116 characters; tables and titles stay as they are."""
    return paragraph if paragraph.lstrip().startswith(("|", "#")) else textwrap.fill(paragraph, 116)


def curve_table(panels: Mapping[str, Sequence[Curve]]) -> str:
    """Markdown: first and last AUC, passes and seconds of every curve."""
    lines = [
        "| data | curve | first AUC | last AUC | passes | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, curves in panels.items():
        for curve in curves:
            numbers = f"{curve.auc[0]:.4f} | {curve.auc[-1]:.4f} | {curve.passes[-1]:.2f} | {curve.seconds[-1]:.3f}"
            lines.append(f"| {name} | {curve.label} | {numbers} |")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class CurveSetting:
    """A line of a figure: a solver, its penalty, and whether it is watched within passes or after each."""

    solver: Any
    alpha: float = 0.01
    passes: int = 0  # that it streams through; 0: fitted, with a point after every epoch
    loss: str = "squared"

    def curve(self, label: str, train: Rows, test: Rows) -> Curve:
        """Run it."""
        settings = {"alpha": self.alpha, "loss": self.loss, "standardize": False, "random_state": 0}
        model = AUCClassifier(solver=self.solver, **settings)
        if not self.passes:
            return epoch_curve(label, model, train, test)
        return stream_curve(label, model, train, test, passes=self.passes)


def figure_panels(
    names: Sequence[str], lines: Mapping[str, CurveSetting], *, small: bool = False
) -> dict[str, list[Curve]]:
    """The same lines on several data sets."""
    panels: dict[str, list[Curve]] = {}
    for name in names[: 1 if small else None]:
        train, test = figure_rows(name, small=small)
        if not panels:  # compile, which is not timed
            for setting in lines.values():
                setting.curve("", Rows(train.X[:200], train.y[:200]), test)
        panels[name] = [setting.curve(label, train, test) for label, setting in lines.items()]
    return panels


def leaders(panels: Mapping[str, Sequence[Curve]], x: str = "passes") -> dict[str, str]:
    """The curve with the highest mean AUC on each data set, over the range that all curves cover."""
    found = {}
    for name, curves in panels.items():
        start = max(getattr(curve, x)[0] for curve in curves)
        last = max(start, min(getattr(curve, x)[-1] for curve in curves))
        grid = np.linspace(start, last, 50)
        means = {curve.label: np.interp(grid, getattr(curve, x), curve.auc).mean() for curve in curves}
        found[name] = max(means, key=means.__getitem__)
    return found


def listed(found: Mapping[str, str]) -> str:
    """As "a9a: SPAM; usps: SPDAM"."""
    return "; ".join(f"{name}: {label}" for name, label in found.items())
