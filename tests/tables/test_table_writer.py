"""Writing: what is read back is what was written, in every format, atomically."""

import csv
import gzip
import io
import json

import numpy as np
import pyarrow as pa
import pytest

from aucmax.tables import read
from aucmax.tables.table_writer import open_writer, text_writer

NASTY = [
    "plain",
    'a "quote"',
    "comma, here",
    "two\nlines",
    "carriage\rreturn",
    "é 価格",
    "",
    "\\",
    "\x1b[2J",
    "tab\t",
]


def nasty_table():
    bits = np.random.default_rng(0).integers(0, 2**64, size=10, dtype=np.uint64)
    numbers = np.where(np.isfinite(bits.view(float)), bits.view(float), 0.1)
    return pa.table({"id": NASTY, 'a "name", too': numbers, "n": list(range(10)), "flag": [True, False] * 5})


def write_twice(path, table):
    with open_writer(path) as write:
        write(table.slice(0, 4))
        write(table.slice(4))


@pytest.mark.parametrize(
    "name", ["a.csv", "a.csv.gz", "a.csv.xz", "a.txt", "a.jsonl", "a.jsonl.bz2", "a.parquet", "a.arrow"]
)
def test_what_is_written_is_read_back(tmp_path, name):
    table = nasty_table()
    write_twice(tmp_path / "new" / name, table)
    found = read(tmp_path / "new" / name, format="csv" if name == "a.txt" else None)
    assert found.names == tuple(table.column_names)
    assert found.columns["id"].to_pylist() == NASTY
    numbers = np.array([float(cell) for cell in found.columns['a "name", too'].to_pylist()])
    assert numbers.tobytes() == table['a "name", too'].to_numpy().tobytes()
    assert [path.name for path in (tmp_path / "new").iterdir()] == [name]


def test_the_formats_are_what_their_names_say(tmp_path):
    for name in ("a.csv.gz", "a.jsonl", "a.parquet", "a.arrow"):
        write_twice(tmp_path / name, nasty_table())
    with gzip.open(tmp_path / "a.csv.gz", "rt", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["id", 'a "name", too', "n", "flag"] and [row[0] for row in rows[1:]] == NASTY
    lines = (tmp_path / "a.jsonl").read_text().split("\n")
    assert [json.loads(line)["id"] for line in lines[:-1]] == NASTY and json.loads(lines[0])["flag"] is True
    assert pa.parquet.read_table(tmp_path / "a.parquet").equals(nasty_table())
    assert pa.ipc.open_file(tmp_path / "a.arrow").read_all().equals(nasty_table())


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.jsonl", "a.parquet", "a.arrow"])
def test_a_failure_leaves_nothing_behind(tmp_path, name):
    def fail():
        with open_writer(tmp_path / name) as write:
            write(nasty_table())
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.npz", "a.svm", "a.xlsx", "a.parquet.gz"])
def test_other_formats_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match=rf"cannot write .*{name}; choose .csv"), open_writer(tmp_path / name):
        pass


def test_missing_cells():
    out = io.BytesIO()
    text_writer(out, "jsonl")(pa.table({"a": [None, 1.5], "b": ["x", None]}))
    assert out.getvalue() == b'{"a": null, "b": "x"}\n{"a": 1.5, "b": null}\n'


@pytest.mark.parametrize("name", ["scores.tsv", "scores.TSV.gz"])
def test_a_tsv_file_has_tabs(tmp_path, name):
    table = pa.table({"a\tb": ["x,y", "tab\there", 'say "no"'], "score": [1.5, -2.0, 0.25]})
    with open_writer(tmp_path / name) as write:
        write(table)
    opener = gzip.open if name.endswith(".gz") else open
    with opener(tmp_path / name, "rt", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    assert rows == [["a\tb", "score"], ["x,y", "1.5"], ["tab\there", "-2"], ['say "no"', "0.25"]]
    assert read(tmp_path / name).columns["a\tb"].to_pylist() == table["a\tb"].to_pylist()
