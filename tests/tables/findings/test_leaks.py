"""AUC102: columns that know the target, and honest ones that rank well."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from aucmax.tables import Table, check_table
from aucmax.tables.findings.features import FeatureGroup, Features, matrix_groups
from aucmax.tables.findings.leaks import find_leaks


def features(*columns, y):
    X = np.column_stack(columns).astype(float)
    return Features(X, y, matrix_groups(X.shape[1]))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def y(rng):
    return (rng.random(1000) < 0.1).astype(int)


def leaked(found):
    return [name for finding in found for name in finding.columns]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_column_that_separates_the_classes_is_a_leak(rng, y, sign):
    x = rng.normal(size=1000) + 0.5 * y
    assert leaked(find_leaks(features(x, sign * (5 * y + rng.random(1000)), y=y))) == ["column 2"]


def test_a_noisy_leak_is_found(rng, y):
    """Its AUC is 0.98, that of the other column 0.64."""
    leak = rng.normal(size=1000) + 2.9 * y
    assert leaked(find_leaks(features(rng.normal(size=1000) + 0.5 * y, leak, y=y))) == ["column 2"]


def test_two_leaks_do_not_hide_each_other(rng, y):
    x = rng.normal(size=1000) + 0.5 * y
    found = find_leaks(features(x, 5 * y + rng.random(1000), 1e3 * y - rng.random(1000), y=y))
    assert leaked(found) == ["column 2", "column 3"]


def test_a_leak_and_its_copy_are_both_found(rng, y):
    leak = rng.normal(size=1000) + 2.9 * y
    found = find_leaks(features(rng.normal(size=1000) + 0.5 * y, leak, 3 - 2 * leak, y=y))
    assert leaked(found) == ["column 2", "column 3"]


def test_columns_that_rank_equally_well_are_honest(rng, y):
    columns = [rng.normal(size=1000) + 2.6 * y for _ in range(4)]
    assert find_leaks(features(*columns, y=y)) == []
    X, benign = load_breast_cancer(return_X_y=True)
    assert find_leaks(Features(X, 1 - benign, matrix_groups(X.shape[1]))) == []


def test_a_few_positives_and_many_columns_are_no_leak():
    """With 4 positives, some of 2,000 random columns rank them almost perfectly."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2000))
    y = (np.arange(200) < 4).astype(int)
    assert find_leaks(Features(X, y, matrix_groups(2000))) == []


def test_many_rare_categories_are_no_leak(rng, y):
    """Each category has two or three rows: their shares of positives are those of the same rows, and say nothing."""
    codes = rng.integers(0, 400, 1000)
    X = (codes[:, None] == np.arange(400)).astype(float)
    assert find_leaks(Features(X, y, (FeatureGroup("code", 0, 400, True),))) == []


def test_a_huge_number_does_no_harm(rng, y):
    x = rng.normal(size=1000)
    x[3] = 1e308
    assert leaked(find_leaks(features(x, 5 * y + rng.random(1000), y=y))) == ["column 2"]


def test_the_order_of_the_labels_does_not_matter(rng, y):
    table = {"x": rng.normal(size=1000), "leak": 5.5 * y + rng.random(1000)}
    for labels in (y, 1 - y):
        found = check_table(Table(table | {"y": labels}), "y")
        assert [finding.code for finding in found] == ["AUC102"]
