"""A model as SQL, run by the SQLite of the standard library; tests/extras has DuckDB, which knows times too."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from exported_models import ESTIMATORS, model_of, new_rows, rounding
from sqlite_exports import connect, database_columns, run_query

import aucmax
from aucmax.models import ExportError, LinearScorer, ModelMetadata, SavedModel, export, saved_model
from aucmax.models.exports.sql import literal


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def sqlite_outputs(model, columns):
    """Scores, probabilities and labels of columns given as lists."""
    export(model, "model.sql", to="sql", table="the 'rows'")
    return run_query("model.sql", "the 'rows'", columns)


def columns_and_rows(model, table):
    """New rows, also as a database holds them."""
    rows = new_rows(table)
    return database_columns(model.metadata.encoder.columns_, rows), rows


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("table", ["numbers", "missing", "categories", "hostile"])
def test_scores_agree(table, estimator):
    model = model_of(table, estimator)
    columns, rows = columns_and_rows(model, table)
    found = sqlite_outputs(model, columns)
    score, probability, prediction = (
        ("score_", "probability_", "prediction") if table == "hostile" else ("score", "probability", "prediction")
    )
    expected = model.decision_function(rows)
    np.testing.assert_allclose(found[score], expected, rtol=0, atol=rounding(model, rows))
    assert found[prediction] == model.predict(rows).tolist()
    if estimator != "not calibrated":
        np.testing.assert_allclose(found[probability], model.predict_proba(rows)[:, 1], rtol=1e-9, atol=1e-12)


def test_missing_strings_are_missing():
    model = model_of("categories", "linear")
    columns, _ = columns_and_rows(model, "categories")
    columns = {name: values[:1] * 4 for name, values in columns.items()} | {"with holes": [None, "", " NA ", "u"]}
    scores = sqlite_outputs(model, columns)["score"]
    assert scores[0] == scores[1] == scores[2] != scores[3]


def test_a_score_column_of_the_table_is_not_taken_for_ours():
    model = model_of("numbers", "linear")
    columns, rows = columns_and_rows(model, "numbers")
    found = sqlite_outputs(model, columns | {"score": [1e6] * 40})
    np.testing.assert_allclose(found["probability"], model.predict_proba(rows)[:, 1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimator", [aucmax.AUCClassifier(), aucmax.AUCTreeClassifier()])
def test_a_model_of_an_array_gives_no_score_for_a_missing_number(estimator):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = saved_model(estimator.fit(X, X[:, 0] > 0))
    columns = {f"x{j}": X[:, j].tolist() for j in range(3)}
    columns["x1"][5] = None
    found = sqlite_outputs(model, columns)
    assert found["score"][5] is None and found["prediction"][5] is None
    np.testing.assert_allclose(found["score"][:5], model.decision_function(X[:5]), rtol=1e-12)


def test_a_threshold_is_kept():
    model = model_of("numbers", "linear")
    metadata = ModelMetadata(model.metadata.classes, encoder=model.metadata.encoder, threshold=0.25)
    columns, rows = columns_and_rows(model, "numbers")
    found = sqlite_outputs(SavedModel(metadata, model.scorer), columns)
    is_positive = model.decision_function(rows) >= 0.25
    assert found["prediction"] == [model.classes_[int(positive)] for positive in is_positive]
    assert 0 < is_positive.sum() < len(is_positive)


def test_what_sql_cannot_say_is_refused_with_the_reason(monkeypatch):
    with pytest.raises(ExportError, match=r"column 'euros' holds numbers written in another way .*decimal comma"):
        export(model_of("formatted", "linear"), "model.sql", to="sql")
    twins = SavedModel(ModelMetadata((0, 1), feature_names=["Age", "age"]), LinearScorer([1.0, 2.0], 0.0))
    with pytest.raises(ExportError, match="differ in case only"):
        export(twins, "model.sql", to="sql")
    for name in ("", "a\0b"):
        with pytest.raises(ExportError, match="cannot be the name of a column"):
            export(
                SavedModel(ModelMetadata((0, 1), feature_names=[name]), LinearScorer([1.0], 0.0)), "m.sql", to="sql"
            )
    monkeypatch.setattr("aucmax.models.exports.sql.MAX_NUMBERS", 20)
    with pytest.raises(ExportError, match=r"15 landmarks of 3 features has too many numbers for SQL \(at most 20\)"):
        export(model_of("numbers", "rbf"), "model.sql", to="sql")
    assert not Path("model.sql").exists()


@pytest.mark.parametrize("value", ["it's", "''", "a\nb", "\\'", "x'; DROP TABLE data; --", 0.1, -1e-300, 1e22, 3, -7])
def test_literals_are_restored(value):
    with closing(connect()) as database:
        assert database.execute(f"SELECT {literal(value)}").fetchone() == (value,)


def test_a_string_with_a_nul_character_is_refused():
    with pytest.raises(ExportError, match="NUL"):
        literal("a\0b")
