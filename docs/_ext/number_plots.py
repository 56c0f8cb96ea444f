"""Figures of the benchmark pages, from the same files as their tables."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from result_tables import RESULTS, first_table

OURS = {"stack", "kernel", "linear"}
BLUE, GREY, RED = "#2f6fb2", "#8a939b", "#b04a08"
VERDICTS = {"reproduced": "#1a7f37", "above": BLUE, "below": RED, "not reachable": "#7a3bb3"}


def draw_numbers(name: str, text: str, path: Path) -> str:
    """Write the figure of a results page, if it has one; the sentence that says what it shows, or nothing."""
    if name == "kernel":
        figure, caption = model_figure()
    elif name == "few_positives":
        figure, caption = averaging_figure()
    elif first_table(text) and {"ours_ms", "theirs_ms", "ratio"} <= set(first_table(text)[0]):
        figure, caption = ratio_figure(first_table(text))
    else:
        return ""
    figure.savefig(path, transparent=False, facecolor="white")
    return caption


def ratio_figure(rows: list[dict[str, str]]) -> tuple[Figure, str]:
    """Ratios of times, on a logarithmic axis."""
    ratios = np.array([float(row["ratio"]) for row in rows])
    figure = Figure(figsize=(9, 1.1 + 0.34 * len(rows)), layout="constrained")
    ax = figure.subplots()
    y = np.arange(len(rows))[::-1]
    colours = [BLUE if ratio >= 1 else RED for ratio in ratios]
    ax.hlines(y, 1, ratios, colors=colours, linewidth=2)
    ax.scatter(ratios, y, c=colours, s=36, zorder=3)
    ax.axvline(1, color="0.3", linewidth=1)
    ax.set_yticks(y, [shortened(row["what"]) for row in rows], fontsize=8)
    ax.set_xscale("log")
    ax.set_xlabel("their time / our time")
    plain(ax)
    return figure, "Ratio of times: to the right of 1 aucmax takes less time than what it is compared with."


def model_figure() -> tuple[Figure, str]:
    """Mean rank of AUC against the time of a fit."""
    results = json.loads((RESULTS / "kernel.json").read_text())
    runs = [found["models"] for found in results.values()]
    names = [name for name in runs[0] if all(name in found for found in runs)]  # others were run on some sets only
    auc = np.array([[np.mean(found["models"][name]["auc"]) for name in names] for found in results.values()])
    seconds = np.array([[np.mean(found["models"][name]["seconds"]) for name in names] for found in results.values()])
    ranks = (auc[:, :, None] < auc[:, None, :]).sum(axis=2) + 0.5 * (auc[:, :, None] == auc[:, None, :]).sum(axis=2)
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    ax = figure.subplots()
    x, y = np.median(seconds, axis=0), (ranks + 0.5).mean(axis=0)
    ax.scatter(x, y, c=[BLUE if name.split(" (")[0] in OURS else GREY for name in names], s=70, zorder=3)
    for name, at, rank in zip(names, x, y):
        ax.annotate(name, (at, rank), xytext=(8, -3), textcoords="offset points", fontsize=9)
    ax.set_xscale("log")
    ax.invert_yaxis()
    ax.set_xlabel("median seconds of a fit, tuning included")
    ax.set_ylabel("mean rank by test AUC (1 is best)")
    ax.margins(x=0.22, y=0.12)
    plain(ax)
    caption = f"Mean rank among {len(names)} models on {len(results)} sets against the time of a fit; ours are blue."
    return figure, caption


def averaging_figure() -> tuple[Figure, str]:
    """What averaging gains over picking the best model, draw by draw."""
    results = json.loads((RESULTS / "few_positives.json").read_text())
    gains = {name: np.subtract(found["average"], found["best"]) for name, found in results.items()}
    order = sorted(gains, key=lambda name: gains[name].mean())
    figure = Figure(figsize=(8, 4.4), layout="constrained")
    ax = figure.subplots()
    for y, name in enumerate(order):
        ax.scatter(gains[name], np.full(gains[name].size, y), color=GREY, s=18, alpha=0.7)
        ax.scatter(gains[name].mean(), y, color=BLUE, s=70, marker="D", zorder=3)
    ax.axvline(0, color="0.3", linewidth=1)
    ax.set_yticks(range(len(order)), order, fontsize=9)
    ax.set_xlabel("test AUC of the average minus that of the best model")
    plain(ax)
    return figure, "Draws of 20 positives (grey) and their mean (blue): to the right of 0 averaging ranks better."


def draw_verdicts(results: Path, path: Path) -> str:
    """Write a figure of printed numbers and ours, from the results of a reproduction; its caption."""
    with results.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["ours"] and row["printed"]]
    figure = Figure(figsize=(6.4, 5.6), layout="constrained")
    ax = figure.subplots()
    for verdict in sorted({row["verdict"] for row in rows}):
        colour = VERDICTS.get(verdict, GREY)
        pairs = np.array([(float(row["printed"]), float(row["ours"])) for row in rows if row["verdict"] == verdict])
        ax.scatter(*pairs.T, s=22, alpha=0.75, color=colour, label=f"{verdict}: {len(pairs)}")
    ax.axline((0.5, 0.5), slope=1, color="0.6", linewidth=1)
    values = np.array([(float(row["printed"]), float(row["ours"])) for row in rows])
    low, high = values.min() - 0.01, values.max() + 0.01
    ax.set(xlim=(low, high), ylim=(low, high), xlabel="printed", ylabel="ours")
    ax.legend(frameon=False)
    plain(ax)
    figure.savefig(path, facecolor="white")
    return "Every printed number that was run again, against ours: on the line they are equal."


def plain(ax) -> None:
    """Only what is needed: two spines and a light grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="x", color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)


def shortened(text: str, length: int = 78) -> str:
    """A label that fits."""
    return text if len(text) <= length else text[: length - 3].rstrip() + "..."
