"""Reading tables in every format, all at once and in chunks; encoding columns and targets; errors."""

import gzip
import json
import os
import stat
import threading
import tracemalloc
import zipfile

import numpy as np
import pytest
from scipy import sparse

from aucmax.tables import Table, TableEncoder, encode_target, read, read_chunks
from aucmax.tables.atomic_write import atomic_write
from aucmax.tables.cells import STRING_DTYPE, as_numbers, as_strings
from aucmax.tables.column_encoder import ColumnEncoder
from aucmax.tables.table import concatenate

TRAIN = """age,town,member,note,planet,fraud
31,Rome,true,a,Earth,no
,Oslo,false,b,Earth,no
 42 ,Rome,true,c,Earth,yes
1e2,,true,d,Earth,no
50,Oslo,false,e,Earth,no
60,Rome,true,f,Earth,yes
"""


def write(folder, text, name="table.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def table_of(**columns):
    return Table({name: np.array(cells, dtype=STRING_DTYPE) for name, cells in columns.items()})


@pytest.fixture
def train(tmp_path):
    return read(write(tmp_path, TRAIN))


@pytest.fixture
def encoder(train):
    return TableEncoder.learn(train, target="fraud")


# CSV


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_delimiter_is_found(tmp_path, mark):
    table = read(write(tmp_path, 'a,b,"c"\n1,"x, y; z\t",3\n'.replace(",", mark)))
    assert table.names == ("a", "b", "c")
    assert table.columns["b"].tolist() == ["x, y; z\t".replace(",", mark)]


def test_byte_order_mark_quotes_and_line_ends(tmp_path):
    text = '\r\n"a ""x""",b\r\n"line 1\r\nline 2",ü\r\n\r\n'
    table = read(write(tmp_path, text, encoding="utf-8-sig"))
    assert table.names == ('a "x"', "b")
    assert [column.tolist() for column in table.columns.values()] == [["line 1\r\nline 2"], ["ü"]]


def test_a_blank_line_in_a_file_of_one_column_is_a_missing_cell(tmp_path):
    assert read(write(tmp_path, "\na\n1\n\n3\n")).columns["a"].tolist() == ["1", "", "3"]


def test_compressed_csv(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(TRAIN.encode()))
    assert len(read(path)) == 6


@pytest.mark.parametrize("rows", [1, 4, 6, 100])
def test_chunks_encode_as_the_whole(tmp_path, encoder, train, rows):
    chunks = list(read_chunks(tmp_path / "table.csv", rows=rows))
    assert all(len(chunk) == min(rows, 6) for chunk in chunks[:-1])
    np.testing.assert_array_equal(np.vstack([encoder.encode(chunk) for chunk in chunks]), encoder.encode(train))


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
    with pytest.raises(ValueError, match="save it as UTF-8"):
        read(write(tmp_path, "a\nü\n", encoding="latin-1"))


def test_chunks_need_little_memory(tmp_path):
    path = write(tmp_path, "a,b\n" + "0.125,some text\n" * 20_000)
    tracemalloc.start()
    try:
        read(path)
        _, whole = tracemalloc.get_traced_memory()
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        assert sum(len(chunk) for chunk in read_chunks(path, rows=100)) == 20_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - held < whole / 10


def test_a_damaged_archive_is_an_error(tmp_path):
    path = tmp_path / "table.csv.gz"
    for content in (gzip.compress(TRAIN.encode())[:-20], TRAIN.encode()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="truncated or not compressed"):
            read(path)


# Columns


def test_names_and_left_out(encoder):
    assert encoder.feature_names == ("age", "age is missing", "town=Oslo", "town=Rome", "town is missing", "member")
    assert encoder.left_out == {
        "note": "free text: 6 distinct values, e.g. 'a'",
        "planet": "constant: all values are 'Earth'",
    }


def test_encoding_of_the_training_rows(encoder, train):
    np.testing.assert_array_equal(
        encoder.encode(train),
        [
            [31, 0, 0, 1, 0, 1],
            [50, 1, 1, 0, 0, 0],
            [42, 0, 0, 1, 0, 1],
            [100, 0, 0, 0, 1, 1],
            [50, 0, 1, 0, 0, 0],
            [60, 0, 0, 1, 0, 1],
        ],
    )


def test_scoring_finds_columns_by_name(encoder, tmp_path):
    text = "town,extra,member,age\nParis,1,NA,null\nOslo,2,TRUE,7\n"
    X = encoder.encode(read(write(tmp_path, text)))
    np.testing.assert_array_equal(X, [[50, 1, 0, 0, 0, 1], [7, 0, 1, 0, 0, 1]])


def test_a_missing_column_is_named(encoder, tmp_path):
    with pytest.raises(ValueError, match=r"lacks the columns \['member'\]"):
        encoder.encode(read(write(tmp_path, "town,age\nRome,1\n")))


def test_text_in_a_numeric_column_is_an_error():
    encoder = TableEncoder.learn(table_of(a=["1", "2"]))
    with pytest.raises(ValueError, match="column 'a' was numeric in training, but now holds 'two'"):
        encoder.encode(table_of(a=["1", "two"]))


@pytest.mark.parametrize("word", ["inf", "-Infinity", "1e999"])
def test_infinity_is_an_error_with_the_column(word):
    encoder = TableEncoder.learn(table_of(a=["1", "2"]))
    with pytest.raises(ValueError, match="column 'a' is infinite in row 2"):
        encoder.encode(table_of(a=["1", word]))


@pytest.mark.parametrize("word", ["", " ", "NA", "NaN", "nan", "null", "N/A", "?"])
def test_missing_words(word):
    X = TableEncoder.learn(table_of(a=["1", word, "4", "9"])).encode(table_of(a=[word, "5"]))
    np.testing.assert_array_equal(X, [[4, 1], [5, 0]])


def test_missing_only_at_scoring_gets_the_median():
    encoder = TableEncoder.learn(table_of(a=["1", "2", "9"], b=["x", "y", "x"]), max_categories=5)
    np.testing.assert_array_equal(encoder.encode(table_of(a=["NA"], b=[""])), [[2, 0, 0]])


def test_numbers_like_categories_stay_text():
    """A chunk whose cells all look like numbers is encoded as the whole column was: '01' is not '1'."""
    encoder = TableEncoder.learn(table_of(code=["01", "1", "A", "01", "1", "A"]))
    assert encoder.feature_names == ("code=01", "code=1", "code=A")
    np.testing.assert_array_equal(encoder.encode(table_of(code=["01", " 1 "])), [[1, 0, 0], [0, 1, 0]])


def test_underscores_are_no_numbers():
    assert TableEncoder.learn(table_of(a=["1_0", "2_0"] * 3)).feature_names == ("a=1_0", "a=2_0")


def test_a_constant_with_missing_cells_is_what_it_is():
    encoder = TableEncoder.learn(table_of(a=["5", "", "5", ""], b=["x", "x", "", ""]))
    assert encoder.feature_names == ("a", "a is missing", "b=x", "b is missing")
    np.testing.assert_array_equal(encoder.encode(table_of(a=["5.0", ""], b=["", "x"])), [[5, 0, 0, 1], [5, 1, 1, 0]])


def test_categories_that_training_did_not_know_are_counted():
    encoder = TableEncoder.learn(table_of(a=["1", "2", "3", "1"], town=["north", "south", "north", "north"]))
    table = table_of(a=["7", "8", "9", ""], town=["North", " north ", "", "west"])
    assert encoder.count_unknown_categories(table) == {"town": 2}


def test_a_stray_word_is_named_where_numbers_become_categories():
    cells = [str(18 + i % 60) for i in range(400)]
    cells[41] = "unknown"
    with pytest.warns(UserWarning, match="'age' is encoded as 61 categories, .* such as 'unknown' in row 42"):
        assert len(TableEncoder.learn(table_of(age=cells)).feature_names) == 61


def test_a_stray_word_in_a_column_of_numbers_is_named():
    cells = [str(number / 7) for number in range(300)]
    cells[3] = "abc"
    table = Table({"amount": np.array(cells, dtype=STRING_DTYPE), "b": np.arange(300.0)})
    with pytest.warns(UserWarning, match="'amount' is left out as free text, but most .* 'abc' in row 4"):
        assert list(TableEncoder.learn(table).left_out) == ["amount"]


def test_columns_that_tell_nothing_are_left_out():
    table = Table(
        {
            "unnamed column 1": np.arange(3.0),
            "__index_level_0__": np.arange(3.0),
            "gone": np.full(3, np.nan),
            "one": np.ones(3),
            "x": np.arange(3.0),
        }
    )
    encoder = TableEncoder.learn(table)
    assert encoder.feature_names == ("x",)
    assert list(encoder.left_out) == ["unnamed column 1", "__index_level_0__", "gone", "one"]


def test_a_header_without_a_name_is_an_index(tmp_path):
    table = read(write(tmp_path, ",x\n0,5\n1,6\n"))
    assert "probably an index" in TableEncoder.learn(table).left_out["unnamed column 1"]


def test_learning_needs_the_target(train):
    with pytest.raises(ValueError, match="no column 'frud'"):
        TableEncoder.learn(train, target="frud")


def test_nothing_left_is_an_error():
    with pytest.raises(ValueError, match="no column can be used"):
        TableEncoder.learn(table_of(a=["1", "1"]))


def test_typed_columns_agree_with_text():
    text = table_of(n=["1", "2.5", "4"], b=["true", "false", "true"], c=["1", "2", "1"])
    typed = Table({"n": np.array([1, 2.5, 4]), "b": np.array([True, False, True]), "c": np.array([1.0, 2.0, 1.0])})
    encoder = TableEncoder.learn(text)
    assert TableEncoder.learn(typed) == encoder
    np.testing.assert_array_equal(encoder.encode(typed), encoder.encode(text))


def test_columns_survive_json(encoder, train):
    again = TableEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again == encoder
    np.testing.assert_array_equal(again.encode(train), encoder.encode(train))


DAMAGE = [
    lambda plain: plain.pop("left_out"),
    lambda plain: plain.update(more=1),
    lambda plain: plain.update(columns=[]),
    lambda plain: plain.update(left_out={"a": 1}),
    lambda plain: plain["columns"].append(plain["columns"][0]),
    lambda plain: plain["columns"].append(7),
    lambda plain: plain["columns"][0].update(kind="magic"),
    lambda plain: plain["columns"][0].update(median="1"),
    lambda plain: plain["columns"][0].update(median=float("nan")),
    lambda plain: plain["columns"][0].update(missing_indicator=1),
    lambda plain: plain["columns"][0].update(categories=["a"]),
    lambda plain: plain["columns"][1].update(categories=[]),
    lambda plain: plain["columns"][1].update(categories=["a", "a"]),
    lambda plain: plain["columns"][1].update(categories=["a", 1]),
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_columns_are_refused(encoder, damage):
    plain = encoder.to_dict()
    damage(plain)
    with pytest.raises(ValueError):
        TableEncoder.from_dict(plain)


def test_unknown_kind_of_column_is_refused():
    with pytest.raises(ValueError, match="kind 'date'"):
        ColumnEncoder("a", "date")


# Target


def test_the_rarer_label_is_positive(train):
    y, labels = encode_target(train, "fraud")
    assert y.tolist() == [0, 0, 1, 0, 0, 1] and labels == ("no", "yes")


def test_positive_can_be_chosen(train):
    assert encode_target(train, "fraud", pos_label="no")[1] == ("yes", "no")


def test_a_tie_makes_the_larger_label_positive():
    assert encode_target(table_of(t=["10", "9"]), "t")[1] == (9, 10)
    assert encode_target(table_of(t=["b", "a"]), "t")[1] == ("a", "b")


@pytest.mark.parametrize("positive", ["1", 1, 1.0, " 1.0 "])
def test_numbers_as_labels(positive):
    y, labels = encode_target(table_of(t=["1", "0", "1.0"]), "t", positive)
    assert y.tolist() == [1, 0, 1] and labels == (0, 1)


def test_labels_of_a_model():
    assert encode_target(table_of(t=["1", "0"]), "t", classes=(1, 0))[0].tolist() == [0, 1]
    booleans = Table({"t": np.array([True, False])})
    assert encode_target(booleans, "t", classes=("False", "True"))[0].tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"has labels \['c'\]; the classes of the model are \['a', 'b'\]"):
        encode_target(table_of(t=["a", "c"]), "t", classes=("a", "b"))


TARGETS = {
    "name": ({"target": "frud"}, r"no column 'frud'; did you mean one of \['fraud'"),
    "none": ({}, "name the target column"),
    "label": (
        {"target": "fraud", "pos_label": "maybe"},
        r"no label 'maybe'; choose the positive class from \['no', 'yes'\]",
    ),
    "one": ({"target": "planet"}, "only one class"),
    "many": ({"target": "note"}, "has 6 classes"),
    "missing": ({"target": "town"}, "missing in 1 rows, first in row 4"),
}


@pytest.mark.parametrize(("settings", "message"), TARGETS.values(), ids=TARGETS)
def test_targets_that_cannot_be(train, settings, message):
    with pytest.raises(ValueError, match=message):
        encode_target(train, **settings)


# Matrices


def test_libsvm_by_name_and_by_format(tmp_path):
    text = "+1 1:1 3:2\n-1 2:1\n-1 2:3\n"
    table = read(write(tmp_path, text, "rows.svm"))
    again = read(write(tmp_path, text, "rows.txt"), format="libsvm", n_features=5)
    assert table.X.shape == (3, 3) and again.X.shape == (3, 5)
    assert [len(chunk) for chunk in read_chunks(tmp_path / "rows.svm", rows=2)] == [2, 1]
    y, labels = encode_target(table)
    assert y.tolist() == [1, 0, 0] and labels == (-1, 1)


def test_a_matrix_is_widened_to_the_model():
    narrow = Table(X=sparse.csr_array(np.eye(2)))
    assert narrow.matrix(4).shape == (2, 4)
    with pytest.raises(ValueError, match="2 features, the model has 1"):
        narrow.matrix(1)
    with pytest.raises(ValueError, match="fitted without column names"):
        table_of(a=["1"]).matrix(1)


def test_a_matrix_has_no_columns():
    table = Table(X=np.eye(2), y=np.array([0, 1]))
    with pytest.raises(ValueError, match="no column 'a': libsvm and npz files"):
        encode_target(table, "a")
    with pytest.raises(ValueError, match="no columns to encode"):
        TableEncoder.learn(table)
    with pytest.raises(ValueError, match="no labels"):
        encode_target(Table(X=np.eye(2)))


def npz_arrays(X):
    X = sparse.csr_array(X)
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}


