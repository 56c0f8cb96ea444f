"""The libsvm reader: the same bits as scikit-learn's, in chunks as well, and errors with their line."""

import bz2
import gzip
import lzma
import os
import random
import struct
import threading

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from aucmax.tables import libsvm_reader as libsvm
from aucmax.tables.float_parsing import parse_double


def write(folder, text):
    path = folder / "rows.svm"
    path.write_bytes(text.encode())
    return path


def same_as_scikit_learn(path, **settings):
    table = libsvm.read(path, **settings)
    X, y = table.X, table.y
    expected, labels = load_svmlight_file(str(path), **settings)
    assert X.shape == expected.shape
    np.testing.assert_array_equal(X.indptr, expected.indptr)
    np.testing.assert_array_equal(X.indices, expected.indices)
    np.testing.assert_array_equal(X.data.view(np.uint64), expected.data.view(np.uint64))
    np.testing.assert_array_equal(y.view(np.uint64), labels.view(np.uint64))


FILES = {
    "plain": "+1 1:0.5 3:2\n-1 2:1e-3\n",
    "no_last_newline": "1 1:2\n0 4:5",
    "windows": "1 1:2\r\n0 4:5\r\n",
    "comments": "# a header\n1 1:2 # 7:7\n\n   \n0 2:5#3:1\n#\n",
    "qid": "3 qid:1 1:0.53 2:0.12\n2 qid:12 1:0.13\n",
    "labels": "-1.5e3 1:1\n.25 1:1\n1e-310 2:1\nnan 1:1\n",
    "empty_rows": "1\n0 3:1\n1\n",
    "only_empty_rows": "1\n0\n",
    "zero_based": "1 0:1 5:2\n0 3:1\n",
    "tabs": "1\t1:2\t 3:4 \n",
    "odd_numbers": "1 1:1_0 2:inf 3:-nan 4:+.5 5:5. 6:-0 7:1e400 8:5e-324 9:0e9999999 10:1E+05\n",
    "long_numbers": "1 1:0.1234567890123456789012345 2:123456789012345678901234567890 3:1" + "0" * 2000 + "e-2000\n",
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_small_files_equal_scikit_learn(tmp_path, text):
    same_as_scikit_learn(write(tmp_path, text))


@pytest.mark.parametrize("settings", [{"n_features": 9}, {"zero_based": True}, {"zero_based": False}], ids=str)
def test_settings_equal_scikit_learn(tmp_path, settings):
    same_as_scikit_learn(write(tmp_path, FILES["plain"]), **settings)


def some_number(rng):
    kind = rng.random()
    if kind < 0.4:
        return repr(struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0])
    if kind < 0.6:
        return f"{rng.getrandbits(rng.randint(1, 64))}e{rng.randint(-345, 310)}"
    if kind < 0.8:
        return f"{rng.gauss(0, 1) * 10 ** rng.randint(-20, 20):.{rng.randint(1, 18)}g}"
    return f"{rng.getrandbits(54) * 2 + 1}.5e-{rng.randint(0, 3)}"


def test_every_number_is_the_nearest_double(tmp_path):
    rng = random.Random(0)
    lines = [f"{some_number(rng)} 1:{some_number(rng)} 2:{some_number(rng)}" for _ in range(20_000)]
    same_as_scikit_learn(write(tmp_path, "\n".join(lines)))


def test_numbers_halfway_between_doubles_go_to_even():
    for odd in range(2**53 + 1, 2**53 + 201, 2):
        text = np.frombuffer(str(odd).encode(), dtype=np.uint8)
        _, bits, parsed = parse_double(text, 0, text.size)
        assert parsed and np.uint64(bits).view(float) == float(str(odd))


def random_file(folder, n=500, seed=0):
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(n):
        columns = np.unique(rng.integers(1, 80, size=rng.integers(0, 9)))
        lines.append(" ".join([str(rng.integers(0, 2)), *(f"{j}:{rng.normal()!r}" for j in columns)]))
    return write(folder, "\n".join(lines) + "\n")


