"""The folder of AUCMAX_DATA, made from official files: LIBSVM, ODDS and CSV; what is refused, and what is missing."""

import bz2
import hashlib
import json

import numpy as np
import pytest
from scipy import io
from sklearn.datasets import dump_svmlight_file

from aucmax import datasets
from aucmax.datasets.make_folder import make_folder
from aucmax.datasets.official_files import OFFICIAL_FILES, OfficialFile

RNG = np.random.default_rng(0)
X = RNG.integers(0, 5, size=(30, 4)).astype(float)
X[0] = 1.0  # so that no column of the libsvm file is empty
Y = np.where(RNG.random(30) < 0.4, 1, -1)
FILES = (
    OfficialFile("one", "https://example.org/one.bz2", 30, 4),
    OfficialFile("two", "https://example.org/", 30, 4, file="two.mat", format="odds"),
    OfficialFile("three", "https://example.org/three.data", 30, 4, format="csv"),
    OfficialFile("scaled", "https://example.org/scaled", 30, 4, change="z-scores"),
    OfficialFile("absent", "https://example.org/absent", 30, 4),
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("AUCMAX_DATA", str(tmp_path))
    for name in ("one", "scaled"):
        dump_svmlight_file(X, Y, str(tmp_path / name), zero_based=False)
    (tmp_path / "one.bz2").write_bytes(bz2.compress((tmp_path / "one").read_bytes()))
    io.savemat(tmp_path / "two.mat", {"X": X, "y": (Y[:, None] > 0).astype(float)})
    np.savetxt(tmp_path / "three.data", np.column_stack([X, Y]), delimiter=",", fmt="%g")
    return tmp_path


def test_every_format_gives_the_same_rows(folder):
    made = make_folder(folder, FILES)
    assert made.made == ["one", "two", "three", "scaled"] and made.kept == []
    for name in ("one", "two", "three"):
        data = datasets.load(name)
        np.testing.assert_array_equal(data.X, X)
        np.testing.assert_array_equal(data.y, Y)


def test_standardised_columns_have_deviation_one(folder):
    make_folder(folder, FILES)
    scaled = datasets.load("scaled").X
    np.testing.assert_allclose(scaled, (X - X.mean(axis=0)) / X.std(axis=0), atol=1e-6)


def test_missing_files_are_named_with_their_address(folder):
    (absent,) = make_folder(folder, FILES).missing
    assert (absent.file_name, absent.address) == ("absent", "https://example.org/absent")


def test_a_second_run_keeps_what_is_there(folder):
    make_folder(folder, FILES)
    before = (folder / "MANIFEST.json").read_bytes()
    again = make_folder(folder, FILES)
    assert again.made == [] and again.kept == ["one", "two", "three", "scaled"]
    assert (folder / "MANIFEST.json").read_bytes() == before


def test_a_file_of_another_size_is_refused(folder):
    other = (OfficialFile("three", "https://example.org/three.data", 31, 4, format="csv"),)
    with pytest.raises(ValueError, match="has 30 rows of 4 columns, not 31 rows of 4 columns; see https"):
        make_folder(folder, other)
    assert not (folder / "MANIFEST.json").exists() and not (folder / "three.npz").exists()


def test_a_file_with_another_checksum_is_refused(folder):
    known = hashlib.md5((folder / "three.data").read_bytes()).hexdigest()
    make_folder(folder, (OfficialFile("good", "https://example.org/three.data", 30, 4, format="csv", md5=known),))
    wrong = (OfficialFile("bad", "https://example.org/three.data", 30, 4, format="csv", md5="0" * 32),)
    with pytest.raises(ValueError, match="is not the official file"):
        make_folder(folder, wrong)
    assert [entry["name"] for entry in json.loads((folder / "MANIFEST.json").read_text())["datasets"]] == ["good"]


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="download official files into it first"):
        make_folder(tmp_path / "nowhere")


def test_every_data_set_that_has_official_files_is_listed():
    names = {file.name for file in OFFICIAL_FILES}
    assert len(names) == len(OFFICIAL_FILES)
    samples = {"higgs_slice", "news20.binary.sample", "svmguide3.t", "rcv1_vw_sample", "rcv1_vw_sample.t"}
    in_other_formats = {"cifar10_sub", "cifar10_sub.t", "breast_cancer", "digits"}
    known = {name for listed in datasets.benchmark_sets.SOURCES.values() for name in listed.split()}
    assert known - names == samples | in_other_formats
