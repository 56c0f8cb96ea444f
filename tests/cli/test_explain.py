"""aucmax explain: the table on the screen, JSON, the figure, contributions of rows, missing labels."""

import json

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("click")
from command_line import expect_error, fit, run, write

import aucmax


@pytest.fixture
def fitted(folder):
    fit()
    return folder


def explained(*arguments):
    return json.loads(run("explain", *arguments, "--model", "model.json", "--json").stdout)


def test_the_column_that_matters_comes_first(fitted):
    shown = run("explain", "data.csv", "--model", "model.json", "--rows", "2").stdout
    assert "importance: standard deviation of what the column adds to the score, on 160 rows" in shown
    lines = [line.strip() for line in shown.splitlines()]
    found = [line for line in lines if line.startswith(("amount", "hour", "country", "copies"))]
    assert found[0].startswith("amount") and len(found) == 4  # one-hot features are summed to the column
    assert "row 1: score" in shown and "row 2: score" in shown
    assert "others" not in shown.partition("row 1")[2]  # all four columns are named


def test_json_is_what_python_says(fitted):
    result = explained("data.csv", "--rows", "3")
    frame = pd.read_csv("data.csv")
    model = aucmax.load("model.json")
    ours = model.explain(frame, frame["is_fraud"])
    assert [column["name"] for column in result["columns"]] == [column.name for column in ours.columns]
    assert result["columns"][0]["importance"] == pytest.approx(ours.columns[0].importance, rel=1e-12)
    assert result["columns"][0]["std_error"] == pytest.approx(ours.columns[0].std_error, rel=1e-9)
    for row, score in zip(result["first_rows"], model.decision_function(frame[:3])):
        total = result["baseline"] + sum(row["contributions"].values())
        assert total == pytest.approx(score, abs=1e-12) and row["score"] == pytest.approx(score, abs=1e-12)


def test_without_labels_a_linear_model_has_no_intervals(fitted, columns):
    write("new.csv", {name: values for name, values in columns.items() if name != "is_fraud"})
    result = explained("new.csv")
    assert result["columns"][0]["name"] == "amount" and result["columns"][0]["low"] is None


def test_other_models_need_labels(folder, columns):
    fit("--kernel", "rbf")
    write("new.csv", {name: values for name, values in columns.items() if name != "is_fraud"})
    result = explained("data.csv")
    assert result["kind"] == "permutation" and result["columns"][0]["name"] == "amount"
    assert result["columns"][0]["low"] > 0
    assert "--target" in expect_error(folder, "explain", "new.csv", "--model", "model.json")


def test_the_figure_is_written(fitted):
    assert "figure: why.png" in run("explain", "data.csv", "--model", "model.json", "--plot", "why.png").stdout
    assert (fitted / "why.png").read_bytes().startswith(b"\x89PNG")


def test_a_matrix_is_explained_by_the_number_of_its_columns(folder):
    rng = np.random.default_rng(0)
    y = np.arange(100) % 4 == 0
    np.savez(folder / "data.npz", X=rng.normal(size=(100, 3)) + 2 * np.outer(y, [0, 1, 0]), y=y.astype(int))
    run("fit", "data.npz", "-o", "model.json", "--no-baseline")
    assert explained("data.npz")["columns"][0]["name"] == "x1"
