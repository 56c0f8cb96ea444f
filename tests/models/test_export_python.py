"""A model as a Python file: the same scores in an interpreter that has nothing but the standard library."""

import csv
import datetime
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from exported_models import ESTIMATORS, TABLES, model_of, new_rows, rounding

import aucmax
from aucmax.models import ExportError, ModelMetadata, SavedModel, export, saved_model
from aucmax.models.exports import check_export
from aucmax.tables import Table


def exported(model, path="model.py"):
    """The names that the exported file defines."""
    export(model, path, to="python")
    names = {"__name__": "exported"}
    exec(compile(Path(path).read_text(), str(path), "exec"), names)
    return names


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("table", TABLES)
def test_scores_agree_in_a_bare_interpreter(table, estimator, folder):
    model = model_of(table, estimator)
    export(model, "model.py", to="python")
    agreement = check_export(model, "model.py", "python", [new_rows(table)], "data")
    assert agreement.rows == 40
    assert agreement.difference <= rounding(model, new_rows(table))
    assert not (folder / "pwned").exists()


@pytest.mark.parametrize("estimator", ["linear", "not calibrated", "tree", "ranks"])
def test_rows_of_a_data_frame_get_probabilities_and_labels(estimator):
    model = model_of("missing", estimator)
    names = exported(model)
    rows = new_rows("missing")
    cells = [dict(zip(rows.names, row)) for row in zip(*(rows.columns[name].to_pylist() for name in rows.names))]
    assert [names["predict"](row) for row in cells] == model.predict(rows).tolist()
    if estimator == "not calibrated":
        assert "probability" not in names
    else:
        found = [names["probability"](row) for row in cells]
        np.testing.assert_allclose(found, model.predict_proba(rows)[:, 1], rtol=1e-12, atol=1e-15)


def test_the_file_scores_a_csv_file(folder):
    model = model_of("hostile", "linear")
    rows = new_rows("hostile")
    frame = pd.DataFrame({name: rows.columns[name].to_pylist() for name in rows.names})
    frame.to_csv("rows.csv", index=False, quoting=csv.QUOTE_ALL)
    export(model, "model.py", to="python")
    command = [sys.executable, "-I", "-S", "model.py", "rows.csv"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = list(csv.DictReader(output.splitlines(keepends=True)))
    assert list(found[0]) == ["score", "probability", "prediction"]
    assert [row["prediction"] for row in found] == model.predict(rows).tolist()
    piped = subprocess.run([*command[:-1], "-"], input=Path("rows.csv").read_bytes(), capture_output=True, check=True)
    assert piped.stdout.decode() == output


def test_the_file_ends_quietly_when_its_output_is_closed():
    rows = new_rows("numbers")
    frame = pd.DataFrame({name: rows.columns[name].to_pylist() for name in rows.names})
    pd.concat([frame] * 500).to_csv("rows.csv", index=False)  # more than a pipe holds
    export(model_of("numbers", "linear"), "model.py", to="python")
    command = [sys.executable, "-I", "-S", "model.py", "rows.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "score,probability,prediction\n"
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


def test_only_what_is_needed_is_written():
    text = {name: Path(exported_path).read_text() for name, exported_path in _written("linear", "tree").items()}
    assert (
        "def linear" in text["linear"]
        and "def tree" not in text["linear"]
        and "import datetime" not in text["linear"]
    )
    assert "def tree" in text["tree"] and "def linear" not in text["tree"]


def _written(*estimators):
    for name in estimators:
        export(model_of("numbers", name), f"{name}.py", to="python")
    return {name: f"{name}.py" for name in estimators}


def test_dates_and_datetimes_are_read_as_strings_are():
    model = model_of("times", "linear")
    names = exported(model)
    zone = datetime.timezone(datetime.timedelta(hours=2))
    strings = {"day": "05.06.1999", "when": "2001-02-03T04:05:06+02:00", "clock": "01/31/2002 01:30 PM", "x": "0.5"}
    objects = {
        "day": datetime.date(1999, 6, 5),
        "when": datetime.datetime(2001, 2, 3, 4, 5, 6, tzinfo=zone),
        "clock": datetime.datetime(2002, 1, 31, 13, 30),
        "x": 0.5,
    }
    expected = model.decision_function(Table({name: [value] for name, value in strings.items()}))[0]
    assert names["score"](strings) == pytest.approx(expected, rel=1e-12)
    assert names["score"](objects) == names["score"](strings)


@pytest.mark.parametrize(
    "table, name, cell",
    [
        ("numbers", "a", "one"),
        ("numbers", "a", "1_0"),
        ("numbers", "a", float("inf")),
        ("formatted", "euros", "1,234.5"),
        ("formatted", "euros", "€5$"),
        ("formatted", "share", "%5"),
        ("times", "day", "31.02.2020"),
        ("times", "when", "2020-01-01T25:00"),
        ("times", "clock", "31/01/2020"),
    ],
)
def test_cells_that_the_model_refuses_are_refused(table, name, cell):
    model = model_of(table, "linear")
    rows = {column: [values.to_pylist()[0]] for column, values in new_rows(table).columns.items()} | {name: [cell]}
    with pytest.raises(ValueError):
        model.decision_function(Table(rows))
    with pytest.raises(ValueError, match=f"column '{name}' holds"):
        exported(model)["score"]({column: values[0] for column, values in rows.items()})


def test_a_model_of_an_array_takes_its_columns_by_number():
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = saved_model(aucmax.AUCTreeClassifier().fit(X, X[:, 0] > 0))
    score = exported(model)["score"]
    assert [score({f"x{j}": value for j, value in enumerate(row)}) for row in X] == model.decision_function(
        X
    ).tolist()
    with pytest.raises(ValueError, match="column 'x1' is missing"):
        score({"x0": 1.0, "x1": None, "x2": 0.0})


def test_a_threshold_is_kept():
    model = model_of("numbers", "linear")
    metadata = ModelMetadata(model.metadata.classes, encoder=model.metadata.encoder, threshold=0.25)
    names = exported(SavedModel(metadata, model.scorer))
    rows = new_rows("numbers")
    cells = [dict(zip(rows.names, row)) for row in zip(*(rows.columns[name].to_pylist() for name in rows.names))]
    scores = model.decision_function(rows)
    assert [names["predict"](row) == model.classes_[1] for row in cells] == (scores >= 0.25).tolist()


def test_too_large_a_kernel_model_is_refused(monkeypatch):
    monkeypatch.setattr("aucmax.models.exports.python.MAX_NUMBERS", 20)
    with pytest.raises(ExportError, match=r"15 landmarks of 3 features has too many numbers .* \(at most 20\)"):
        export(model_of("numbers", "rbf"), "model.py", to="python")
    assert not Path("model.py").exists()


def test_what_cannot_be_exported_is_refused():
    with pytest.raises(ValueError, match="to"):
        export(model_of("numbers", "linear"), "model.c", to="c")
    names = ModelMetadata((0, 1), feature_names=["a", "a"])
    with pytest.raises(ExportError, match="several columns are named 'a'"):
        export(SavedModel(names, aucmax.models.LinearScorer([1.0, 2.0], 0.0)), "model.py", to="python")
    names = ModelMetadata((0, 1), feature_names=["\ud800"])
    with pytest.raises(ExportError, match="not valid Unicode"):
        export(SavedModel(names, aucmax.models.LinearScorer([1.0], 0.0)), "model.py", to="python")