def test_npz_dense_and_sparse(tmp_path):
    X, y = np.eye(3), np.array([0, 1, 1])
    np.savez(tmp_path / "dense.npz", X=X, y=y)
    np.savez(tmp_path / "sparse.npz", y=y, **npz_arrays(X))
    sparse.save_npz(tmp_path / "scipy.npz", sparse.csr_array(X))
    for name in ("dense", "sparse", "scipy"):
        table = read(tmp_path / f"{name}.npz")
        np.testing.assert_array_equal(table.X if name == "dense" else table.X.toarray(), X)
        assert (table.y is None) == (name == "scipy")
        assert [len(chunk) for chunk in read_chunks(tmp_path / f"{name}.npz", rows=2)] == [2, 1]


WRONG_NPZ = {
    "pickle": ({"X": np.array([[{}]], dtype=object)}, "plain arrays"),
    "names": ({"Z": np.eye(2)}, r"holds \['Z'\]; expected X"),
    "text": ({"X": np.array([["a"]])}, "must be a matrix of numbers"),
    "vector": ({"X": np.ones(3)}, "must be a matrix of numbers"),
    "rows": ({"X": np.ones((0, 3))}, "no rows"),
    "labels": ({"X": np.eye(2), "y": np.ones(3)}, "y has shape"),
    "indices": (npz_arrays(np.eye(2)) | {"indices": np.array([0, 9])}, "invalid CSR"),
    "format": (npz_arrays(np.eye(2)) | {"format": b"csc"}, "not CSR"),
    "shape": (npz_arrays(np.eye(2)) | {"shape": [np.inf, 2]}, "invalid CSR"),
    "complex": ({"X": np.eye(2), "y": np.array([1j, 0])}, "y must hold numbers, booleans or strings"),
    "dates": ({"X": np.eye(2), "y": np.array([0, 1], dtype="M8[D]")}, "y must hold numbers"),
    "pairs": ({"X": np.eye(2), "y": np.zeros(2, dtype="i,i")}, "y must hold numbers"),
}


