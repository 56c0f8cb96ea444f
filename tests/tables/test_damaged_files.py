"""Damaged and hostile files: a message that names the file, in little time and memory, and never a crash."""

import bz2
import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import damaged_files
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from table_files import write

from aucmax.models import load
from aucmax.models.model_file import ModelFileError
from aucmax.tables import ReadLimits, csv_reader, libsvm_reader, read, read_chunks, read_limits, read_table


@pytest.mark.thorough
def test_mutated_files_of_every_format_are_read_or_refused(tmp_path):
    script = [sys.executable, damaged_files.__file__, str(tmp_path), "0", "200"]
    result = subprocess.run(script, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr[-2000:]
    counts = json.loads(result.stdout)
    assert {"a.csv", "a.svm.gz", "csr.npz", "model.json"} <= set(counts)
    assert all(count["refused"] > 20 for count in counts.values()), counts


def test_a_header_of_many_genes_is_read(tmp_path):
    names = [f"ENSG{i:011d}" for i in range(12_000)]
    assert len(",".join(names)) > 131_072
    for delimiter in ",;\t":
        path = write(
            tmp_path, f'{delimiter.join(names)}{delimiter}"a{delimiter}b"\n' + delimiter.join(["1"] * 12_001)
        )
        assert read(path).names == (*names, f"a{delimiter}b")
    with pytest.raises(ValueError, match=r"table.csv, line 3: field larger than"):
        read(write(tmp_path, "\n\n" + "x" * 200_000 + "\n1\n"))


@pytest.mark.parametrize("header", [b"{'descr': '<f8', 'shape': (705,i, }", b"{'descr': '<f8', 'a\0", b"(" * 5000])
def test_a_damaged_npz_header_is_refused(tmp_path, header):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(ValueError, match=r"a.npz is not an npz file of plain arrays"):
        read(tmp_path / "a.npz")


def test_the_length_of_a_line_is_limited(tmp_path):
    limits = ReadLimits(line_bytes=100_000)
    for name, text in {"a.csv": "a,b\n1," + "2" * 100_001, "a.svm": "1 1:" + "2" * 100_001}.items():
        path = write(tmp_path, text, name)
        for reader in (read, lambda *a, **k: list(read_chunks(*a, **k))):
            with pytest.raises(ValueError, match=rf"{name} has a line of more than 100000 bytes.*--max-line"):
                reader(path, limits=limits)
    old_mac = write(tmp_path, "a,b\r" + "1,2\r" * 50_000, "mac.csv")
    assert len(read(old_mac, limits=limits)) == 50_000


def test_the_decompressed_size_is_limited(tmp_path, peak_memory):
    (tmp_path / "a.csv.bz2").write_bytes(bz2.compress(b"\n" * 2_000_000))
    (tmp_path / "a.svm.gz").write_bytes(gzip.compress(b"\n" * 200_000))
    np.savez_compressed(tmp_path / "a.npz", X=np.zeros((1000, 100)), y=np.zeros(1000))
    assert read(tmp_path / "a.npz").X.shape == (1000, 100)
    for path in tmp_path.iterdir():
        with pytest.raises(ValueError, match=rf"{path.name} is more than 100000 bytes .*--max-decompressed"):
            read(path, limits=ReadLimits(decompressed_bytes=100_000))

    def read_blank_lines():
        with pytest.raises(ValueError, match="is empty"):
            read(tmp_path / "a.csv.bz2", limits=ReadLimits(decompressed_bytes=1 << 30))

    assert peak_memory(read_blank_lines) < 20e6


def test_a_small_file_cannot_become_large_by_default(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + (b"0" * 1000 + b"\n") * 67_500))
    with pytest.raises(ValueError, match=r"a.csv.gz is more than 67108864 bytes"):
        sum(len(chunk) for chunk in read_chunks(path, rows=100))


