"""JSON lines: the same table as the CSV of the same rows, values of several types, and errors with their line."""

import gzip
import json

import numpy as np
import pytest
from table_files import TRAIN, names_of, write

from aucmax.tables import TableEncoder, csv_reader, read, read_chunks


def as_json_lines(table):
    columns = {name: column.to_pylist() for name, column in table.columns.items()}
    return "".join(json.dumps(dict(zip(columns, row))) + "\n" for row in zip(*columns.values()))


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz"])
def test_the_same_encoding_as_that_of_the_csv(tmp_path, encoder, train, name):
    content = as_json_lines(train).encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    table = read(tmp_path / name)
    assert table.names == train.names
    np.testing.assert_array_equal(encoder.transform(table), encoder.transform(train))
    chunks = list(read_chunks(tmp_path / name, rows=4))
    assert [len(chunk) for chunk in chunks] == [4, 2]


def test_types_and_absent_keys(tmp_path):
    rows = '{"n": 1, "b": true}\n\n{"n": 2.5, "t": "2026-01-01"}\n{"n": null, "b": false, "t": "2026-01-02"}\n'
    encoder = TableEncoder().fit(read(write(tmp_path, rows, "a.jsonl")))
    assert set(names_of(encoder)) == {
        *("n", "n is missing", "b", "b is missing", "t (epoch)", "t (weekday)", "t is missing"),
    }


def test_values_of_several_types_become_strings(tmp_path):
    table = read(write(tmp_path, '{"a": 1}\n{"a": "x"}\n{"a": null}\n', "a.jsonl"))
    assert table.columns["a"].to_pylist() == ["1", "x", None]


def test_blocks_with_different_types_are_put_together(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_reader, "BLOCK_BYTES", 10)
    text = '{"a": 1}\n{"a": 2.5}\n{"a": "x", "b": 9007199254740993}\n'
    table = read(write(tmp_path, text, "a.jsonl"))
    assert table.columns["a"].to_pylist() == ["1", "2.5", "x"]
    assert table.columns["b"].to_pylist() == [None, None, 9007199254740993]


@pytest.mark.parametrize("block_bytes", [1 << 22, 10])  # rows of one block, and of one each
@pytest.mark.parametrize("long", [2**53 + 1, -(2**53) - 1, 2**70 + 1])
def test_integers_among_other_numbers_are_not_rounded(tmp_path, monkeypatch, block_bytes, long):
    monkeypatch.setattr(csv_reader, "BLOCK_BYTES", block_bytes)
    text = f'{{"id": 2.5, "x": 1}}\n{{"id": {long}, "x": 2.5}}\n{{"id":{long} }}\n'
    table = read(write(tmp_path, text, "a.jsonl"))
    assert table.columns["id"].to_pylist() == ["2.5", str(long), str(long)]
    assert table.columns["x"].to_pylist() == [1.0, 2.5, None]


def test_a_chunk_may_lack_a_key_but_not_the_whole_file(tmp_path):
    path = write(tmp_path, '{"a": 1}\n{"a": 2}\n{"b": 3}\n', "a.jsonl")
    chunks = [chunk.columns for chunk in read_chunks(path, rows=1, columns={"a", "b"})]
    assert [chunk["b"].to_pylist() for chunk in chunks] == [[None], [None], [3]]
    with pytest.raises(ValueError, match=r"a.jsonl lacks the columns \['c'\]: no line has these keys"):
        list(read_chunks(path, rows=1, columns={"a", "c"}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": \n', r"a.jsonl, line 2: not JSON"),
        ('{"a": 1}\n[1]\n', r"a.jsonl, line 2: expected an object"),
        ("\n\n", "has no rows"),
    ],
)
def test_errors_have_their_line(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read(write(tmp_path, text, "a.jsonl"))


def test_any_encoding_can_be_named(tmp_path):
    text = "town,x\nZürich,1\nRome,2\n"
    for name, content in {"a.csv": text, "a.jsonl": '{"town": "Zürich", "x": 1}\n'}.items():
        for encoding in ("latin-1", "cp1252", "utf-16", "utf-8-sig"):
            path = write(tmp_path, content, name, encoding=encoding)
            assert read(path, encoding=encoding).columns["town"][0].as_py() == "Zürich"
    for encoding in ("klingon", "hex", "zlib", "rot13"):
        with pytest.raises(ValueError, match=f"unknown encoding '{encoding}'"):
            read(tmp_path / "a.csv", encoding=encoding)
    with pytest.raises(ValueError, match=r"a.csv, line 1: byte 0xff .* --encoding utf-16"):
        read(write(tmp_path, text, "a.csv", encoding="utf-16"))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20, 64])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_blocks_of_any_size_give_the_same_table(tmp_path, monkeypatch, size, newline):
    text = TRAIN.replace("\n", newline) + f'7,"a ""b"", c{newline}d",true,"x",Earth,no'
    path = write(tmp_path, text)
    whole = [column.to_pylist() for column in read(path).columns.values()]
    monkeypatch.setattr(csv_reader, "BLOCK_BYTES", size)
    assert [column.to_pylist() for column in read(path).columns.values()] == whole
    assert whole[1][-1] == f'a "b", c{newline}d'
    write(tmp_path, text + f"{newline}1,2")
    with pytest.raises(ValueError, match=r"line 10: 2 fields, but the header has 6"):
        read(path)


@pytest.mark.parametrize("text", ['{"a": 1}\n{"a"\n: 2}\n', '{"a": 1}\n{"a": 2} {"a": 3}\n', '{"a": 1}{"a": 2}'])
def test_an_object_that_is_not_on_a_line_of_its_own_is_refused(tmp_path, text):
    """Whether it would be read would depend on where a block of the file ends."""
    with pytest.raises(ValueError, match=r"rows.jsonl, line \d: not JSON"):
        read(write(tmp_path, text, "rows.jsonl"))
