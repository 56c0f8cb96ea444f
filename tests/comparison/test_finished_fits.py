"""An interrupted comparison continues from its file, which is refused if it belongs to other data."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from aucmax.comparison import compare
from aucmax.comparison.data import Splitting, make_comparison_data
from aucmax.comparison.finished_fits import fingerprint


class Counting(ClassifierMixin, BaseEstimator):
    """Ranks by the first column; counts its fits, and is interrupted after a given number of them."""

    fits = 0
    stop_after = np.inf

    def __init__(self, sign=1.0):
        self.sign = sign

    def fit(self, X, y):
        if Counting.fits >= Counting.stop_after:
            raise KeyboardInterrupt
        Counting.fits += 1
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return self.sign * X[:, 0]


@pytest.fixture
def data():
    Counting.fits = 0
    Counting.stop_after = np.inf
    rng = np.random.default_rng(0)
    y = np.arange(80) < 20
    return rng.normal(size=(80, 2)) + y[:, None], y


def strip_times(result):
    plain = result.to_dict()
    for row in plain["rows"]:
        for name in ("fit_seconds", "score_seconds"):
            for suffix in ("", "_low", "_high"):
                del row[name + suffix]
    return plain


def test_an_interrupted_comparison_goes_on(data, tmp_path):
    expected = strip_times(compare(*data, {"a": Counting(), "b": Counting(-1.0)}))
    path = tmp_path / "new" / "fits.jsonl"
    Counting.fits = 0
    Counting.stop_after = 7
    with pytest.raises(KeyboardInterrupt):
        compare(*data, {"a": Counting(), "b": Counting(-1.0)}, resume=path)
    Counting.stop_after = np.inf
    resumed = compare(*data, {"a": Counting(), "b": Counting(-1.0)}, resume=path)
    assert Counting.fits == 10
    assert strip_times(resumed) == expected
    compare(*data, {"a": Counting(), "b": Counting(-1.0)}, resume=path)
    assert Counting.fits == 10


def test_a_line_that_was_cut_off_is_fitted_again(data, tmp_path):
    path = tmp_path / "fits.jsonl"
    expected = strip_times(compare(*data, {"a": Counting()}, resume=path))
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    assert strip_times(compare(*data, {"a": Counting()}, resume=path)) == expected
    assert Counting.fits == 6
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_changed_parameters_are_fitted_again(data, tmp_path):
    path = tmp_path / "fits.jsonl"
    first = compare(*data, {"a": Counting()}, resume=path)
    second = compare(*data, {"a": Counting(-1.0)}, resume=path)
    assert second["a"].auc == pytest.approx(1.0 - first["a"].auc)


@pytest.mark.parametrize(
    "change",
    [
        lambda X, y: (X + 1e-12, y, {}),
        lambda X, y: (X, ~y, {}),
        lambda X, y: (X, y, {"random_state": 1}),
        lambda X, y: (X, y, {"cv": 4}),
        lambda X, y: (X, y, {"sample_weight": np.arange(1.0, 81.0)}),
    ],
    ids=["rows", "labels", "seed", "folds", "weights"],
)
def test_a_file_of_other_data_is_refused_and_kept(data, tmp_path, change):
    path = tmp_path / "fits.jsonl"
    compare(*data, {"a": Counting()}, resume=path)
    before = path.read_bytes()
    X, y, settings = change(*data)
    with pytest.raises(ValueError, match="holds fits of other data, folds or seeds; give the name of a new file"):
        compare(X, y, {"a": Counting()}, resume=path, **settings)
    assert path.read_bytes() == before


def test_any_other_file_is_refused_and_kept(data, tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("chapter one\n")
    with pytest.raises(ValueError, match="not a file of finished fits"):
        compare(*data, {"a": Counting()}, resume=path)
    assert path.read_text() == "chapter one\n"


def test_fingerprints_of_sparse_tables_and_data_frames(data):
    pandas = pytest.importorskip("pandas")
    X, y = data

    def of(table):
        return fingerprint(make_comparison_data(table, y, None, Splitting(5)))

    frame = pandas.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "x", "y")})
    assert of(frame) == of(frame.copy())
    assert of(frame) != of(frame.rename(columns={"a": "c"}))
    assert of(frame) != of(frame.assign(b="x"))
    assert of(sparse.csr_array(X)) == of(sparse.csc_array(X)) != of(sparse.csr_array(2 * X))
