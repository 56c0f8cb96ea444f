"""Every figure of the papers, drawn on generated rows."""

from pathlib import Path

import numpy as np
import pytest
from oracles.gradient_steps import directions, stochastic_gradients

from aucmax.comparison.reproduction.figures import draw_figure, figure_names, figure_script
from aucmax.comparison.reproduction.runs import Rows
from aucmax.solvers import SPAM, VRSPAM

PAPERS = Path(__file__).parents[2] / "papers"
FIGURES = [
    (name, figure) for name in ("dan_2019", "liu_2018", "natole_2020") for figure in figure_names(PAPERS, name)
]
QUICK = [("fowler_2024", figure) for figure in ("1", "2", "3")]


def check(name, figure, folder):
    draw_figure(PAPERS, name, figure, output=folder, small=True)
    stem = f"figure{figure.replace('.', '_')}"
    text = (folder / name / f"{stem}.md").read_text()
    assert text.startswith("# Figure") and "shows" in text.split("\n\n")[1]
    assert (folder / name / f"{stem}.png").stat().st_size > 5000
    assert (folder / name / f"{stem}.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(("name", "figure"), QUICK)
def test_figures_without_data_are_drawn(name, figure, tmp_path):
    check(name, figure, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "figure"), FIGURES)
def test_figures_are_drawn_on_generated_rows(name, figure, tmp_path):
    check(name, figure, tmp_path)


def test_variances_of_updates_are_those_over_all_rows(table):
    figure = figure_script(PAPERS, "dan_2019", "1")
    X, y, _ = table(80)
    weight = np.ones(80)
    problem = figure.problem_of(Rows(X, y))
    state = figure.states_of(SPAM(max_epochs=2), problem)[-1]
    G = stochastic_gradients(X, y, weight, state.last, centre=True)
    assert figure.spam_variance(problem, state) == pytest.approx(G.var(axis=0).sum())
    old, new = figure.states_of(VRSPAM(estimator="printed", sampling="uniform", max_epochs=2), problem)
    D = directions(X, y, weight, np.full(80, 1 / 80), old.snapshot.w, new.snapshot.w, "printed")
    assert figure.vrspam_variance(problem, old, new) == pytest.approx(D.var(axis=0).sum())


def test_all_figures_of_the_specification_have_a_script():
    wanted = {"dan_2019": "1", "liu_2018": "1 2", "natole_2020": "3.1 4.2 5.1 5.2 6.1 6.2 6.3 6.4"}
    wanted["fowler_2024"] = "1 2 3 4 5 6"
    assert {name: figure_names(PAPERS, name) for name in wanted} == {name: f.split() for name, f in wanted.items()}


def test_an_unknown_figure_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no figure '9'; choose one of"):
        draw_figure(PAPERS, "fowler_2024", "9", output=tmp_path)
