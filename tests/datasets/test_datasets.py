"""Named data sets, from scikit-learn and from AUCMAX_DATA, and toy data."""

import hashlib
import json
import os
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import roc_auc_score

from aucmax import datasets
from aucmax.datasets import benchmark_sets, load, make_toy

FOLDER = os.environ.get("AUCMAX_DATA")
needs_files = pytest.mark.skipif(not FOLDER, reason="AUCMAX_DATA is not set")


def add(folder, name, **arrays):
    """Add a data set to the folder and its manifest."""
    np.savez(folder / f"{name}.npz", **arrays)
    digest = hashlib.sha256((folder / f"{name}.npz").read_bytes()).hexdigest()
    entry = {"name": name, "file": f"{name}.npz", "sha256": digest, "note": "a test", "published": "3 rows"}
    manifest = folder / "MANIFEST.json"
    entries = json.loads(manifest.read_text())["datasets"] if manifest.exists() else []
    other = {"name": "changepoint/x", "file": "changepoint/x/"}
    manifest.write_text(json.dumps({"datasets": [*entries, entry, other]}))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("AUCMAX_DATA", str(tmp_path))
    X = np.arange(12, dtype=np.uint8).reshape(6, 2)
    csr = sparse.csr_array(np.eye(6, dtype=np.float32))
    add(tmp_path, "binary", X=X, y=np.array([0, 1, 1, 0, 0, 0]))
    add(tmp_path, "many", X=X.astype(float), y=np.array([1, 2, 3, 4, 1, 2]))
    sparse_arrays = {"data": csr.data, "indices": csr.indices, "indptr": csr.indptr, "shape": csr.shape}
    add(tmp_path, "sparse", y=np.array([-1, 1] * 3), **sparse_arrays)
    cover = {"num": np.ones((6, 10), dtype=np.int16), "wilderness": np.arange(6) % 4, "soil": np.arange(6) + 34}
    add(tmp_path, "cover", y=np.arange(6), **cover)
    return tmp_path


def test_dense_sparse_and_compact_forms(folder):
    binary, cover = load("binary"), load("cover", binarize=2)
    assert binary.X.dtype == np.float32 and binary.y.tolist() == [-1, 1, 1, -1, -1, -1]
    assert binary.name == "binary" and binary.description == "3 rows; a test"
    assert isinstance(load("sparse").X, sparse.csr_array) and load("sparse").y.tolist() == [-1, 1] * 3
    assert cover.X.shape == (6, 54)
    np.testing.assert_array_equal(cover.X.sum(axis=1), 12)
    assert cover.X[1, 11] == cover.X[1, 14 + 35] == 1


BINARIZE = {
    "even_odd": ("even_odd", [-1, 1, -1, 1, -1, 1]),
    "label": (3, [-1, -1, 1, -1, -1, -1]),
    "one_vs_rest": (("one_vs_rest", 1), [1, -1, -1, -1, 1, -1]),
}


@pytest.mark.parametrize(("binarize", "y"), BINARIZE.values(), ids=BINARIZE)
def test_several_classes_are_binarized(folder, binarize, y):
    assert load("many", binarize=binarize).y.tolist() == y


def test_random_halves_follow_the_seed(folder):
    halves = [tuple(load("many", binarize="random_halves", random_state=seed).y) for seed in range(20)]
    assert halves[3] == tuple(load("many", binarize="random_halves", random_state=3).y)
    assert len(set(halves)) > 1
    assert all(len(np.unique(np.array([1, 2, 3, 4, 1, 2])[np.array(y) > 0])) == 2 for y in halves)


@pytest.mark.parametrize("binarize", [None, 9, "odd_even", ("one_vs_rest", 9), ("x", 1), [1], True])
def test_invalid_binarize_is_refused(folder, binarize):
    with pytest.raises(ValueError, match="'random_halves'"):
        load("many", binarize=binarize)


def test_a_changed_file_is_refused(folder):
    with open(folder / "binary.npz", "ab") as file:
        file.write(b"x")
    with pytest.raises(ValueError, match="does not match the manifest"):
        load("binary")


def test_pickles_are_never_loaded(folder):
    add(folder, "evil", X=np.array([[{}]], dtype=object), y=np.array([1]))
    with pytest.raises(ValueError, match="plain arrays"):
        load("evil")


def test_without_files_the_source_is_named(monkeypatch, folder):
    with pytest.raises(FileNotFoundError, match=r"not in the manifest.*csie\.ntu\.edu\.tw"):
        load("a9a")
    monkeypatch.delenv("AUCMAX_DATA")
    with pytest.raises(FileNotFoundError, match=r"AUCMAX_DATA is not set.*odds\.cs"):
        load("mammography")
    with pytest.raises(ValueError, match=r"unknown data set 'mamography'; choose one of \['mammography'"):
        load("mamography")


