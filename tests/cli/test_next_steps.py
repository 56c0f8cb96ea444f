"""What `aucmax fit` says after a verdict of "worse", and with few positives."""

import json

import numpy as np
import pytest

pytest.importorskip("click")
from command_line import make_columns, run, write


def write_outliers(path):
    """Outliers far on the right side, which the squared loss punishes and the logistic does not."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 4 == 0
    first = rng.normal(size=600) + 1.5 * y
    first[y & (rng.random(600) < 0.06)] = 60.0
    second = rng.normal(size=600) + 0.5 * y
    write(path, {"first": first, "second": second, "third": rng.normal(size=600), "y": y.astype(int)})


def test_worse_is_followed_by_what_to_try(folder):
    write_outliers(folder / "data.csv")
    options = ("--target", "y", "--loss", "squared", "-o", "model.json")
    shown = run("fit", "data.csv", *options).stdout
    assert "worse: aucmax" in shown
    assert "try --loss auto, to choose among losses, or --kernel auto" in shown
    result = json.loads(run("fit", "data.csv", *options, "--json").stdout)
    assert result["verdict"] == "worse" and result["next_steps"].startswith("try --loss")


def test_the_default_chooses_a_loss_that_is_not_worse(folder):
    write_outliers(folder / "data.csv")
    result = json.loads(run("fit", "data.csv", "--target", "y", "-o", "model.json", "--json").stdout)
    assert result["verdict"] != "worse" and result["loss"] != "squared"


def test_what_was_tried_is_not_suggested_again(folder):
    write_outliers(folder / "data.csv")
    options = ("--target", "y", "-o", "model.json", "--json", "--solver", "spam")
    result = json.loads(run("fit", "data.csv", *options).stdout)
    assert result["verdict"] == "worse" and result["next_steps"].startswith("try no --solver")


@pytest.mark.filterwarnings("default:cv=5")
def test_five_positives_reduce_the_folds(folder):
    columns = make_columns()
    columns["is_fraud"] = ["fraud"] * 5 + ["honest"] * 155
    write(folder / "data.csv", columns)
    result = run("fit", "data.csv", "--target", "is_fraud", "-o", "model.json", "--no-baseline")
    why = "cv=5, but the rarer class has only 5 rows, and every fold must test two"
    assert f"warning: {why}; using 2 folds" in result.stderr
    assert result.stderr.count("cv=5") == 1  # the folds inside of those need no word
    assert "2 folds" in result.stdout
