"""Exports to SQL and ONNX, run by DuckDB and ONNX Runtime."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import fit, make_columns, run, write
from exported_models import ESTIMATORS, HOSTILE_NAMES, TABLES, model_of, new_rows, rounding

import aucmax
from aucmax.models import Calibration, ExportError, LinearScorer, ModelMetadata, SavedModel, export, saved_model
from aucmax.models.exports import check_export
from aucmax.tables import Table

duckdb = pytest.importorskip("duckdb")
onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("to", ["sql", "onnx"])
@pytest.mark.parametrize("table", TABLES)
def test_scores_agree(table, to, estimator):
    if (table, to) == ("formatted", "sql"):
        pytest.skip("refused: SQL does not read such numbers")
    model = model_of(table, estimator)
    export(model, "model", to=to, table='a "table"')
    agreement = check_export(model, "model", to, [new_rows(table), new_rows(table)], 'a "table"')
    assert agreement.rows == 80
    assert agreement.difference <= rounding(model, new_rows(table))


@pytest.mark.parametrize("estimator", ["linear", "tree", "laplacian"])
def test_duckdb_adds_probabilities_and_labels_to_a_table(estimator):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"row": range(90), **TABLES["times"](rng, 90)}).astype({"x": float})
    frame["when"] = pd.to_datetime(frame["when"], format="ISO8601", utc=True)
    frame["day"] = pd.to_datetime(frame["day"], dayfirst=True)
    frame["clock"] = pd.to_datetime(frame["clock"])
    model = model_of("times", estimator)
    export(model, "model.sql", to="sql", table="frame")
    with open("model.sql") as file, duckdb.connect() as connection:
        query = file.read().rstrip().removesuffix(";")
        names = [name for name, *_ in connection.execute(query).description]
        query = f"SELECT probability, prediction FROM ({query}) AS scored ORDER BY row"
        probability, prediction = zip(*connection.execute(query).fetchall())
    assert names == ["score", *frame, "probability", "prediction"]
    assert list(prediction) == model.predict(frame).tolist()
    np.testing.assert_allclose(probability, model.predict_proba(frame)[:, 1], rtol=1e-9)


def test_duckdb_does_not_take_a_score_column_of_the_table_for_ours():
    model = model_of("numbers", "linear")
    frame = pd.DataFrame(TABLES["numbers"](np.random.default_rng(3), 50)).assign(score=1e6, probability="likely")
    export(model, "model.sql", to="sql", table="frame")
    with open("model.sql") as file, duckdb.connect() as connection:
        found = connection.execute(file.read()).fetchall()
    np.testing.assert_allclose([row[-2] for row in found], model.predict_proba(frame)[:, 1], rtol=1e-9)


@pytest.mark.parametrize("labels", [("no", "it's"), (0, 1), (False, True), (-0.5, 2.5)])
def test_onnx_gives_probabilities_and_labels(labels):
    X = np.random.default_rng(0).normal(size=(100, 3))
    metadata = ModelMetadata(labels, calibration=Calibration(5.0, -1.0))
    model = SavedModel(metadata, LinearScorer([1.0, -2.0, 0.5], 0.1))
    export(model, "model.onnx", to="onnx")
    session = onnxruntime.InferenceSession("model.onnx")
    score, probability, prediction = session.run(["score", "probability", "prediction"], {"X": X})
    np.testing.assert_allclose(score[:, 0], model.decision_function(X), rtol=0, atol=1e-14)
    np.testing.assert_allclose(probability[:, 0], model.predict_proba(X)[:, 1], rtol=1e-12)
    assert prediction[:, 0].tolist() == model.predict(X).tolist()


def test_a_threshold_and_a_tree_without_a_split_are_kept():
    model = model_of("numbers", "linear")
    metadata = ModelMetadata(("no", "yes"), encoder=model.metadata.encoder, threshold=0.1)
    model = SavedModel(metadata, model.scorer)
    rows = new_rows("numbers")
    export(model, "model.onnx", to="onnx")
    columns = {name: rows.columns[name].to_numpy()[:, None] for name in rows.names}
    found = onnxruntime.InferenceSession("model.onnx").run(["prediction"], columns)[0]
    assert found[:, 0].tolist() == model.predict(rows).tolist()
    X = np.zeros((20, 2))
    stump = saved_model(aucmax.AUCTreeClassifier().fit(X, np.arange(20) < 5))
    export(stump, "stump.onnx", to="onnx")
    found = onnxruntime.InferenceSession("stump.onnx").run(["score"], {"X": X})[0]
    assert found[:, 0].tolist() == stump.decision_function(X).tolist()


def test_the_graph_is_valid_and_in_double_precision():
    for estimator in ESTIMATORS:
        export(model_of("missing", estimator), "model.onnx", to="onnx")
        graph = onnx.load("model.onnx")
        onnx.checker.check_model(graph, full_check=True)
        types = {tensor.data_type for tensor in graph.graph.initializer}
        assert onnx.TensorProto.FLOAT not in types


def test_hostile_names_are_the_names_of_the_inputs():
    export(model_of("hostile", "linear"), "model.onnx", to="onnx")
    session = onnxruntime.InferenceSession("model.onnx")
    assert [each.name for each in session.get_inputs()] == [*HOSTILE_NAMES, "labels"]
    assert [each.name for each in session.get_outputs()] == ["score_", "probability_", "prediction"]


def test_what_onnx_cannot_hold_is_refused():
    empty = model_of("numbers", "linear").to_dict()
    empty["metadata"]["encoder"]["columns"][0]["name"] = ""
    empty["metadata"]["feature_names"][0] = ""
    with pytest.raises(ExportError, match="empty name"):
        export(SavedModel.from_dict(empty), "model.onnx", to="onnx")
    huge = SavedModel(ModelMetadata((0, 2**70)), LinearScorer([1.0], 0.0))
    with pytest.raises(ExportError, match="integers that ONNX cannot hold"):
        export(huge, "model.onnx", to="onnx")


def test_too_large_a_kernel_model_is_refused(monkeypatch):
    monkeypatch.setattr("aucmax.models.exports.onnx.MAX_NUMBERS", 20)
    with pytest.raises(ExportError, match=r"too many numbers for ONNX \(at most 20\)"):
        export(model_of("numbers", "rbf"), "model.onnx", to="onnx")
    assert not Path("model.onnx").exists()


@pytest.mark.parametrize("to", ["sql", "onnx"])
def test_the_shell_checks_an_export(to):
    write("data.csv", make_columns())
    fit()
    command = ["export", "model.json", "--to", to, "-o", f"model.{to}", "--check", "data.csv", "--json"]
    result = json.loads(run(*command).stdout)
    assert result["rows"] == 160
    assert result["difference"] <= 1e-12 * max(1.0, result["largest_score"])


def test_an_export_that_is_not_the_model_is_found_out():
    export(model_of("numbers", "tree"), "model.sql", to="sql")
    export(model_of("numbers", "tree"), "model.onnx", to="onnx")
    model = model_of("numbers", "linear")
    for to in ("sql", "onnx"):
        assert check_export(model, f"model.{to}", to, [new_rows("numbers")], "data").difference > 1e-3
    holes = SavedModel(ModelMetadata((0, 1), feature_names=["a"]), LinearScorer([1.0], 0.0))
    export(holes, "holes.sql", to="sql")
    rows = Table(X=np.ones((3, 1)))
    assert check_export(holes, "holes.sql", "sql", [rows], "data") == (3, 0.0, 1.0)
