"""Formats, matrices in libsvm and npz files, and types of Arrow."""

import os
import zipfile

import numpy as np
import pytest
from scipy import sparse
from table_files import table_of, write

from aucmax.tables import Table, TableEncoder, encode_target, read, read_chunks
from aucmax.tables.cells import as_numbers, as_strings
from aucmax.tables.table import concatenate


def test_libsvm_by_name_and_by_format(tmp_path):
    text = "+1 1:1 3:2\n-1 2:1\n-1 2:3\n"
    table = read(write(tmp_path, text, "rows.svm"))
    again = read(write(tmp_path, text, "rows.txt"), format="libsvm", n_features=5)
    assert table.X.shape == (3, 3) and again.X.shape == (3, 5)
    assert [len(chunk) for chunk in read_chunks(tmp_path / "rows.svm", rows=2)] == [2, 1]
    y, labels = encode_target(table)
    assert y.tolist() == [1, 0, 0] and labels == (-1, 1)


def test_a_sparse_matrix_is_padded_to_the_width_of_the_model():
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
    with pytest.raises(ValueError, match="a matrix has no column names"):
        TableEncoder().fit(table)
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


def test_npz_labels_may_be_strings(tmp_path):
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
    assert as_strings(found["whole"]).to_pylist() == [str(large), str(-large), "1"]
    assert as_strings(found["missing"]).to_pylist() == [str(large), "", "1"]
    assert as_strings(found["decimal"]).to_pylist() == [str(large), "2", "3"]
    assert as_numbers(found["missing"])[0] == float(large)


def test_chunks_of_strings_and_of_numbers_are_concatenated():
    parts = [Table({"a": np.array([1.0, np.nan])}), table_of(a=["9007199254740993"]), Table({"a": np.array([2])})]
    assert concatenate(parts).columns["a"].to_pylist() == ["1", "", "9007199254740993", "2"]