@pytest.mark.parametrize(("arrays", "message"), WRONG_NPZ.values(), ids=WRONG_NPZ)
def test_wrong_npz_files(tmp_path, arrays, message):
    np.savez(tmp_path / "file.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "file.npz")


def test_npz_labels_may_be_texts(tmp_path):
    np.savez(tmp_path / "file.npz", X=np.eye(3), y=np.array(["yes", "no", "no"]))
    y, labels = encode_target(read(tmp_path / "file.npz"))
    assert y.tolist() == [1, 0, 0] and labels == ("no", "yes")


def test_npz_files_that_hold_no_arrays_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "file.npz", "w") as file:
        file.writestr("X.npy", b"junk")
    with pytest.raises(ValueError, match=r"file\.npz is not an npz file"):
        read(tmp_path / "file.npz")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip", b"text"])
def test_what_is_not_npz_is_refused(tmp_path, content):
    (tmp_path / "file.npz").write_bytes(content)
    with pytest.raises(ValueError, match="not an npz file"):
        read(tmp_path / "file.npz")


def test_formats_must_be_known(tmp_path):
    with pytest.raises(ValueError, match="cannot infer the format"):
        read(tmp_path / "rows.txt")
    with pytest.raises(ValueError, match=r"format='xls'; give None or one of \['csv'"):
        read(tmp_path / "rows.csv", format="xls")
    with pytest.raises(ValueError, match="is a pipe or a device"):
        read(os.devnull, format="npz")
    with pytest.raises(ValueError, match="rows=0; give an integer of 1 or more"):
        read_chunks(tmp_path / "rows.csv", rows=0)
    with pytest.raises(ValueError, match="has no rows"):
        read(write(tmp_path, "# nothing\n", "rows.svm"))
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "absent.csv")


