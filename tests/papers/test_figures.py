"""Every figure of the papers, drawn on generated rows."""

from pathlib import Path

import pytest

from aucmax.comparison.reproduction.figures import draw_figure, figure_names

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


def test_all_figures_of_the_specification_have_a_script():
    wanted = {"dan_2019": "1", "liu_2018": "1 2", "natole_2020": "3.1 4.2 5.1 5.2 6.1 6.2 6.3 6.4"}
    wanted["fowler_2024"] = "1 2 3 4 5 6"
    assert {name: figure_names(PAPERS, name) for name in wanted} == {name: f.split() for name, f in wanted.items()}


def test_an_unknown_figure_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no figure '9'; choose one of"):
        draw_figure(PAPERS, "fowler_2024", "9", output=tmp_path)
