"""Models without two folds: those of a search without one of them, and free of its labels."""

import numpy as np
import pytest

from aucmax.kernels.functions import Coordinates
from aucmax.selection.averaging import average_paths
from aucmax.selection.cross_validation import PathSettings
from aucmax.selection.kernel_search import KernelSearch
from aucmax.selection.splits import is_partition, neighbouring_folds
from aucmax.validation.inputs import LabeledData

N = 120
ALPHAS = [0.01, 0.1, 1.0]
TESTS = np.array_split(np.random.default_rng(1).permutation(N), 4)


def table():
    """Labels that depend on a product of columns, and weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=N) > 0.4, 1.0, -1.0)
    return LabeledData(X, y, rng.uniform(0.5, 2.0, N))


def search(data, tests, landmarks, alphas=ALPHAS):
    """A search whose landmarks are the rows given."""
    every = np.arange(data.y.size)
    folds = [(np.setdiff1d(every, test), test) for test in tests]
    coordinates = dict.fromkeys(["rbf", "laplacian"], Coordinates(np.ones(3)))
    return KernelSearch(data, folds, data.X[landmarks], landmarks, coordinates, PathSettings(alphas, 0.0, False))


def paths(searched, rounds=0):
    return searched.run(["linear", "rbf", "laplacian"], 0.5, rounds, np.random.default_rng(0))


@pytest.mark.parametrize("k", range(4))
def test_scores_of_pairs_of_folds_are_those_of_a_search_without_one_of_them(k):
    data = table()
    found = paths(search(data, TESTS, np.arange(0, N, 2)))
    kept = np.setdiff1d(np.arange(N), TESTS[k])
    others = [j for j in range(4) if j != k]
    tests = [np.searchsorted(kept, TESTS[j][np.argsort(TESTS[j])]) for j in others]
    landmarks = np.flatnonzero(kept % 2 == 0)
    without = paths(search(data.rows(kept), tests, landmarks))
    for one, expected in zip(found, without, strict=True):
        for j, scores in zip(others, expected.path.scores, strict=True):
            np.testing.assert_allclose(one.path.inner[k, j][:, np.argsort(TESTS[j])], scores, atol=1e-8)


def test_scores_of_a_fold_and_of_its_pairs_do_not_depend_on_its_labels():
    data = table()
    flipped = data._replace(y=np.where(np.isin(np.arange(N), TESTS[2]), -data.y, data.y))
    before, after = (paths(search(rows, TESTS, np.arange(0, N, 2), [0.1]), rounds=1) for rows in (data, flipped))
    assert [one.round for one in before][-1] == 1
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(one.path.scores[2], other.path.scores[2], atol=1e-9)
        for j in (0, 1, 3):
            np.testing.assert_allclose(one.path.inner[2, j], other.path.inner[2, j], atol=1e-9)
            assert not np.allclose(one.path.inner[j, 3 - j if j in (0, 3) else 0], 0.0)


def test_weights_of_a_fold_are_those_of_an_average_without_it():
    data = table()
    found = [one.path for one in paths(search(data, TESTS, np.arange(0, N, 2)))]
    averaged = average_paths(data, found).out_of_fold
    for k, test in enumerate(TESTS):
        kept = np.setdiff1d(np.arange(N), test)
        tests = [np.searchsorted(kept, rows) for j, rows in enumerate(TESTS) if j != k]
        without = [one.path for one in paths(search(data.rows(kept), tests, np.flatnonzero(kept % 2 == 0)))]
        weights = average_paths(data.rows(kept), without).weights
        spreads = [np.sqrt(np.cov(path.out_of_fold(N), aweights=data.weight, ddof=0).diagonal()) for path in found]
        best = average_paths(data, found).best
        factors = weights * spreads[best[0]][best[1]] / np.array(spreads)
        expected = sum(factor @ path.scores[k] for factor, path in zip(factors, found, strict=True))
        np.testing.assert_allclose(averaged[test], expected, atol=1e-6)


def test_folds_that_are_no_partition_have_no_pairs():
    data = table()
    found = paths(search(data, TESTS[:3], np.arange(0, N, 2)), rounds=1)
    assert not any(one.path.inner for one in found)
    averaged = average_paths(data, [one.path for one in found]).out_of_fold
    np.testing.assert_array_equal(np.isnan(averaged), np.isin(np.arange(N), TESTS[3]))


@pytest.mark.parametrize("count", range(1, 12))
def test_every_fold_is_in_as_many_pairs_as_any_other(count):
    pairs = neighbouring_folds(count)
    times = np.bincount(np.ravel(pairs).astype(int), minlength=count)
    assert (times == (0 if count < 3 else min(4, count - 1))).all()
    assert len(set(pairs)) == len(pairs) and all(a < b for a, b in pairs)


def test_a_partition_tests_every_row_once_and_trains_on_all_others():
    every = np.arange(N)
    folds = [(np.setdiff1d(every, test), test) for test in TESTS]
    assert is_partition(folds, N)
    assert not is_partition(folds[1:], N)
    assert not is_partition([*folds[1:], folds[1]], N)
    assert not is_partition([(folds[0][0][1:], folds[0][1]), *folds[1:]], N)
    assert not is_partition([(every, TESTS[0]), *folds[1:]], N)