def test_integers_of_arrow_are_never_rounded(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    large = 2**53 + 1
    columns = {
        "whole": pa.array([large, -large, 1]),
        "missing": pa.array([large, None, 1]),
        "decimal": pa.array([large, 2, 3]).cast(pa.decimal128(20, 0)),
    }
    parquet.write_table(pa.table(columns), tmp_path / "ids.parquet")
    found = read(tmp_path / "ids.parquet").columns
    assert as_strings(found["whole"]).tolist() == [str(large), str(-large), "1"]
    assert as_strings(found["missing"]).tolist() == [str(large), "", "1"]
    assert as_strings(found["decimal"]).tolist() == [str(large), "2", "3"]
    assert as_numbers(found["missing"])[0] == float(large)


def test_chunks_of_text_and_of_numbers_are_joined():
    parts = [Table({"a": np.array([1.0, np.nan])}), table_of(a=["9007199254740993"]), Table({"a": np.array([2])})]
    assert concatenate(parts).columns["a"].tolist() == ["1", "nan", "9007199254740993", "2"]


# Files out


def test_what_stood_there_keeps_its_permissions_and_links(tmp_path):
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o640)
    (tmp_path / "link").symlink_to("old")
    with atomic_write(tmp_path / "link") as file:
        file.write("new")
        assert (tmp_path / "old").read_text() == "old"
    assert (tmp_path / "link").is_symlink() and (tmp_path / "old").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o640
    assert len(list(tmp_path.iterdir())) == 2


def test_a_pipe_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_text()))
    reader.start()
    with atomic_write(tmp_path / "pipe") as file:
        file.write("new")
    reader.join()
    assert found == ["new"] and (tmp_path / "pipe").is_fifo()
