"""Figures 5 and 6 of Fowler and Hocking (2024), on a few rows."""

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from aucmax.aum import exact_line_search

FOLDER = Path(__file__).parents[2] / "papers" / "fowler_2024"


def script(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # needed by dataclasses
    spec.loader.exec_module(module)
    return module


def test_crossings_are_the_rows_of_a_walk():
    figure5 = script("figure5")
    train = figure5.subsample("digits", 150, seed=0)
    rng = np.random.default_rng(0)
    pred, move = rng.normal(size=150), rng.normal(size=150)
    steps = exact_line_search(train.errors, pred, move, until="all").table.step[1:]
    assert figure5.crossings(pred, move, np.inf) == steps.size
    assert figure5.crossings(pred, move, 0.3) == np.count_nonzero(steps <= 0.3)


def test_a_search_of_all_crossings_takes_the_steps_of_the_first_minimum():
    figure5 = script("figure5")
    train = figure5.subsample("digits", 150, seed=0)
    first, every = (figure5.descend(train, search, 0)[0] for search in ("first_min", "all"))
    assert len(first) == len(every)
    assert first[-1].objective == pytest.approx(every[-1].objective, rel=1e-6)


def test_figure_5_writes_a_table_and_a_plot(tmp_path):
    figure5 = script("figure5")
    runs = figure5.main(tmp_path, small=True)
    assert {run.search for run in runs} == {"first_min", "linear", "all"}
    assert "| digits | linear | steps |" in (tmp_path / "figure5.md").read_text()
    assert (tmp_path / "figure5.png").stat().st_size > 1000


@pytest.mark.skipif("AUCMAX_DATA" not in os.environ, reason="set AUCMAX_DATA to the folder of the benchmark sets")
def test_figure_6_writes_a_table_and_a_plot(tmp_path, monkeypatch):
    figure6 = script("figure6")
    monkeypatch.setattr(figure6, "MAX_EPOCHS", 2)
    runs = figure6.main(tmp_path, small=True)
    assert all(run.auc >= run.start for run in runs)
    assert "| grid |" in (tmp_path / "figure6.md").read_text()
    assert (tmp_path / "figure6.png").stat().st_size > 1000