@pytest.mark.parametrize("block", [7, 100, 1 << 20])
@pytest.mark.parametrize("rows", [1, 64, 10_000])
def test_chunks_equal_the_whole_file(tmp_path, monkeypatch, block, rows):
    path = random_file(tmp_path)
    whole = libsvm.read(path)
    monkeypatch.setattr(libsvm, "_BLOCK_BYTES", block)
    chunks = list(libsvm.read_chunks(path, rows=rows))
    assert all(chunk.X.shape == (min(rows, 500), whole.X.shape[1]) for chunk in chunks[:-1])
    np.testing.assert_array_equal(np.vstack([chunk.X.toarray() for chunk in chunks]), whole.X.toarray())
    np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in chunks]), whole.y)


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_compressed_files(tmp_path, suffix, pack):
    path = tmp_path / f"rows.svm{suffix}"
    path.write_bytes(pack(FILES["plain"].encode()))
    assert libsvm.read(path).X.shape == (2, 3)
    for content in (pack(FILES["plain"].encode())[:-9], FILES["plain"].encode()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"rows\.svm.* is truncated or not compressed"):
            libsvm.read(path)


def test_chunks_need_little_memory(tmp_path, monkeypatch, peak_memory):
    path = random_file(tmp_path, n=20_000)
    libsvm.read(path, n_features=99)
    monkeypatch.setattr(libsvm, "_BLOCK_BYTES", 10_000)
    chunked = peak_memory(lambda: sum(len(chunk) for chunk in libsvm.read_chunks(path, rows=100)))
    assert chunked < peak_memory(lambda: libsvm.read(path)) / 10


WRONG = {
    "no_colon": ("1 1:1\n0 7\n", "line 2: expected index:value, found '7'"),
    "no_index": ("1 a:1\n", "line 1: expected index:value, found 'a:1'"),
    "negative": ("1 -1:1\n", "line 1: expected index:value"),
    "no_value": ("1 1:1\n\n# x\n0 1:\n", "line 4: value '' is not a number"),
    "value": ("1 1:1\n0 1:1 2:abc\n", "line 2: value 'abc' is not a number"),
    "two_colons": ("1 1:2:3\n", "line 1: value '2:3' is not a number"),
    "exponent": ("1 1:0e\n", "line 1: value '0e' is not a number"),
    "no_label": ("1 1:1\n1:1 2:1\n", "line 2: label '1:1' is not a number"),
    "many_labels": ("1,2 1:1\n", "line 1: label '1,2' is not a number"),
    "shuffle_if_sorted": ("1 1:1\n1 3:1 2:1\n", "line 2: index '2:1' is not larger"),
    "twice": ("1 3:1 3:1\n", "line 1: index '3:1' is not larger"),
    "too_large": ("1 3000000000:1\n", "line 1: index '3000000000:1' is too large"),
    "binary": ("1 1:1\n\0\0\n", "line 2: label"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_errors_name_the_line(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        libsvm.read(write(tmp_path, text))


def test_line_numbers_count_all_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(libsvm, "_BLOCK_BYTES", 16)
    with pytest.raises(ValueError, match="line 101: value 'x'"):
        libsvm.read(write(tmp_path, "1 1:1\n" * 100 + "1 1:x\n"))


def test_zero_based_is_inferred_and_kept(tmp_path):
    for name, zero_based in (("plain", False), ("zero_based", True)):
        path = write(tmp_path, FILES[name])
        assert libsvm.read(path).zero_based is zero_based
        assert [chunk.zero_based for chunk in libsvm.read_chunks(path, rows=1)] == [zero_based] * 2


def test_index_zero_in_a_one_based_file_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="line 1: index 0"):
        libsvm.read(write(tmp_path, FILES["zero_based"]), zero_based=False)


def test_too_small_n_features_is_an_error(tmp_path):
    path = write(tmp_path, FILES["plain"])
    with pytest.raises(ValueError, match="3 features, more than n_features=2"):
        libsvm.read(path, n_features=2)
    with pytest.raises(ValueError, match="3 features, more than n_features=2"):
        list(libsvm.read_chunks(path, rows=5, n_features=2, zero_based=False))


def test_unknown_zero_based_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="zero_based='yes'; give 'auto' or True or False"):
        libsvm.read(write(tmp_path, FILES["plain"]), zero_based="yes")


def test_an_empty_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "rows.svm"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("",))
    writer.start()
    assert list(libsvm.read_chunks(pipe, rows=2)) == []
    writer.join()


def test_a_pipe_of_unknown_base_is_read_once(tmp_path):
    pipe = tmp_path / "rows.svm"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("1 1:1\n0 2:1\n1 3:1\n",))
    writer.start()
    chunks = list(libsvm.read_chunks(pipe, rows=2, n_features=3))
    writer.join()
    np.testing.assert_array_equal(np.vstack([chunk.X.toarray() for chunk in chunks]), np.eye(3))
