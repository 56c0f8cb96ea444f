"""`--report` of compare and evaluate, and the options of compare that go with it."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("click")
from command_line import expect_error, fit, run, write

from aucmax.comparison import Comparison

COMPARE = ("compare", "data.csv", "--target", "is_fraud", "--models", "exact,cg", "--cv", 3)
HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J"


def test_compare_writes_a_page_and_names_it(folder):
    result = run(*COMPARE, "--report", "new/page.html", "--costs", 100, 2)
    assert result.stdout.splitlines()[-1] == "report: new/page.html"
    page = Path("new/page.html").read_text()
    assert "data.csv" in page and "lowest cost" in page and "looks like an id" in page and "country" in page
    assert "AUC101" in result.stderr and "AUC101" in page


def test_evaluate_writes_a_page(folder):
    fit("--cv", 2)
    shown = run("evaluate", "data.csv", "--model", "model.json", "--report", "page.html", "--group-column", "country")
    assert shown.stdout.splitlines()[-1] == "report: page.html"
    page = Path("page.html").read_text()
    assert "linear model" in page and "AUC by country" in page
    found = json.loads(run("explain", "data.csv", "--model", "model.json", "--json").stdout)["columns"]
    hour = next(column for column in found if column["name"] == "hour")
    assert f"hour: {hour['direction']:+.4g}, " in page  # with its sign
    amount = next(column for column in found if column["name"] == "amount")
    assert "amount: {importance:+.4g}, {low:+.4g} to {high:+.4g}".format(**amount) in page
    assert "Some rows explained" in page
    auc = next(line for line in shown.stdout.splitlines() if line.startswith("AUC "))
    assert auc in page


def test_a_page_of_a_model_that_is_not_linear(folder):
    fit("--cv", 2, "--kernel", "rbf")
    run("evaluate", "data.csv", "--model", "model.json", "--report", "page.html")
    page = Path("page.html").read_text()
    assert "kernel model" in page and "AUC lost when the column is shuffled" in page


def test_a_page_of_a_stack_says_so(folder):
    fit("--cv", 2, "--stack")
    run("evaluate", "data.csv", "--model", "model.json", "--report", "page.html")
    page = Path("page.html").read_text()
    assert "stack model" in page and "linear model" not in page


def test_json_says_where_the_page_is(folder):
    result = run(*COMPARE, "--report", "page.html", "--json")
    content = json.loads(result.stdout)
    assert content["report"] == "page.html" and content["plot"] is None
    assert {finding["code"] for finding in content["findings"]} >= {"AUC101", "AUC107"}
    assert result.stderr.splitlines()[-1] == "report: page.html"


def test_a_page_that_cannot_be_written_is_refused_before_the_work(folder, monkeypatch):
    monkeypatch.setattr("aucmax.cli.commands.compare.compare_models", None)
    assert "not a writable folder" in expect_error(folder, *COMPARE, "--report", "data.csv/page.html")
    assert "extension" in expect_error(folder, *COMPARE, "--report", "page.pdf", code=2)
    Path("data.html").write_bytes(Path("data.csv").read_bytes())
    arguments = ("data.html", "--format", "csv", "--target", "is_fraud", "--report", "data.html")
    assert "also an input" in expect_error(folder, "compare", *arguments)


def test_results_are_shown_if_the_page_cannot_be_written(folder, monkeypatch):
    def fail(*arguments, **settings):
        raise OSError(28, "No space left on device", "page.html")

    monkeypatch.setattr(Comparison, "report", fail)
    result = run(*COMPARE, "--report", "page.html", "--ignore", "AUC101,AUC107", code=1)
    assert "exact" in result.stdout and "AUC" in result.stdout
    assert result.stderr == "error: page.html: No space left on device\n"


def test_repeats_rope_jobs_and_resume(folder):
    settings = ("--repeats", 2, "--rope", 0.5, "--jobs", 1, "--resume", "fits.jsonl", "--json")
    first = json.loads(run(*COMPARE, *settings).stdout)
    assert first["n_repeats"] == 2 and first["rope"] == 0.5 and first["rows"][1]["verdict"] != "undecided"
    size = Path("fits.jsonl").stat().st_size
    again = json.loads(run(*COMPARE, *settings).stdout)
    assert Path("fits.jsonl").stat().st_size == size and again["rows"] == first["rows"]
    assert "other data, folds or seeds" in run(*COMPARE, *settings, "--seed", 1, code=1).stderr


def test_a_weak_group_is_found(folder, columns):
    y = np.array(columns["is_fraud"]) == "fraud"
    weak = np.arange(y.size) % 2 == 0
    rng = np.random.default_rng(0)
    table = {
        "amount": np.where(weak, rng.normal(size=y.size), rng.normal(size=y.size) + 4.0 * y).tolist(),
        "hour": columns["hour"],
        "shop": np.where(weak, HOSTILE, "good").tolist(),
        "day": [f"2026-{1 + i % 12:02d}-03" for i in range(y.size)],
        "is_fraud": columns["is_fraud"],
    }
    write("data.csv", table)
    shown = run(*COMPARE, "--group-column", "shop", "--report", "page.html").stdout
    assert "AUC209" in shown and "\x1b" not in shown
    page = Path("page.html").read_text()
    assert "AUC209" in page and "<img" not in page and "&lt;img src=x" in page
    assert "AUC209" not in run(*COMPARE, "--group-column", "shop", "--ignore", "AUC209").stdout
    run(*COMPARE, "--group-column", "day", "--report", "page.html")
    page = Path("page.html").read_text()
    assert "2026-07" in page and "2026-01-03 to 2026-12-03" in page


def test_folds_by_time_are_reported(folder, columns):
    table = columns | {"day": [f"2026-{1 + i // 20:02d}-{1 + i % 20:02d}" for i in range(160)]}
    write("data.csv", table)
    run(*COMPARE, "--time", "day", "--report", "page.html")
    page = Path("page.html").read_text()
    assert "2026-01-01 to 2026-08-20" in page and "in no test set" in page


def test_groups_need_a_column_with_few_values(folder):
    assert "there is no column" in expect_error(folder, *COMPARE, "--group-column", "absent")
    message = expect_error(folder, "compare", "digits", "--group-column", "a", code=2)
    assert "--group-column" in message
    write("many.csv", {"id": list(range(300)), "x": list(range(300)), "y": [i % 2 for i in range(300)]})
    assert "300 distinct values" in expect_error(
        folder, "compare", "many.csv", "--target", "y", "--group-column", "id"
    )
