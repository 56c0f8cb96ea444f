"""`check_export` with SQLite in place of DuckDB; tests/extras has DuckDB and ONNX Runtime."""

from pathlib import Path

import numpy as np
import pytest
from exported_models import model_of, new_rows, rounding
from sqlite_exports import SQLite

from aucmax.models import ExportError, LinearScorer, ModelMetadata, SavedModel, export
from aucmax.models.exports import agreement, check_export
from aucmax.tables import Table


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(agreement._SYSTEMS, "sql", SQLite)


def check(model, tables):
    return check_export(model, "model.sql", "sql", tables, "data")


def test_rows_and_differences_of_all_chunks_count():
    model = model_of("missing", "linear")
    export(model, "model.sql", to="sql")
    rows = new_rows("missing")
    found = check(model, [rows, rows])
    assert found.rows == 80
    assert found.difference <= rounding(model, rows)
    assert found.largest_score == np.abs(model.decision_function(rows)).max()


def test_a_model_of_an_array_is_checked_on_its_matrix():
    model = SavedModel(ModelMetadata((0, 1), feature_names=["a"]), LinearScorer([1.0], 0.0))
    export(model, "model.sql", to="sql")
    assert check(model, [Table(X=np.ones((3, 1)))]) == (3, 0.0, 1.0)


def test_the_export_of_another_model_has_another_score():
    export(model_of("numbers", "tree"), "model.sql", to="sql")
    assert check(model_of("numbers", "linear"), [new_rows("numbers")]).difference > 1e-3


def test_a_missing_score_differs_by_infinity():
    Path("model.sql").write_text("SELECT NULL AS score FROM data")
    assert check(model_of("numbers", "linear"), [new_rows("numbers")]).difference == np.inf


def test_a_missing_row_is_refused():
    Path("model.sql").write_text("SELECT 0.5 AS score FROM data LIMIT 39")
    with pytest.raises(ExportError, match=r"model\.sql gave 39 scores for 40 rows"):
        check(model_of("numbers", "linear"), [new_rows("numbers")])
