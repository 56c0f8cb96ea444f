"""Excel workbooks: the first sheet as a table, with numbers, times, booleans and strings."""

import datetime

import numpy as np
import pytest
from table_files import names_of

from aucmax.tables import ReadLimits, TableEncoder, read, read_chunks

openpyxl = pytest.importorskip("openpyxl")

ROWS = [
    ["age", "town", "member", "day", None],
    [31, "Rome", True, datetime.datetime(2026, 1, 5), 0],
    [None, None, None, None, None],
    [42.5, "Oslo", False, datetime.datetime(2026, 1, 6), 1],
    [None, "Rome", True, datetime.datetime(2026, 1, 7), 2],
]


@pytest.fixture
def path(tmp_path):
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    return tmp_path / "a.xlsx"


def test_the_first_sheet_is_a_table(path):
    encoder = TableEncoder()
    X = encoder.fit_transform(read(path))
    names = ("age", "age is missing", "town=Oslo", "town=Rome", "member", "day (epoch)", "day (weekday)")
    assert names_of(encoder) == names and list(encoder.left_out_) == ["unnamed column 5"]
    np.testing.assert_array_equal(X[:, :5], [[31, 0, 0, 1, 1], [42.5, 0, 1, 0, 0], [36.75, 1, 0, 1, 1]])
    assert X[:, 6].tolist() == [0, 1, 2]
    assert [len(chunk) for chunk in read_chunks(path, rows=2)] == [2, 1]


def test_damaged_and_large_workbooks_are_refused(path):
    with pytest.raises(ValueError, match=r"a.xlsx is more than 100 bytes"):
        read(path, limits=ReadLimits(decompressed_bytes=100))
    path.write_bytes(b"not a workbook")
    with pytest.raises(ValueError, match=r"a.xlsx is not a valid Excel file"):
        read(path)
