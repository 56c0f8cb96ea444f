"""Dates and times against Python's datetime: seconds, weekday and hour, and what is ambiguous."""

import datetime

import numpy as np
import pyarrow as pa
import pytest
from table_files import names_of, table_of

from aucmax.tables import Table, TableEncoder

UTC = datetime.UTC
TIMES = [
    datetime.datetime(1970, 1, 1, tzinfo=UTC),
    datetime.datetime(2024, 2, 29, 23, 59, 30, tzinfo=UTC),
    datetime.datetime(1905, 12, 31, 1, 2, 3, tzinfo=UTC),
    datetime.datetime(2100, 3, 1, 12, 0, 0, tzinfo=UTC),
    datetime.datetime(2026, 11, 18, 13, 45, 0, tzinfo=UTC),
]
EXPECTED = [[time.timestamp(), time.weekday(), time.hour + time.minute / 60 + time.second / 3600] for time in TIMES]
FORMATS = {
    "iso": "%Y-%m-%dT%H:%M:%S",
    "space": "%Y-%m-%d %H:%M:%S",
    "zulu": "%Y-%m-%dT%H:%M:%SZ",
    "dots": "%d.%m.%Y %H:%M:%S",
    "day first": "%d/%m/%Y %H:%M:%S",
    "month first": "%m/%d/%Y %H:%M:%S",
    "twelve hours": "%m/%d/%Y %I:%M:%S %p",
}


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_times_are_those_of_datetime(format):
    encoder = TableEncoder()
    X = encoder.fit_transform(table_of(when=[time.strftime(format) for time in TIMES]))
    assert names_of(encoder) == ("when (epoch)", "when (weekday)", "when (hour)")
    np.testing.assert_allclose(X, EXPECTED, rtol=1e-15)
    assert encoder.columns_[0].kind == "time" and encoder.columns_[0].note


@pytest.mark.parametrize("kind", [pa.timestamp("s"), pa.timestamp("us"), pa.timestamp("ns", tz="Europe/Rome")])
def test_timestamps_of_arrow(kind):
    times = [time for time in TIMES if not pa.types.is_timestamp(kind) or kind.unit != "ns" or time.year > 1950]
    X = TableEncoder().fit_transform(Table({"when": pa.array(times, pa.timestamp("us", tz="UTC")).cast(kind)}))
    np.testing.assert_allclose(X, [EXPECTED[TIMES.index(time)] for time in times], rtol=1e-15)


def test_offsets_from_utc():
    cells = ["2026-01-31T14:30:00+01:00", "2026-01-31 08:30-05:00", "2026-02-01T00:00Z"]
    X = TableEncoder().fit_transform(table_of(when=cells))
    assert X[:, 0].tolist() == [datetime.datetime.fromisoformat(cell).timestamp() for cell in cells]
    assert X[:, 2].tolist() == [13.5, 13.5, 0]


def test_dates_have_no_hour_and_missing_ones_get_the_median():
    encoder = TableEncoder().fit(table_of(day=["2026-01-05", "2026-01-06", "", "2026-01-07"]))
    assert names_of(encoder) == ("day (epoch)", "day (weekday)", "day is missing")
    median = datetime.datetime(2026, 1, 6, tzinfo=UTC).timestamp()
    assert encoder.transform(table_of(day=["NA"])).tolist() == [[median, 1, 1]]
    again = TableEncoder.from_dict(encoder.to_dict())
    assert again.transform(table_of(day=["2026-01-05"])).tolist() == [[median - 86400, 0, 0]]


def test_days_and_months_that_cannot_be_told_apart_are_left_out():
    table = table_of(when=["01/02/2026", "03/04/2026", "05/06/2026", "07/08/2026"], x=["1", "2", "3", "4"])
    assert "ambiguous dates, such as '01/02/2026'" in TableEncoder().fit(table).left_out_["when"]


@pytest.mark.parametrize("cell", ["2026-02-29", "2026-13-01", "31.04.2026", "2026-01-01 25:00", "2026-1", "10:30"])
def test_what_is_no_date_is_no_time(cell):
    column = TableEncoder().fit(table_of(when=["2026-01-01", cell] * 3)).columns_[0]
    assert column.kind == "categorical"


def test_a_string_among_times_is_refused_when_scoring():
    encoder = TableEncoder().fit(table_of(when=["2026-01-01", "2026-01-02"]))
    with pytest.raises(ValueError, match=r"column 'when' was time in training .* now holds 'soon'"):
        encoder.transform(table_of(when=["2026-01-01", "soon"]))
