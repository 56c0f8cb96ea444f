"""Parquet and Arrow files: the same table as the CSV of the same rows."""

import datetime
import decimal
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from table_files import names_of

from aucmax.tables import TableEncoder, encode_target, read, read_chunks

ROWS = {
    "age": [31, None, 42, 100, 50, 60],
    "town": ["Rome", "Oslo", "Rome", None, "Oslo", "Rome"],
    "member": [True, False, True, True, False, True],
    "vip": [True, None, False, True, False, True],
    "amount": [1.5, 2.25, None, 4.0, 1e-300, 1e300],
    "fraud": ["no", "no", "yes", "no", "no", "yes"],
}


def write_parquet(table, path):
    parquet.write_table(table, path, row_group_size=4)


def write_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as sink:
        sink.write_table(table)


WRITERS = {
    "a.parquet": write_parquet,
    "a.feather": feather.write_feather,
    "a.arrow": write_stream,
    "b.parquet": lambda table, path: pl.from_arrow(table).write_parquet(path),
    "b.ipc": lambda table, path: pl.from_arrow(table).write_ipc(path),
}


@pytest.fixture(params=WRITERS)
def path(request, tmp_path):
    path = tmp_path / request.param
    WRITERS[request.param](pa.table(ROWS), str(path))
    return path


def csv_of(folder):
    path = folder / "same.csv"
    pl.DataFrame(ROWS).write_csv(path)
    return path


def test_same_columns_as_the_csv(path, tmp_path):
    typed, text = read(path), read(csv_of(tmp_path))
    encoder = TableEncoder().fit(text.drop("fraud"))
    assert TableEncoder().fit(typed.drop("fraud")).to_dict() == encoder.to_dict()
    np.testing.assert_array_equal(encoder.transform(typed), encoder.transform(text))
    assert encode_target(typed, "fraud")[0].tolist() == [0, 0, 1, 0, 0, 1]


@pytest.mark.parametrize("rows", [1, 4, 100])
def test_chunks_are_encoded_like_the_whole_table(path, rows):
    whole = read(path)
    encoder = TableEncoder().fit(whole.drop("fraud"))
    chunks = list(read_chunks(path, rows=rows))
    assert max(map(len, chunks)) <= rows
    np.testing.assert_array_equal(np.vstack([encoder.transform(chunk) for chunk in chunks]), encoder.transform(whole))


def test_other_types(tmp_path):
    table = pa.table(
        {
            "category": pa.array(["a", "b", "a", None]).dictionary_encode(),
            "decimal": [decimal.Decimal("1.5"), decimal.Decimal("2.5"), None, decimal.Decimal("4")],
            "small": pa.array([1, 2, 3, 4], type=pa.int8()),
            "half": pa.array(np.array([1, 2, 3, 4], dtype=np.float16)),
            "large": pa.array(["x", "y", "x", "y"], type=pa.large_string()),
            "day": [datetime.date(2026, 1, day) for day in (1, 2, 3, 4)],
            "list": [[1], [2], [3], [4]],
            "nothing": pa.nulls(4),
        }
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    encoder = TableEncoder().fit(read(tmp_path / "a.parquet"))
    used = ("category=a", "category=b", "category is missing", "decimal", "decimal is missing", "small", "half")
    assert names_of(encoder) == (*used, "large=x", "large=y", "day (epoch)", "day (weekday)")
    assert encoder.left_out_ == {
        "list": "free text: 4 distinct values, e.g. '[1]'",
        "nothing": "all values are missing",
    }


def test_index_of_pandas_is_left_out(tmp_path):
    pd = pytest.importorskip("pandas")
    pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=[5, 7, 9]).to_parquet(tmp_path / "a.parquet")
    encoder = TableEncoder().fit(read(tmp_path / "a.parquet"))
    assert names_of(encoder) == ("x",) and "__index_level_0__" in encoder.left_out_


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_damaged_files_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"this is not such a file")
    with pytest.raises(ValueError, match=r"is not a valid (Parquet|Arrow) file"):
        read(tmp_path / name)


def test_no_rows_and_repeated_names(tmp_path):
    parquet.write_table(pa.table({"a": pa.array([], type=pa.int64())}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="has no rows"):
        read(tmp_path / "a.parquet")
    feather.write_feather(pa.table([[1], [2]], names=["a", "b"]).rename_columns(["a", "a"]), tmp_path / "a.arrow")
    with pytest.raises(ValueError, match="several columns named"):
        read(tmp_path / "a.arrow")


@pytest.mark.parametrize("offset", [4_000_000, 100_000, -5])
def test_offsets_outside_of_the_file_are_refused(tmp_path, offset):
    """In a process of its own: following such an offset ends it."""
    path = tmp_path / "a.arrow"
    feather.write_feather(pa.table({"text": ["one", "three", "fifteen"]}), str(path), compression="uncompressed")
    offsets = np.array([0, 3, 8, 15], dtype=np.int32).tobytes()
    content = path.read_bytes()
    assert content.count(offsets) == 1
    damaged = np.array([0, 3, offset, 15], dtype=np.int32).tobytes()
    path.write_bytes(content.replace(offsets, damaged))
    script = "import sys; from aucmax.tables import read; read(sys.argv[1])"
    result = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True)
    assert result.returncode == 1
    assert "a.arrow is not a valid Arrow file" in result.stderr
