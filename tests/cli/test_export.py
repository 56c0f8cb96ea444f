"""`aucmax export`: files, the check, and what is refused."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from command_line import fit, run
from sqlite_exports import SQLite

from aucmax.models.exports import agreement

pytest.importorskip("click")


@pytest.fixture
def model(folder):
    fit()
    return "model.json"


@pytest.fixture
def sqlite(monkeypatch):
    """SQLite in place of DuckDB, which may not be installed."""
    monkeypatch.setitem(sys.modules, "duckdb", ModuleType("duckdb"))
    monkeypatch.setitem(agreement._SYSTEMS, "sql", SQLite)


def test_an_export_is_written_and_checked(model, sqlite):
    shown = run("export", model, "--to", "sql", "-o", "new/model.sql", "--check", "data.csv").stdout
    assert "written: new/model.sql" in shown and "rows scored by both: largest difference" in shown
    result = json.loads(
        run("export", model, "--to", "sql", "-o", "model.sql", "--check", "data.csv", "--json").stdout
    )
    assert result["difference"] <= 1e-12 * max(1.0, result["largest_score"])
    assert result["rows"] == len(Path("data.csv").read_text().splitlines()) - 1
    assert Path("model.sql").read_bytes() == Path("new/model.sql").read_bytes()


def test_a_difference_above_the_tolerance_is_an_error(model, sqlite, monkeypatch):
    from aucmax.models.exports import sql

    right = sql.to_sql
    monkeypatch.setattr(
        "aucmax.models.exports.export_model.to_sql", lambda parts, table: right(_shifted(parts), table)
    )
    error = run("export", model, "--to", "sql", "-o", "model.sql", "--check", "data.csv", code=1).stderr
    assert "model.sql gives other scores: the largest difference is 0.001, more than --tolerance 1e-09" in error
    run("export", model, "--to", "sql", "-o", "model.sql", "--check", "data.csv", "--tolerance", "0.01")


def _shifted(parts):
    """The model with another intercept."""
    scorer = type(parts.scorer)(parts.scorer.coef, parts.scorer.intercept + 1e-3)
    return parts._replace(scorer=scorer)


@pytest.mark.parametrize(
    "to, module, extra", [("sql", "duckdb", "sql"), ("onnx", "onnxruntime", "onnx"), ("onnx", "onnx", "onnx")]
)
def test_a_missing_package_is_named_with_how_to_install_it(to, module, extra, model, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    check = ["--check", "data.csv"] if module != "onnx" else []
    error = run("export", model, "--to", to, "-o", "exported", *check, code=1).stderr
    assert f"from a clone of aucmax: pip install '.[{extra}]'" in error
    assert not Path("exported").exists()


def test_sql_names_the_table(model):
    assert "written" in run("export", model, "--to", "sql", "-o", "model.sql", "--table", 'the "rows"').stdout
    assert 'FROM "the ""rows""" AS t' in Path("model.sql").read_text()
    assert json.loads(run("export", model, "--to", "sql", "-o", "m.sql", "--json").stdout)["output"] == "m.sql"


def test_inputs_are_not_overwritten_and_a_device_cannot_be_checked(model):
    assert "also an input" in run("export", model, "--to", "sql", "-o", model, code=1).stderr
    assert (
        "also an input" in run("export", model, "--to", "sql", "-o", "data.csv", "--check", "data.csv", code=1).stderr
    )
    error = run("export", model, "--to", "sql", "-o", "/dev/null", "--check", "data.csv", code=2).stderr
    assert "--check requires an output file" in error


def test_a_libsvm_model_is_checked_on_a_libsvm_file(folder, sqlite):
    Path("data.svm").write_text("".join(f"{k % 2} 1:{k % 5 + 2 * (k % 2)} 3:{k % 7}\n" for k in range(60)))
    run("fit", "data.svm", "-o", "model.json", "--no-baseline", "--quiet")
    shown = run("export", "model.json", "--to", "sql", "-o", "model.sql", "--check", "data.svm").stdout
    assert "60 rows scored by both" in shown
