"""`aucmax compare`: files and data sets, tables and figures."""

import json
from pathlib import Path

import pytest

pytest.importorskip("click")
from command_line import run


def test_compare_a_file_with_a_figure(folder):
    arguments = ("--target", "is_fraud", "--models", "aucmax,exact", "--plot", "new/figure.png")
    shown = run("compare", "data.csv", *arguments).stdout
    assert "exact" in shown and "the rarer class" in shown and "undecided" in shown
    assert Path("new/figure.png").read_bytes().startswith(b"\x89PNG")


def test_a_folder_does_not_hide_a_data_set(folder):
    Path("digits").mkdir()
    assert "1,797 rows" in run("compare", "digits", "--models", "exact", "--cv", 2).stdout


def test_compare_a_data_set_as_json(folder):
    arguments = ("--models", "exact,cg", "--reference", "cg", "--cv", 3, "--json")
    plain = json.loads(run("compare", "breast_cancer", *arguments).stdout)
    assert plain["rows"] and plain["reference"] == "cg" and plain["n_folds"] == 3


def test_the_demo_ends_with_a_table_and_a_figure(folder):
    result = run("compare", "digits", "--plot", "demo/compare.png", "--models", "aucmax,exact")
    assert "1,797 rows" in result.stdout and Path("demo/compare.png").exists()
    assert result.stderr == ""


def test_a_reference_that_is_not_compared_is_refused(folder):
    result = run("compare", "data.csv", "--target", "is_fraud", "--reference", "lda", code=2)
    assert "'lda'; choose from ['aucmax', 'kernel', 'logistic', 'logistic balanced'" in result.stderr


def test_the_figure_is_as_tall_as_its_models_need(folder, monkeypatch):
    heights = []

    class Stop(ValueError):
        pass

    def new_figure(n_lines, **settings):
        heights.append(n_lines)
        raise Stop("no figure")

    monkeypatch.setattr("aucmax.cli.commands.compare.new_figure", new_figure)
    run("compare", "data.csv", "--target", "is_fraud", "--plot", "new.png", code=1)
    run("compare", "data.csv", "--target", "is_fraud", "--models", "exact,cg", "--plot", "new.png", code=1)
    assert heights == [5, 2]
