"""The results that are committed: every printed cell is there, and they follow from the journal of runs."""

import shutil
from pathlib import Path

import pytest

from aucmax.comparison.reproduction import read_cells, reproduce
from aucmax.comparison.reproduction.pages import write_pages
from aucmax.comparison.reproduction.results import read_results
from aucmax.comparison.reproduction.verdicts import VERDICTS

PAPERS = Path(__file__).parents[2] / "papers"
NAMES = ("dan_2019", "liu_2018", "natole_2020")


@pytest.mark.parametrize("name", NAMES)
def test_the_results_are_those_of_the_journal(name, tmp_path):
    shutil.copy(PAPERS / "runs.jsonl", tmp_path)
    found = reproduce(name, PAPERS, output=tmp_path, compute=False)
    assert found.path.read_bytes() == (PAPERS / name / "results.csv").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_every_printed_cell_has_a_verdict(name):
    rows = read_results(PAPERS / name / "results.csv")
    keys = [(row["paper"], row["table"], row["data"], row["method"]) for row in rows]
    assert keys == [cell.key for cell in read_cells(PAPERS / name / "expected.csv")]
    assert {row["verdict"] for row in rows} <= set(VERDICTS)
    assert all(row["ours"] or row["verdict"] == "not run" for row in rows)
    assert all(row["note"] for row in rows if row["verdict"] in ("not run", "other task", "not reachable"))


def test_the_pages_are_those_of_the_results(tmp_path):
    copy = shutil.copytree(PAPERS, tmp_path / "papers")
    for path in write_pages(copy):
        assert path.read_text() == (PAPERS / path.relative_to(copy)).read_text(), path.name
