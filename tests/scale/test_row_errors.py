"""Errors about rows name the partition, and count the row from its first one, wherever the chunks end."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from scale.events import make_events

from aucmax import AUCClassifier, AUCClassifierCV, TableEncoder
from aucmax.scale import LocalEngine, fit
from aucmax.scale import source as sources
from aucmax.tables.row_error import RowError

SMALL_CHUNKS = {"memory": "500KB", "engine": LocalEngine(1)}  # of 325 rows of 8 columns


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(sources, "PARTITION_ROWS", 400)


def with_cell(table, name, row, value):
    cells = table[name].to_pylist()
    cells[row] = value
    return table.set_column(table.column_names.index(name), name, pa.array(cells))


def test_a_missing_label_is_counted_from_the_start_of_its_partition():
    table = with_cell(make_events(1000), "y", 400 + 349, None)
    with pytest.raises(ValueError, match=r"partition 1, rows 326 to 400: target 'y' is missing .* first in row 350;"):
        fit(table, target="y", pos_label="fraud", **SMALL_CHUNKS)


def test_an_infinite_number_is_counted_from_the_start_of_its_partition():
    table = with_cell(make_events(1000), "x", 400 + 349, np.inf)
    with pytest.raises(ValueError, match="partition 1: column 'x' is infinite in row 350;"):
        fit(table, target="y", pos_label="fraud", **SMALL_CHUNKS)


def test_a_negative_weight_is_counted_from_the_start_of_its_partition():
    table = with_cell(make_events(1000), "w", 400 + 349, -1.0)
    with pytest.raises(ValueError, match=r"rows 326 to 400: the weight in column 'w' is -1.0 in row 350;"):
        fit(table, target="y", pos_label="fraud", weight="w", **SMALL_CHUNKS)


def test_partitions_without_rows_are_no_obstacle():
    whole = make_events(1000)
    parts = [whole.slice(0, 0), whole.slice(0, 500), whole.slice(0, 0), whole.slice(500)]
    source = sources.Source(tuple(sources.Partition.of_table(part, k) for k, part in enumerate(parts)))
    settings = {"target": "y", "pos_label": "fraud", "drop": ["w", "g"]}
    expected = fit(whole, AUCClassifierCV(random_state=0), **settings)
    model = fit(source, AUCClassifierCV(random_state=0), **settings)
    np.testing.assert_allclose(model[-1].coef_, expected[-1].coef_, rtol=1e-10)


def test_a_source_without_rows_is_refused():
    with pytest.raises(ValueError, match="has no rows"):
        fit(sources.Source((sources.Partition.of_table(make_events(10).slice(0, 0)),), "events"), target="y")


BAD_ROWS = {
    "short": ("3", r"bad\.csv, line 3701: 1 fields, but the header has 3"),
    "no label": ("3,4,", r"bad\.csv, rows 3473 to 4000: target 'y' is missing in 1 rows, first in row 3700"),
    "infinite": ("inf,4,1", r"bad\.csv: column 'a' is infinite in row 3700"),
    "huge": ("1e200,4,1", r"bad\.csv, rows 3473 to 4000: 'a' is 1e\+200 in row 3700; give finite numbers"),
    "weight": ("3,-2,1", r"bad\.csv, rows 3473 to 4000: the weight in column 'b' is -2.0 in row 3700"),
}


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_an_error_names_the_file_and_the_row(tmp_path, kind):
    """In the second file, and not in its first chunk, which has 868 rows of 3 columns."""
    row, message = BAD_ROWS[kind]
    lines = [f"{i * 7919 % 1013},{i % 5},{i % 2}" for i in range(4000)]
    (tmp_path / "a.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    lines[3699] = row
    (tmp_path / "bad.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    with pytest.raises(ValueError, match=message):
        fit(tmp_path / "*.csv", AUCClassifier(), target="y", weight="b", **SMALL_CHUNKS)


@pytest.mark.parametrize("value", ["nan", "inf", "-1e200"])
def test_numbers_that_cannot_be_squared_are_named_in_libsvm_files(tmp_path, value):
    lines = [f"{i % 2} 1:{i % 7} 3:{i % 5 + 1}" for i in range(500)]
    (tmp_path / "a.svm").write_text("\n".join(lines) + "\n")
    lines[300] = f"1 1:3 3:{value}"
    (tmp_path / "b.svm").write_text("\n".join(lines) + "\n")
    with pytest.raises(
        ValueError, match=rf"b\.svm, rows 1 to 500: column 3 is {float(value):g} in row 301;".replace("+", r"\+")
    ):
        fit(tmp_path / "*.svm", AUCClassifier())


def test_missing_numbers_that_are_used_as_they_are_are_named():
    table = with_cell(make_events(1000).select(["x", "amount", "y"]), "amount", 700, None)
    with pytest.raises(ValueError, match="partition 1, rows 1 to 400: 'amount' is nan in row 301;"):
        fit(table, target="y", pos_label="fraud", encode=False)


def test_a_chunk_of_rows_without_weight_is_no_obstacle():
    table = make_events(1000)
    weight = table["w"].to_numpy().copy()
    weight[400:] = 0.0
    table = table.set_column(table.column_names.index("w"), "w", pa.array(weight))
    settings = {"target": "y", "pos_label": "fraud", "weight": "w", "drop": ["g", "day", "age"]}
    model = fit(table, AUCClassifier(), **settings, **SMALL_CHUNKS)
    features = table.select(["amount", "town", "x"])
    X = TableEncoder().fit_transform(features)[:400]
    y = np.array(table["y"].to_pylist())[:400]
    scaled = AUCClassifier().fit(X, y, sample_weight=weight[:400])
    np.testing.assert_allclose(model[-1].coef_, scaled.coef_, rtol=1e-9)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match=r"target 'g' has only one class, \['one'\]"):
        fit(make_events(600).set_column(6, "g", pa.array(["one"] * 600)), target="g")


def test_an_error_about_a_row_survives_the_way_from_a_worker():
    error = pickle.loads(pickle.dumps(RowError("missing in", 3, "; remove it").moved(10)))
    assert str(error) == "missing in row 13; remove it"
