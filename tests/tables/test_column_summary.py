"""Summaries of parts: units are not forgotten, and memory does not grow with the rows."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

from aucmax.tables import Table, TableEncoder
from aucmax.tables.cells import as_column
from aucmax.tables.column_summary import summarize
from aucmax.tables.number_format import PLAIN
from aucmax.tables.number_summary import EXACT, NumberSummary
from aucmax.tables.quantile_sketch import CAPACITY, QuantileSketch


def summary_of_parts(parts, max_categories=100):
    first, *others = (summarize(as_column(part), max_categories) for part in parts)
    return sum(others, start=first)


@pytest.mark.parametrize(
    "parts",
    [
        [["5 EUR", "6 EUR"], ["$7", "$8"]],
        [["5%", "6%"], ["7", "8"]],
        [["7", "8"], ["5%", "6%"]],
        [["5%", "6%"], ["7.5", "8.25"]],
        [["€5"], ["6"], ["$7"]],
    ],
)
def test_parts_with_different_units_are_no_numbers_as_the_whole_is_none(parts):
    whole = summarize(as_column([cell for part in parts for cell in part]), 100)
    assert not whole.readings
    assert not summary_of_parts(parts).readings


def test_parts_with_one_currency_are_numbers():
    encoder = TableEncoder().fit_summaries({"a": summary_of_parts([["€5", "NA"], ["6"], ["7.5 €"]])})
    assert encoder.columns_[0].kind == "numeric"
    assert encoder.columns_[0].median == 6.0


def test_more_categories_in_all_parts_than_may_be_are_free_text():
    parts = [[f"{part}-{i}" for i in range(6)] * 3 for part in "abc"]
    assert summary_of_parts(parts, max_categories=10).categories is None
    assert len(summary_of_parts(parts, max_categories=18).categories) == 18


def test_sketch_ranks_are_within_the_stated_error():
    rng = np.random.default_rng(0)
    parts = [rng.lognormal(size=size) for size in (50_000, 3, 200_000, 70_000)]
    sketch = sum((QuantileSketch.of(part) for part in parts[1:]), start=QuantileSketch.of(parts[0]))
    numbers = np.sort(np.concatenate(parts))
    assert sketch.n == numbers.size
    assert 0 < sketch.error < 0.01 * numbers.size
    for share in (0.01, 0.25, 0.5, 0.9):
        (found,) = sketch.quantiles([share])
        low, high = np.searchsorted(numbers, found, "left"), np.searchsorted(numbers, found, "right")
        assert low - sketch.error <= share * numbers.size <= high + sketch.error


def test_sketch_of_few_numbers_is_exact():
    numbers = np.random.default_rng(0).permutation(CAPACITY).astype(float)
    sketch = QuantileSketch.of(numbers[:1000]) + QuantileSketch.of(numbers[1000:])
    assert sketch.error == 0
    assert sketch.quantiles([1 / CAPACITY, 0.5, 1.0]).tolist() == [0.0, CAPACITY / 2 - 1, CAPACITY - 1]


def test_the_size_of_a_summary_does_not_grow_with_the_rows():
    rng = np.random.default_rng(0)
    part = summarize(as_column(rng.normal(size=EXACT // 2)), 100)
    total = part
    sizes = []
    for _ in range(16):
        total = total + part
        sizes.append(len(pickle.dumps(total)))
    assert total.n_rows == 17 * (EXACT // 2)
    assert sizes[-1] < 1.2 * sizes[2]


def test_facts_of_long_columns_are_those_of_all_rows():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=3 * EXACT)
    numbers[::7] = np.nan
    numbers[-5] = -100.0
    numbers[2 * EXACT] = np.inf
    parts = [NumberSummary.of(part) for part in np.array_split(numbers, 11)]
    total = sum(parts[1:], start=parts[0])
    assert (total.facts.low, total.facts.infinite) == (-100.0, 2 * EXACT)
    present = np.sort(numbers[~np.isnan(numbers)])
    rank = np.searchsorted(present, total.median)
    assert abs(rank - present.size / 2) <= total.sketch.error + 1
    assert total.agrees_with(sum(parts[1:], start=parts[0]))
    other = numbers.copy()
    other[EXACT + 1] += 1.0
    others = [NumberSummary.of(part) for part in np.array_split(other, 11)]
    assert not total.agrees_with(sum(others[1:], start=others[0]))


def test_a_long_column_is_encoded_as_in_one_piece():
    """Far more rows than are kept; without missing cells nothing but the median is approximate."""
    rng = np.random.default_rng(0)
    cells = [f"{number:.2f}" for number in rng.normal(size=EXACT + 1000)]
    parts = np.array_split(np.array(cells, dtype=object), 5)
    (whole,) = TableEncoder().fit_summaries({"a": summarize(as_column(cells), 100)}).columns_
    (column,) = TableEncoder().fit_summaries({"a": summary_of_parts([part.tolist() for part in parts])}).columns_
    assert (column.low, column.high, column.format, column.kind) == (whole.low, whole.high, whole.format, whole.kind)
    assert abs(column.median - whole.median) < 0.02


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1", " 2", "3\t"], [1, 2, 3]),
        (["1", "NA", "nan", ""], [1, np.nan, np.nan, np.nan]),
        (["1", None, "2.5e3"], [1, np.nan, 2500]),
        (["1", "nan(1)"], None),
        (["1", "-nan"], None),
        (["1", "1_0"], None),
    ],
)
def test_white_space_and_missing_cells_among_plain_numbers(cells, numbers):
    summary = summarize(as_column(cells), 100)
    missing = 0 if numbers is None else int(np.isnan(numbers).sum())
    assert summary.n_missing == missing
    assert (PLAIN in summary.readings) == (numbers is not None)
    if numbers is not None:
        np.testing.assert_array_equal(summary.readings[PLAIN].numbers, numbers)


def test_a_point_in_a_later_chunk_decides_the_decimal_mark():
    column = pa.chunked_array([["1"] * 300, ["2"] * 300, ["1.5"]])
    assert all(format.decimal == "." for format in summarize(column, 100).readings)


def test_rows_are_encoded_as_in_pieces():
    rng = np.random.default_rng(0)
    numbers = np.where(rng.random(5000) < 0.1, np.nan, rng.normal(size=5000))
    table = Table(
        {"a": numbers, "day": np.datetime64("2026-01-01") + np.arange(5000), "b": rng.choice(["x", "y"], 5000)}
    )
    encoder = TableEncoder()
    X = encoder.fit_transform(table)
    pieces = [encoder.transform(table.slice(start, 700)) for start in range(0, 5000, 700)]
    np.testing.assert_array_equal(X, np.vstack(pieces))
