"""Anything Arrow is a source: DuckDB, Polars, pandas."""

import duckdb
import numpy as np
import polars as pl
import pytest
from scale.events import make_events

from aucmax import AUCClassifierCV
from aucmax.scale import Source, evaluate, fit

SETTINGS = {"target": "y", "pos_label": "fraud", "drop": ["w", "g"]}


@pytest.fixture(scope="module")
def table():
    return make_events(2000)


@pytest.fixture(scope="module")
def expected(table):
    return fit(table, AUCClassifierCV(random_state=0), **SETTINGS)


def duckdb_relation(table):
    connection = duckdb.connect()
    connection.register("events", table)
    return connection.sql("select * from events")


def ibis_table(table):
    ibis = pytest.importorskip("ibis")
    events = ibis.memtable(table)
    return events.mutate(x=events.x * 1.0)


@pytest.mark.parametrize(
    "make",
    [
        duckdb_relation,
        ibis_table,
        pl.from_arrow,
        lambda table: table.to_pandas(),
        lambda table: table.to_reader(max_chunksize=100),
    ],
    ids=["duckdb", "ibis", "polars", "pandas", "reader"],
)
def test_every_library_gives_the_model_of_the_arrow_table(table, expected, make):
    model = fit(make(table), AUCClassifierCV(random_state=0), **SETTINGS)
    np.testing.assert_allclose(model[-1].coef_, expected[-1].coef_, rtol=1e-10)
    np.testing.assert_allclose(model[-1].cv_auc_, expected[-1].cv_auc_, atol=1e-10)
    assert evaluate(make(table), model, target="y").auc == pytest.approx(expected[-1].oof_interval_.auc, abs=0.02)


def test_a_relation_is_spooled_since_its_order_may_change(table):
    assert "temporary" in Source.of(duckdb_relation(table)).name
