"""Numbers as people write them: decimal commas, thousands, currencies, per cent; every reading to the last bit."""

import random

import numpy as np
import pytest
from table_files import names_of, table_of

from aucmax.tables import TableEncoder
from aucmax.tables.cells import as_column, as_numbers
from aucmax.tables.column_summary import summarize

COLUMNS = {
    "decimal comma": (["1,5", "2,25", "-3", "1e3"], [1.5, 2.25, -3, 1000]),
    "German": (["1.234,56", "999,9", "12", "-1.000.000,00"], [1234.56, 999.9, 12, -1e6]),
    "French": (["1 234,5", "1\u00a0234\u202f567,5", "7,25", "8"], [1234.5, 1234567.5, 7.25, 8]),
    "English": (["1,234.56", "999.9", "12", "1,000,000"], [1234.56, 999.9, 12, 1e6]),
    "Swiss": (["1'234.5", "1\u2019234\u2019567.25", "7.5", "8"], [1234.5, 1234567.25, 7.5, 8]),
    "euro in front": (["€52.00", "€ 7.5", "-€3", "€1,200"], [52, 7.5, -3, 1200]),
    "euro behind": (["52,00 €", "7,5€", "-3 €", "1.200 €"], [52, 7.5, -3, 1200]),
    "dollar": (["$1,200", "$0.5", "$-3", "900"], [1200, 0.5, -3, 900]),
    "code": (["EUR 5.5", "6 EUR", "7", "EUR 8"], [5.5, 6, 7, 8]),
    "per cent": (["39.9%", "5 %", "-0.1%", "100%"], [39.9, 5, -0.1, 100]),
    "minus sign": (["\u22125", "3,5", "+2", "0"], [-5, 3.5, 2, 0]),
    "integers": (["1,234", "12,345", "7", "999"], [1234, 12345, 7, 999]),
}


@pytest.mark.parametrize(("cells", "numbers"), COLUMNS.values(), ids=COLUMNS)
def test_numbers_are_read_as_they_are_written(cells, numbers):
    encoder = TableEncoder().fit(table_of(a=[*cells, "NA"]))
    assert names_of(encoder) == ("a", "a is missing")
    assert encoder.transform(table_of(a=cells))[:, 0].tolist() == numbers
    assert encoder.columns_[0].note
    again = TableEncoder.from_dict(encoder.to_dict())
    assert again.transform(table_of(a=cells))[:, 0].tolist() == numbers


NOT_NUMBERS = {
    "two currencies": ["€5", "$6", "€7"] * 2,
    "some per cent": ["5%", "6", "7%"] * 2,
    "two separators": ["1.234,5", "1,234.5", "7"] * 2,
    "groups of two": ["12,34,567.5", "1.5", "2"] * 2,
    "versions": ["1.2.3", "1.2.4", "1.3.0"] * 2,
    "units": ["5 km", "6 km", "7 km"] * 2,
}


@pytest.mark.parametrize("cells", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_what_is_not_one_format_is_a_category(cells):
    assert TableEncoder().fit(table_of(a=cells)).columns_[0].kind == "categorical"


def test_another_column_decides_between_decimals_and_thousands():
    ambiguous = ["1,234", "2,500", "3,125"]
    alone = TableEncoder().fit_transform(table_of(a=ambiguous))
    beside = TableEncoder().fit_transform(table_of(a=ambiguous, b=["0,5", "12,25", "3,0"]))
    assert alone[:, 0].tolist() == [1234, 2500, 3125] and beside[:, 0].tolist() == [1.234, 2.5, 3.125]
    points = TableEncoder().fit_transform(table_of(a=["999", "1.234", "2.500"], b=["0,5", "12,25", "3,0"]))
    assert points[:, 0].tolist() == [999, 1234, 2500]
    assert TableEncoder(decimal=",").fit_transform(table_of(a=ambiguous))[:, 0].tolist() == [1.234, 2.5, 3.125]


def test_only_what_is_not_plain_is_noted():
    encoder = TableEncoder().fit(table_of(a=["1", "2", "3"], b=["0,5", "12,25", "3,0"]))
    assert [column.note for column in encoder.columns_] == [
        "",
        "numbers such as '0,5', with a decimal comma, point between thousands",
    ]


def test_another_format_when_scoring_is_refused():
    encoder = TableEncoder().fit(table_of(a=["1,5", "2,25", "3,5"]))
    with pytest.raises(ValueError, match=r"column 'a' was numeric in training .*, but now holds '1.234.5'"):
        encoder.transform(table_of(a=["1,5", "1.234.5"]))


def test_every_double_is_read_to_the_last_bit():
    bits = np.random.default_rng(0).integers(0, 2**64, size=20_000, dtype=np.uint64)
    numbers = bits.view(float)[np.isfinite(bits.view(float))]
    cells = [repr(number) for number in numbers.tolist()]
    assert as_numbers(as_column(cells)).tobytes() == numbers.tobytes()
    rounded = [f"{number:.20e}" for number in numbers.tolist()]
    assert as_numbers(as_column(rounded)).tobytes() == np.array([float(cell) for cell in rounded]).tobytes()


@pytest.mark.parametrize("cell", ["1", " 1 ", "+1", "1.", ".5", "1E+05", "-0", "1e999", "٣", "inf", "1e-999"])
def test_cells_are_read_as_python_reads_them(cell):
    assert as_numbers(as_column([cell, "2"])).tobytes() == np.array([float(cell), 2.0]).tobytes()


@pytest.mark.parametrize("cell", ["1_0", "nan(1)", "nAn", "0x10", "1d5", "one", "1 2", "1,5", "--1"])
def test_cells_that_are_not_numbers(cell):
    assert as_numbers(as_column(["2", cell])) is None


@pytest.mark.parametrize("name", COLUMNS)
def test_summaries_of_parts_add_up_to_that_of_the_whole(name):
    """Whatever the parts, the formats that remain and the numbers they give are those of the whole column."""
    cells = [*COLUMNS[name][0], "NA", "5%" if name == "per cent" else "4"] * 3
    random.Random(0).shuffle(cells)
    whole = summarize(as_column(cells), 100)
    for cut in range(1, len(cells)):
        parts = summarize(as_column(cells[:cut]), 100) + summarize(as_column(cells[cut:]), 100)
        fits = (
            TableEncoder().fit_summaries({"a": parts}).to_dict()
            == TableEncoder().fit_summaries({"a": whole}).to_dict()
        )
        assert fits or parts.text != whole.text
        assert (parts.n_rows, parts.n_missing, parts.categories) == (whole.n_rows, whole.n_missing, whole.categories)