def test_a_line_without_end_takes_linear_time(tmp_path, monkeypatch):
    """Counted, not timed: the bytes that are copied in joining the blocks of a line."""
    monkeypatch.setattr(libsvm_reader, "_BLOCK_BYTES", 1000)
    path = write(tmp_path, "1 " + " ".join(f"{i}:1" for i in range(1, 200_000)), "a.svm")
    assert read(path).X.shape == (1, 199_999)
    copied = 0

    class Block(bytes):
        def __add__(self, other):
            nonlocal copied
            copied += len(self) + len(other)
            return Block(bytes(self) + other)

    class Stream:
        left = 1000

        def read(self, n):
            self.left -= 1
            return Block(b"x" * n) if self.left > 0 else b""

    (line,) = libsvm_reader._complete_lines(Stream())
    assert len(line) == 999_000 and copied < 3 * len(line)


def test_devices_without_end_are_refused(tmp_path, peak_memory):
    zero = Path("/dev/zero")
    if not zero.exists():
        pytest.skip("no /dev/zero")
    with pytest.raises(ModelFileError, match=r"/dev/zero: not an aucmax model file"):
        load(zero)
    with pytest.raises(ValueError, match=r"/dev/zero has a line of more than"):
        read(zero, format="csv", limits=ReadLimits(line_bytes=1 << 20))
    with pytest.raises(ValueError, match=r"/dev/zero has a line of more than"):
        read(zero, format="libsvm", limits=ReadLimits(line_bytes=1 << 20))


def test_a_model_file_that_is_too_large_is_refused(tmp_path):
    path = write(tmp_path, "{" + " " * 200_000, "model.json")
    with pytest.raises(ModelFileError, match=r"model.json: larger than 100000 bytes"):
        load(path, max_bytes=100_000)
    with pytest.raises(ModelFileError, match=r"model.json: invalid or truncated JSON"):
        load(path)


@pytest.mark.parametrize("message", ["", "Unable to allocate 1. TiB"])
def test_a_lack_of_memory_names_the_file(tmp_path, monkeypatch, message):
    def fail(*arguments, **settings):
        raise MemoryError(message)

    monkeypatch.setattr(read_table.npz_reader, "read", fail)
    with pytest.raises(MemoryError, match=rf"a.npz needs more memory than is available, or is damaged.*{message}"):
        read(tmp_path / "a.npz")
    with pytest.raises(MemoryError, match=r"a.npz needs more memory"):
        read_chunks(tmp_path / "a.npz")


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_the_decompressed_size_of_columnar_files_is_limited(tmp_path, name):
    """A constant takes a few bytes in the file, and as many as there are rows in memory."""
    table = pa.table({"a": np.zeros(1_000_000), "b": np.ones(1_000_000)})
    if name == "a.parquet":
        parquet.write_table(table, tmp_path / name)
    else:
        feather.write_feather(table, str(tmp_path / name), compression="zstd")
    assert (tmp_path / name).stat().st_size < 100_000
    assert len(read(tmp_path / name)) == 1_000_000
    for use in (read, lambda *a, **k: list(read_chunks(*a, **k))):
        with pytest.raises(ValueError, match=rf"{name} is more than 5000000 bytes .*--max-decompressed"):
            use(tmp_path / name, limits=ReadLimits(decompressed_bytes=5_000_000))


def test_a_columnar_file_cannot_become_huge_by_default(tmp_path, monkeypatch):
    monkeypatch.setattr(read_limits, "_MIN_COLUMNAR", 1 << 20)
    parquet.write_table(pa.table({"a": np.zeros(2_000_000)}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a.parquet is more than \d+ bytes"):
        read(tmp_path / "a.parquet")


def test_a_quotation_mark_that_is_never_closed_is_found_early(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_reader, "BLOCK_BYTES", 1 << 12)
    monkeypatch.setattr(read_limits, "_BLOCK_SLACK", 1 << 13)
    path = write(tmp_path, 'a,b\n1,"2\n' + "3,4\n" * 50_000)
    with pytest.raises(ValueError, match=r"a record of more than 10000 bytes; is a quotation mark not closed"):
        read(path, limits=ReadLimits(line_bytes=10_000))
