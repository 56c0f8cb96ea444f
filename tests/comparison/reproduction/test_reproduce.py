"""Reproductions on generated rows: every paper, interruptions, the command line."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from aucmax.comparison.reproduction import read_cells, reproduce
from aucmax.comparison.reproduction.ceilings import ceiling_name
from aucmax.comparison.reproduction.plans import tasks_of
from aucmax.comparison.reproduction.results import read_results, result_of
from aucmax.comparison.reproduction.runs import RunJournal
from aucmax.comparison.reproduction.verdicts import VERDICTS

PAPERS = Path(__file__).parents[3] / "papers"
COMMAND = [sys.executable, "-m", "aucmax", "reproduce", "liu_2018", "--small", "--papers", str(PAPERS)]


def finished(folder):
    lines = (folder / "runs.jsonl").read_bytes().splitlines()[1:]
    return [(line["task"], line["run"]) for line in map(json.loads, lines)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    reproduce("liu_2018", PAPERS, small=True, output=folder)
    return folder


def test_every_cell_gets_a_verdict(whole):
    rows = read_results(whole / "liu_2018" / "results.csv")
    cells = read_cells(PAPERS / "liu_2018" / "expected.csv")
    assert [(row["data"], row["method"]) for row in rows] == [(cell.data, cell.method) for cell in cells]
    assert {row["verdict"] for row in rows} <= set(VERDICTS)
    assert not any(row["note"] == "not run yet" for row in rows)


def test_data_that_are_not_to_be_had_are_named(whole):
    rows = [row for row in read_results(whole / "liu_2018" / "results.csv") if row["data"] == "real-sim"]
    assert len(rows) == 4
    assert all(row["verdict"] == "not run" and "72,309 rows" in row["note"] for row in rows)


def test_a_cut_journal_is_completed_to_the_same_results(whole, tmp_path):
    content = (whole / "runs.jsonl").read_bytes()
    rng = random.Random(0)
    cut = content[: rng.randrange(len(content) // 2, len(content))]
    (tmp_path / "runs.jsonl").write_bytes(cut)
    reproduce("liu_2018", PAPERS, small=True, output=tmp_path)
    results = Path("liu_2018") / "results.csv"
    assert (tmp_path / results).read_bytes() == (whole / results).read_bytes()
    assert max(Counter(finished(tmp_path)).values()) == 1
    kept = cut.count(b"\n")
    assert (tmp_path / "runs.jsonl").read_bytes().splitlines()[:kept] == content.splitlines()[:kept]


def test_a_finished_reproduction_runs_nothing(whole, monkeypatch):
    monkeypatch.setattr("aucmax.comparison.reproduction.runs.fitted_auc", None)
    before = (whole / "runs.jsonl").read_bytes()
    reproduce("liu_2018", PAPERS, small=True, output=whole)
    assert (whole / "runs.jsonl").read_bytes() == before


def test_another_file_in_place_of_the_journal_is_refused(tmp_path):
    (tmp_path / "runs.jsonl").write_text('{"my": "data"}\n{"not": "ours"')
    with pytest.raises(ValueError, match="not a journal of runs"):
        RunJournal(tmp_path / "runs.jsonl")
    assert (tmp_path / "runs.jsonl").read_text() == '{"my": "data"}\n{"not": "ours"'


def test_unknown_tables_and_missing_folders_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"no table '9'; choose one of \['2'\]"):
        reproduce("liu_2018", PAPERS, small=True, output=tmp_path, table="9")
    with pytest.raises(FileNotFoundError, match=r"expected\.csv; run this in a clone"):
        reproduce("liu_2018", tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["dan_2019", "natole_2020"])
def test_small_reproductions_take_less_than_a_minute(name, tmp_path):
    start = time.process_time()
    found = reproduce(name, PAPERS, small=True, output=tmp_path)
    assert time.process_time() - start < 60
    assert sum(found.counts().values()) == len(read_cells(PAPERS / name / "expected.csv"))
    assert not any(result.note == "not run yet" for result in found.results)


@pytest.mark.thorough
def test_ten_kills_change_nothing(whole, tmp_path):
    rng = random.Random(1)
    kills = 0
    while kills < 10:
        process = subprocess.Popen([*COMMAND, "--output", str(tmp_path)], stdout=subprocess.DEVNULL)
        count = len((tmp_path / "runs.jsonl").read_bytes().splitlines()) if (tmp_path / "runs.jsonl").exists() else 0
        while process.poll() is None:  # until it has added a few lines
            time.sleep(0.02 + 0.1 * rng.random())
            path = tmp_path / "runs.jsonl"
            if path.exists() and path.read_bytes().count(b"\n") > count + rng.randrange(6):
                break
        if process.poll() is not None:
            break
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    assert kills == 10
    subprocess.run([*COMMAND, "--output", str(tmp_path)], check=True, stdout=subprocess.DEVNULL)
    results = Path("liu_2018") / "results.csv"
    assert (tmp_path / results).read_bytes() == (whole / results).read_bytes()
    assert max(Counter(finished(tmp_path)).values()) == 1


def journal_with(folder, runs):
    """A journal with runs of tasks, by the name of the task."""
    journal = RunJournal(folder / "runs.jsonl")
    for name, aucs in runs.items():
        for run, auc in enumerate(aucs):
            journal.add(name, "", run, auc=auc, setting={}, by_scaling={"as distributed": auc})
    return journal


def cell_of(name, data, method, table=None):
    cells = read_cells(PAPERS / name / "expected.csv", table)
    return next(cell for cell in cells if (cell.data, cell.method) == (data, method))


def test_a_printed_number_far_above_the_ceiling_is_not_reachable(tmp_path):
    cell = cell_of("dan_2019", "ijcnn1", "VRSPAM-L2")  # .9750
    (task,) = tasks_of(cell)
    runs = {task.name: [0.932, 0.934, 0.933], ceiling_name(task, "l2"): [0.935, 0.936, 0.935]}
    assert result_of(cell, journal_with(tmp_path, runs)).verdict == "not reachable"


def test_nothing_is_unreachable_on_other_rows_than_the_published_ones(tmp_path):
    cell = cell_of("dan_2019", "w8a", "VRSPAM-L2")  # .9876, of rows that are not all available
    (task,) = tasks_of(cell)
    runs = {task.name: [0.952, 0.953, 0.951], ceiling_name(task, "l2"): [0.971, 0.972, 0.971]}
    result = result_of(cell, journal_with(tmp_path, runs))
    assert result.verdict == "below" and "the data are not the same" in result.note


def test_an_unknown_grouping_is_another_task_unless_all_groupings_agree(tmp_path):
    cell = cell_of("natole_2020", "mnist", "SPDAM")  # .9552
    first, second = (task.name for task in tasks_of(cell))
    agreeing = journal_with(tmp_path / "a", {first: [0.955, 0.956], second: [0.954, 0.956]})
    differing = journal_with(tmp_path / "b", {first: [0.955, 0.956], second: [0.90, 0.901]})
    assert result_of(cell, agreeing).verdict == "reproduced"
    assert result_of(cell, differing).verdict == "other task"


def test_rows_that_were_interchanged_are_compared_with_each_others_data(tmp_path):
    cell = cell_of("dan_2019", "letter", "VRSPAM-L2")  # .9834, which is that of usps
    (task,) = tasks_of(cell)
    other = task.name.replace("letter", "usps")
    result = result_of(cell, journal_with(tmp_path, {task.name: [0.79, 0.791], other: [0.982, 0.984]}))
    assert result.verdict == "below"
    assert "as if the row were that of usps: ours 0.9830 ± 0.0014, reproduced" in result.note


def test_the_latest_of_two_reductions_counts(tmp_path):
    journal = journal_with(tmp_path, {"task": [0.8, 0.81]})
    for run in range(2):
        journal.add("task", "on 6,000 rows", run, auc=0.9)
    assert [line["auc"] for line in journal.runs_of("task")] == [0.9, 0.9]
    assert [line["auc"] for line in RunJournal(tmp_path / "runs.jsonl").runs_of("task")] == [0.9, 0.9]