def test_a_folder_without_manifest_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("AUCMAX_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"no .*MANIFEST\.json"):
        load("a9a")


MANIFESTS = {
    "text": "datasets",
    "list": "[]",
    "nothing": "{}",
    "no list": '{"datasets": {"a": 1}}',
    "no object": '{"datasets": [1]}',
    "no name": '{"datasets": [{"file": "a.npz", "sha256": "0"}]}',
    "no checksum": '{"datasets": [{"name": "a", "file": "a.npz"}]}',
    "other name": '{"datasets": [{"name": ["a"], "file": "a.npz", "sha256": "0"}]}',
}


@pytest.mark.parametrize("text", MANIFESTS.values(), ids=MANIFESTS)
def test_a_damaged_manifest_is_an_error(folder, text):
    (folder / "MANIFEST.json").write_text(text)
    for wanted in (lambda: load("a"), datasets.names):
        with pytest.raises(ValueError, match=r"MANIFEST\.json (is not JSON|must hold a list)"):
            wanted()


def test_a_set_without_labels_is_an_error(folder):
    add(folder, "bare", X=np.eye(2))
    with pytest.raises(ValueError, match="has no labels"):
        load("bare")


def test_names(monkeypatch, folder):
    assert datasets.names(available=True) == ["binary", "breast_cancer", "cover", "digits", "many", "sparse"]
    monkeypatch.delenv("AUCMAX_DATA")
    assert datasets.names(available=True) == ["breast_cancer", "digits"]
    assert "covtype" in datasets.names()


def test_bundled_data_sets():
    digits, cancer = load("digits"), load("breast_cancer")
    assert digits.X.shape == (1797, 64) and (digits.y > 0).sum() == 174
    assert cancer.X.shape == (569, 30) and (cancer.y > 0).sum() == 212
    assert (load("digits", binarize="even_odd").y > 0).sum() == 891


@needs_files
def test_every_listed_set_is_known():
    assert set(datasets.names()) == set(benchmark_sets._SOURCE)


@needs_files
@pytest.mark.parametrize("name", ["a9a", "w8a", "german.numer", "svmguide3", "mammography", "rcv1_vw_sample"])
def test_binary_files_have_the_published_counts(name):
    entry = benchmark_sets._read_manifest(Path(FOLDER))[name]
    data = load(name)
    positive = max(entry["classes"], key=int)
    assert data.X.shape == (entry["n"], entry["d"])
    assert (data.y > 0).sum() == entry["classes"][positive]
    assert data.source.startswith("https://")


@needs_files
def test_files_with_several_classes():
    assert (load("usps.t", binarize="even_odd").y > 0).sum() == 264 + 166 + 160 + 147 + 177
    assert load("news20.t", binarize=("one_vs_rest", 2)).X.shape == (3993, 62061)


# Toy data


@pytest.mark.parametrize("separation", [0.5, 2.0])
def test_toy_has_the_promised_auc(separation):
    X, y = make_toy(40_000, 5, positive_rate=0.3, separation=separation, n_informative=3)
    expected = NormalDist().cdf(separation / np.sqrt(2))
    assert roc_auc_score(y, X[:, :3].sum(axis=1)) == pytest.approx(expected, abs=0.01)  # 3 standard errors
    assert roc_auc_score(y, X[:, 3:].sum(axis=1)) == pytest.approx(0.5, abs=0.01)


def test_toy_rates_seeds_and_noise():
    X, y = make_toy(1000, 4, positive_rate=0.25)
    again, labels = make_toy(1000, 4, positive_rate=0.25, noise=0.2)
    assert (y > 0).sum() == (labels > 0).sum() == 250
    np.testing.assert_array_equal(X, again)
    assert ((y > 0) & (labels < 0)).sum() == ((y < 0) & (labels > 0)).sum() == 50
    assert not np.array_equal(X, make_toy(1000, 4, positive_rate=0.25, random_state=1)[0])


@pytest.mark.parametrize("density", [0.001, 0.1, 0.7])
def test_toy_density(density):
    X, _ = make_toy(2000, 500, density=density)
    X.check_format(full_check=True)
    assert X.has_canonical_format
    assert X.nnz / 1e6 == pytest.approx(density, abs=4 * np.sqrt(density / 1e6))  # 4 standard errors


def test_toy_is_wide_without_the_memory_of_a_dense_array():
    X, _ = make_toy(100, 10**8, density=1e-7, separation=3.0)
    assert X.shape == (100, 10**8) and X.nnz < 2000


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_samples": 1},
        {"n_features": 0},
        {"density": 0},
        {"density": 1.5},
        {"positive_rate": 0},
        {"noise": 2},
        {"n_informative": 99},
    ],
    ids=str,
)
def test_toy_checks_its_settings(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        make_toy(**wrong)
