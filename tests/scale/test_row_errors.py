"""Errors about rows name the partition, and count the row from its first one, wherever the chunks end."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from scale.events import make_events

from aucmax import AUCClassifierCV
from aucmax.scale import fit, passes
from aucmax.scale import source as sources
from aucmax.tables.row_error import RowError


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(sources, "PARTITION_ROWS", 400)
    monkeypatch.setattr(passes, "CHUNK_ROWS", 100)


def with_cell(table, name, row, value):
    cells = table[name].to_pylist()
    cells[row] = value
    return table.set_column(table.column_names.index(name), name, pa.array(cells))


def test_a_missing_label_is_counted_from_the_start_of_its_partition():
    table = with_cell(make_events(1000), "y", 400 + 249, None)
    with pytest.raises(ValueError, match=r"partition 1, rows 201 to 300: target 'y' is missing .* first in row 250;"):
        fit(table, target="y", pos_label="fraud")


def test_an_infinite_number_is_counted_from_the_start_of_its_partition():
    table = with_cell(make_events(1000), "x", 400 + 249, np.inf)
    with pytest.raises(ValueError, match="partition 1: column 'x' is infinite in row 250;"):
        fit(table, target="y", pos_label="fraud")


def test_a_negative_weight_is_counted_from_the_start_of_its_partition():
    table = with_cell(make_events(1000), "w", 400 + 249, -1.0)
    with pytest.raises(ValueError, match=r"rows 201 to 300: the weight in column 'w' is -1.0 in row 250;"):
        fit(table, target="y", pos_label="fraud", weight="w")


def test_partitions_without_rows_are_no_obstacle():
    whole = make_events(1000)
    parts = [whole.slice(0, 0), whole.slice(0, 500), whole.slice(0, 0), whole.slice(500)]
    source = sources.Source(tuple(sources.ArrowPartition(part, k) for k, part in enumerate(parts)))
    settings = {"target": "y", "pos_label": "fraud", "drop": ["w", "g"]}
    expected = fit(whole, AUCClassifierCV(random_state=0), **settings)
    model = fit(source, AUCClassifierCV(random_state=0), **settings)
    np.testing.assert_allclose(model[-1].coef_, expected[-1].coef_, rtol=1e-10)


def test_a_source_without_rows_is_refused():
    with pytest.raises(ValueError, match="has no rows"):
        fit(sources.Source((sources.ArrowPartition(make_events(10).slice(0, 0)),), "events"), target="y")


def test_an_error_about_a_row_survives_the_way_from_a_worker():
    error = pickle.loads(pickle.dumps(RowError("missing in", 3, "; remove it").moved(10)))
    assert str(error) == "missing in row 13; remove it"
