"""`aucmax score` and `aucmax evaluate`: a saved model on new rows."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("click")
from command_line import expect_error, fit, run, write

from aucmax.cli import score
from aucmax.metrics import roc_auc
from aucmax.models import LinearScorer, ModelMetadata, SavedModel, load, save
from aucmax.tables import Table, TableEncoder, read
from aucmax.tables.table_writer import open_writer


def test_score_is_the_model_on_every_row(folder):
    fit()
    run("score", "data.csv", "--model", "model.json", "-o", "scores.csv", "--id", "id")
    rows = list(csv.DictReader(Path("scores.csv").read_text().splitlines()))
    assert [row["id"] for row in rows] == [f"payment {i}" for i in range(160)]
    assert list(rows[0]) == ["id", "score", "probability", "prediction"]
    auc = roc_auc(np.arange(160) % 5 == 0, [float(row["score"]) for row in rows])
    plain = json.loads(run("evaluate", "data.csv", "--model", "model.json", "--json").stdout)
    assert auc == plain["auc"]
    assert sum(row["prediction"] == "fraud" for row in rows) == plain["tp"] + plain["fp"]


def test_scores_go_to_stdout_or_to_a_file_alike(folder):
    fit()
    shown = run("score", "data.csv", "--model", "model.json").stdout
    plain = json.loads(run("score", "data.csv", "--model", "model.json", "-o", "new/s.csv", "--json").stdout)
    assert plain["rows"] == 160 and Path("new/s.csv").read_text() == shown


def test_order_of_columns_does_not_matter(folder, columns):
    fit()
    write("other.csv", dict(reversed(columns.items())))
    arguments = ("--model", "model.json")
    assert run("score", "other.csv", *arguments).stdout == run("score", "data.csv", *arguments).stdout


def test_scores_do_not_depend_on_chunks(folder, monkeypatch):
    fit()
    whole = run("score", "data.csv", "--model", "model.json").stdout
    monkeypatch.setattr(score, "_CHUNK_ROWS", 7)
    assert run("score", "data.csv", "--model", "model.json").stdout == whole


def test_evaluate_shows_auc_and_confusion_matrix(folder):
    fit("--threshold-at", "fpr=0.1")
    shown = run("evaluate", "data.csv", "--model", "model.json").stdout
    assert "160 rows, 32 of them 'fraud'" in shown
    assert "AUC 0." in shown and "95 % interval" in shown
    assert "predicted fraud" in shown and "actual honest" in shown


def test_evaluate_with_weights_equals_copies(folder, columns):
    fit()
    times = [int(k) for k in columns["copies"]]
    copied = {name: [cell for cell, k in zip(cells, times) for _ in range(k)] for name, cells in columns.items()}
    write("copied.csv", copied)
    weighted = json.loads(run("evaluate", "data.csv", "--model", "model.json", "--weight", "copies", "--json").stdout)
    plain = json.loads(run("evaluate", "copied.csv", "--model", "model.json", "--json").stdout)
    for name in ("auc", "tp", "fp", "fn", "tn", "tpr", "fpr", "precision", "f1", "break_even"):
        assert weighted[name] == pytest.approx(plain[name], rel=1e-12)


def test_matrices_need_no_target(folder):
    rng = np.random.default_rng(0)
    y = np.arange(100) % 4 == 0
    np.savez("data.npz", X=rng.normal(size=(100, 3)) + y[:, None], y=y.astype(int))
    run("fit", "data.npz", "-o", "model.json", "--no-baseline")
    assert json.loads(run("evaluate", "data.npz", "--model", "model.json", "--json").stdout)["auc"] > 0.7
    assert len(run("score", "data.npz", "--model", "model.json").stdout.splitlines()) == 101


def test_libsvm_files_are_fitted_and_scored(folder):
    lines = [f"{1 if i % 4 == 0 else -1} 1:{(i % 4 == 0) + i % 7} 3:{i % 5}" for i in range(80)]
    Path("data.svm").write_text("\n".join(lines) + "\n")
    run("fit", "data.svm", "-o", "model.json", "--no-baseline")
    Path("few.svm").write_text("0 1:2\n0 1:3\n")
    assert len(run("score", "few.svm", "--model", "model.json").stdout.splitlines()) == 3


def test_indices_start_as_in_training(folder):
    """Rows in which index 0 never occurs are still of a zero-based file."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 4 == 0
    X = rng.normal(size=(80, 3)) + np.outer(y, [0, 2, -2])
    lines = [f"{int(label)} 0:{a} 1:{b} 2:{c}\n" for label, (a, b, c) in zip(y, X)]
    Path("data.svm").write_text("".join(lines))
    run("fit", "data.svm", "-o", "model.json", "--no-baseline")
    Path("few.svm").write_text("".join(line.replace(line.split()[1] + " ", "") for line in lines))
    model = load("model.json")
    scores = model.decision_function(X * [0, 1, 1])
    plain = json.loads(run("evaluate", "few.svm", "--model", "model.json", "--json").stdout)
    assert plain["auc"] == pytest.approx(roc_auc(y, scores)) and plain["auc"] > 0.9
    rows = csv.DictReader(run("score", "few.svm", "--model", "model.json").stdout.splitlines())
    np.testing.assert_allclose([float(row["score"]) for row in rows], scores, atol=1e-12)


def test_a_model_without_zero_based_still_scores(folder):
    Path("data.svm").write_text("1 1:2 2:1\n0 1:1\n")
    save(SavedModel(ModelMetadata((0, 1)), LinearScorer([1.0, 0.0], 0.0)), "model.json")
    assert json.loads(run("evaluate", "data.svm", "--model", "model.json", "--json").stdout)["auc"] == 1


