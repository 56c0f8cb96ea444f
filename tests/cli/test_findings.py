"""What the commands say about tables: ids, new rows, times, the likely target."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("click")
from command_line import expect_error, fit, make_columns, run, write


@pytest.fixture
def waves(tmp_path, monkeypatch):
    """Payments numbered in order, the last third of which is mostly fraud: the number alone ranks with AUC 0.9."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    number = 1 + np.arange(1500) + rng.integers(0, 3, 1500).cumsum()
    y = rng.random(1500) < np.where(np.arange(1500) > 1000, 0.5, 0.01)
    columns = {
        "id": number,
        "amount": np.round(rng.lognormal(3, 1, 1500) * (1 + y), 2),
        "hour": rng.integers(0, 24, 1500),
        "is_fraud": y.astype(int),
    }
    write("data.csv", columns)
    write("later.csv", columns | {"id": number + 10_000_000})
    return tmp_path


def evaluate(path="later.csv", *arguments):
    return json.loads(run("evaluate", path, "--model", "model.json", "--json", *arguments).stdout)


def test_ids_are_left_out_so_that_later_ids_change_nothing(waves):
    result = fit("--threshold-at", "fpr=0.01")
    assert "warning: AUC101 column 'id' is left out, it looks like an id" in result.stderr
    assert "left out: id: looks like an id" in fit("--threshold-at", "fpr=0.01", "--ignore", "AUC101").stdout
    before, after = evaluate("data.csv"), evaluate("later.csv")
    assert after == before | {"data": "later.csv"} and after["findings"] == []


def test_a_kept_id_is_reported_when_later_ids_are_scored(waves):
    """The AUC stays, and false alarms go to 100 %: now with a word."""
    assert fit("--keep", "id", "--threshold-at", "fpr=0.01").stderr == ""
    before, after = evaluate("data.csv"), evaluate("later.csv")
    assert before["auc"] > 0.85 and after["auc"] == pytest.approx(before["auc"], abs=0.01)
    assert before["fpr"] < 0.05 and after["fpr"] == 1.0
    assert before["findings"] == [] and after["outside_training"]["id"] == 1.0
    (finding,) = after["findings"]
    assert finding["code"] == "AUC109" and finding["columns"] == ["id"]
    warning = "warning: AUC109 column 'id': 100 % of the rows are outside the range of training"
    for command in (("score", "later.csv"), ("score", "later.csv", "-o", "s.csv"), ("evaluate", "later.csv")):
        result = run(*command, "--model", "model.json")
        assert result.stderr.startswith(warning) and "AUC109" not in result.stdout
        assert run(*command, "--model", "model.json", "--ignore", "AUC109").stderr == ""


def test_score_counts_new_rows_over_all_chunks(waves, monkeypatch):
    from aucmax.cli import score

    fit("--keep", "id")
    monkeypatch.setattr(score, "_CHUNK_ROWS", 400)
    report = json.loads(run("score", "later.csv", "--model", "model.json", "-o", "s.csv", "--json").stdout)
    assert report["rows"] == 1500 and report["outside_training"] == {"id": 1.0}
    assert [finding["code"] for finding in report["findings"]] == ["AUC109"]


@pytest.fixture
def drifting(tmp_path, monkeypatch):
    """In each of six months another column tells the classes apart; rows in random order."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    month = rng.integers(0, 6, 1200)
    y = rng.random(1200) < 0.3
    X = rng.normal(size=(1200, 6))
    X[np.arange(1200), month] += 2.5 * y
    days = np.datetime64("2026-01-01") + 31 * month + rng.integers(0, 31, 1200)
    columns = {f"x{j}": X[:, j] for j in range(6)}
    write("data.csv", columns | {"day": days, "is_fraud": y.astype(int)})
    return days


def test_folds_by_time_train_on_the_past(drifting):
    arguments = ("fit", "data.csv", "--target", "is_fraud", "-o", "model.json", "--no-baseline", "--json")
    shuffled = json.loads(run(*arguments).stdout)
    assert [finding["code"] for finding in shuffled["findings"]] == ["AUC106"]
    forward = json.loads(run(*arguments, "--time", "day", "--cv", 4).stdout)
    assert forward["findings"] == [] and forward["features"] == 6
    assert forward["out_of_fold"]["n_folds"] == 4
    assert shuffled["out_of_fold"]["rows"][0]["auc"] > 0.65 > forward["out_of_fold"]["rows"][0]["auc"] + 0.05
    assert json.loads(Path("model.json").read_text())["metadata"]["training"]["time"] == "day"
    kept = json.loads(run(*arguments, "--time", "day", "--keep", "day").stdout)
    assert kept["features"] == 8  # day and weekday


def test_compare_splits_by_time_too(drifting):
    arguments = ("compare", "data.csv", "--target", "is_fraud", "--models", "exact,cg", "--json")
    assert json.loads(run(*arguments, "--time", "day", "--cv", 3).stdout)["n_folds"] == 3


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["long ago", "now"] * 80, "holds categorical values; --time needs dates or numbers"),
        (["2026-01-01"] * 159 + [""], "is missing in row 160"),
        (["2026-01-01"] * 160, "constant"),
        (["2026-01-01", "2026-01-02"] * 80, "2 distinct times, too few for 5 folds by time"),
    ],
)
def test_times_that_cannot_split_the_rows_are_refused(folder, columns, cells, message):
    write("data.csv", columns | {"day": cells})
    arguments = ("fit", "data.csv", "--target", "is_fraud", "--time", "day", "-o", "model.json")
    assert message in expect_error(folder, *arguments)


def test_options_on_columns_need_a_file_with_names(folder):
    for option in ("--time", "--keep", "--drop"):
        message = expect_error(folder, "compare", "digits", option, "a", code=2)
        assert f"{option} cannot be used with a data set" in message
    np.savez("matrix.npz", X=np.random.default_rng(0).normal(size=(60, 2)), y=np.arange(60) % 2)
    for option in ("--time", "--keep", "--drop"):
        message = expect_error(folder, "fit", "matrix.npz", option, "a", "-o", "model.json")
        assert "libsvm and npz files have no column names" in message


def test_evaluate_names_the_likely_target(folder, columns):
    fit()
    other = dict(columns)
    other["outcome"] = other.pop("is_fraud")
    write("other.csv", other)
    message = expect_error(folder, "evaluate", "other.csv", "--model", "model.json")
    assert "with --target; that of training, 'is_fraud', is not there; likely it is 'outcome'" in message
    assert run("evaluate", "other.csv", "--model", "model.json", "--target", "outcome").stdout.startswith("160 rows")
    del other["outcome"]
    write("other.csv", other)
    message = expect_error(folder, "evaluate", "other.csv", "--model", "model.json")
    assert "is not there; the columns are ['id', 'amount'" in message


def test_fit_names_the_likely_target(folder):
    message = expect_error(folder, "fit", "data.csv", "-o", "model.json")
    assert "name the target column (--target); likely it is 'is_fraud'" in message


def test_findings_on_hostile_names_are_escaped(folder):
    columns = make_columns()
    write("data.csv", {"\x1b[2Jid": range(160), **columns})
    result = fit()
    assert "AUC101 column '\\x1b[2Jid'" in result.stderr
    with open("data.csv", newline="") as file:
        assert next(csv.reader(file))[0] == "\x1b[2Jid"
