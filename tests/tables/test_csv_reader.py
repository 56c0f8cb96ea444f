"""CSV files: delimiters, quotes, compression, chunks, and errors with their line."""

import gzip

import numpy as np
import pyarrow as pa
import pytest
from table_files import TRAIN, write

from aucmax.tables import csv_reader, read, read_chunks
from aucmax.tables.cells import as_numbers
from aucmax.tables.csv_records import quotes_are_regular, scan_records


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_delimiter_is_detected(tmp_path, mark):
    table = read(write(tmp_path, 'a,b,"c"\n1,"x, y; z\t",3\n'.replace(",", mark)))
    assert table.names == ("a", "b", "c")
    assert table.columns["b"].to_pylist() == ["x, y; z\t".replace(",", mark)]


def test_byte_order_mark_quotes_and_line_ends(tmp_path):
    text = '\r\n"a ""x""",b\r\n"line 1\r\nline 2",ü\r\n\r\n'
    table = read(write(tmp_path, text, encoding="utf-8-sig"))
    assert table.names == ('a "x"', "b")
    assert [column.to_pylist() for column in table.columns.values()] == [["line 1\r\nline 2"], ["ü"]]


def test_a_blank_line_in_a_file_of_one_column_is_a_missing_cell(tmp_path):
    assert read(write(tmp_path, "\na\n1\n\n3\n")).columns["a"].to_pylist() == ["1", "", "3"]


def test_compressed_csv(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(TRAIN.encode()))
    assert len(read(path)) == 6


@pytest.mark.parametrize("rows", [1, 4, 6, 100])
def test_chunks_are_encoded_like_the_whole_table(tmp_path, encoder, train, rows):
    chunks = list(read_chunks(tmp_path / "table.csv", rows=rows))
    assert all(len(chunk) == min(rows, 6) for chunk in chunks[:-1])
    np.testing.assert_array_equal(np.vstack([encoder.transform(chunk) for chunk in chunks]), encoder.transform(train))


BROKEN = {
    "empty": ("", "is empty"),
    "blank": ("\n \n", "is empty"),
    "header_only": ("a,b\n", "a header but no rows"),
    "twice": ("a,b, a\n1,2,3\n", r"several columns named \['a'\]"),
    "short": ("a,b\n1,2\n\n3\n", "line 4: 1 fields, but the header has 2"),
    "long": ('a,b\n"1\n1",2\n3,4,5\n', "line 4: 3 fields, but the header has 2"),
    "quote": ('a,b\n1,"2\n3,4\n', "is a quotation mark not closed"),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_csv_says_what_is_wrong(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read(write(tmp_path, text))


def test_other_encodings_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"table.csv, line 2: byte 0xfc is not UTF-8 .* --encoding latin-1"):
        read(write(tmp_path, "a\nü\n", encoding="latin-1"))


def test_chunks_need_little_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_reader, "BLOCK_BYTES", 1 << 13)
    path = write(tmp_path, "a,b\n" + "0.125,some text\n" * 20_000)
    before = pa.total_allocated_bytes()
    chunked = max(pa.total_allocated_bytes() for _ in read_chunks(path, rows=100)) - before
    table = read(path)
    assert len(table) == 20_000 and chunked < (pa.total_allocated_bytes() - before) / 10


def test_a_damaged_archive_is_an_error(tmp_path):
    path = tmp_path / "table.csv.gz"
    for content in (gzip.compress(TRAIN.encode())[:-20], TRAIN.encode()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="truncated or not compressed"):
            read(path)


@pytest.mark.parametrize("seed", range(40))
def test_regular_quotes_end_where_the_scan_says(seed):
    """Random strings of few characters: where the quotation marks are regular, a last newline ends a record."""
    rng = np.random.default_rng(seed)
    n_regular = 0
    for _ in range(200):
        text = "".join(rng.choice(list('",a\n'), size=rng.integers(1, 9), p=[0.4, 0.2, 0.2, 0.2])).encode() + b"\n"
        if quotes_are_regular(text, ","):
            n_regular += 1
            scan = scan_records(text, ",", 0, at_end=False)
            assert scan.error == "" and scan.end == len(text), text
    assert n_regular > 5


CELLS = ["1.5", " 2 ", "", "NA", "-0", "1e-320", "+3", "9007199254740993", "0.1000000000000000055511151231257827"]


@pytest.mark.parametrize("stray", [None, "one", "nan(1)", "1,5", "true"])
def test_numbers_are_those_of_the_strings(tmp_path, monkeypatch, stray):
    """Cells read as numbers at once, and as strings first; a stray cell comes late, after blocks of numbers."""
    monkeypatch.setattr(csv_reader, "BLOCK_BYTES", 30)
    cells = CELLS * 3 + ([] if stray is None else [f'"{stray}"', "4"])
    path = write(tmp_path, "x,y\n" + "".join(f'{cell},"b ""c"" "\n' for cell in cells))
    (strings,) = read_chunks(path)
    (found,) = read_chunks(path, numbers={"x", "absent"})
    assert found.columns["y"].equals(strings.columns["y"])
    expected = as_numbers(strings.columns["x"])
    if expected is None:
        assert as_numbers(found.columns["x"]) is None and found.columns["x"][-2].as_py() == stray
    else:
        assert as_numbers(found.columns["x"]).tobytes() == expected.tobytes()