@pytest.mark.filterwarnings("default::UserWarning")
def test_unknown_categories_are_reported(folder, columns, monkeypatch):
    fit()
    monkeypatch.setattr(score, "_CHUNK_ROWS", 50)
    write("other.csv", columns | {"country": [name.lower() for name in columns["country"]]})
    note = "warning: AUC109 column 'country': 160 of 160 rows hold a category that did not occur in training"
    for command in (("score", "other.csv", "-o", "scores.csv"), ("evaluate", "other.csv")):
        assert run(*command, "--model", "model.json").stderr.startswith(note)
    assert run("score", "data.csv", "--model", "model.json").stderr == ""


def test_ids_are_copied_to_the_last_digit(folder):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    numbers = [2**53 + 1, 2**62 + 1]
    parquet.write_table(pa.table({"id": numbers, "x": [1.0, 2.0]}), "data.parquet")
    encoder = TableEncoder().fit(Table({"x": np.array([1.0, 2.0])}))
    save(SavedModel(ModelMetadata((0, 1), encoder), LinearScorer([1.0], 0.0)), "model.json")
    lines = run("score", "data.parquet", "--model", "model.json", "--id", "id").stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["id", *map(str, numbers)]


def test_one_positive_has_an_auc_without_an_interval(folder):
    fit()
    rows = Path("data.csv").read_text().splitlines(keepends=True)
    Path("one.csv").write_text("".join([*rows[:5], "".join(rows[7:10])]))
    for arguments in ((), ("--weight", "copies")):
        assert (
            "no interval: a class has a single row"
            in run("evaluate", "one.csv", "--model", "model.json", *arguments).stdout
        )
        plain = json.loads(run("evaluate", "one.csv", "--model", "model.json", "--json", *arguments).stdout)
        assert plain["positives"] == 1 and plain["low"] is None and 0 <= plain["auc"] <= 1


def test_rows_can_be_piped_through(folder):
    fit()
    shown = run("score", "data.csv", "--model", "model.json").stdout
    arguments = ("score", "-", "--format", "csv", "--model", "model.json", "-o", "/dev/stdout")
    command = [sys.executable, "-c", "from aucmax.cli import main; main()", *arguments]
    result = subprocess.run(command, input=Path("data.csv").read_text(), capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout == shown
    assert "160 rows scored: /dev/stdout" in result.stderr
    assert "cannot infer the format" in expect_error(folder, "score", "/dev/null", "--model", "model.json")


def test_labels_that_look_like_markup_are_shown_as_they_are(folder, columns):
    marked = {"fraud": "[red]yes[/]", "honest": "no"}
    write("bad.csv", columns | {"is_fraud": [marked[label] for label in columns["is_fraud"]]})
    run("fit", "bad.csv", "--target", "is_fraud", "-o", "model.json", "--no-baseline")
    assert "predicted [red]yes[/]" in run("evaluate", "bad.csv", "--model", "model.json").stdout


def test_the_name_of_the_output_says_its_format(folder):
    fit()
    run("score", "data.csv", "--model", "model.json", "--id", "hour", "-o", "s.csv")
    expected = [tuple(row.values()) for row in csv.DictReader(Path("s.csv").read_text().splitlines())]
    for name in ("s.parquet", "s.csv.gz", "s.jsonl", "s.arrow"):
        run("score", "data.csv", "--model", "model.json", "--id", "hour", "-o", name)
        columns = [column.to_pylist() for column in read(name).columns.values()]
        rows = [(hour, float(score), float(chance), label) for hour, score, chance, label in zip(*columns)]
        assert rows == [(hour, float(score), float(chance), label) for hour, score, chance, label in expected]
    assert "cannot write s.npz" in expect_error(folder, "score", "data.csv", "--model", "model.json", "-o", "s.npz")


def test_every_format_gives_the_same_scores(folder, columns):
    """A chunk may hold the rows of any file format; the scores are the same to the last bit."""
    fit()
    expected = run("score", "data.csv", "--model", "model.json").stdout
    table = read("data.csv")
    for name in ("t.parquet", "t.arrow", "t.jsonl", "t.csv.xz"):
        with open_writer(name) as write_table:
            write_table(pa.table(table.columns))
        assert run("score", name, "--model", "model.json").stdout == expected


def test_another_encoding_is_named(folder, columns):
    fit()
    expected = run("score", "data.csv", "--model", "model.json", "--id", "id").stdout
    Path("latin.csv").write_bytes(Path("data.csv").read_text().replace("payment 9", "paiement é").encode("latin-1"))
    arguments = ("score", "latin.csv", "--model", "model.json", "--id", "id")
    assert "--encoding latin-1" in expect_error(folder, *arguments)
    assert run(*arguments, "--encoding", "latin-1").stdout == expected.replace("payment 9", "paiement é")


def test_a_column_called_score_can_be_the_id(folder, columns):
    write("data.csv", columns | {"score": columns["id"]})
    fit()
    lines = run("score", "data.csv", "--model", "model.json", "--id", "score").stdout.splitlines()
    assert lines[0] == "score (input),score,probability,prediction" and lines[1].startswith("payment 0,")


def test_the_columns_of_a_table_that_lacks_one_are_all_named(folder):
    fit()
    (folder / "other.csv").write_text("hour,Amount,note,country\n1,2,3,IT\n")
    message = expect_error(folder, "score", "other.csv", "--model", "model.json")
    assert "lacks the columns ['amount', 'copies']; it has ['hour', 'Amount', 'note', 'country']" in message
