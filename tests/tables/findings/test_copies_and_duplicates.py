"""AUC103 and AUC105: copies of columns and of rows, compared with counts over all pairs."""

import numpy as np
import pytest

from aucmax.tables import Table, check_table
from aucmax.tables.findings.copies import find_copies
from aucmax.tables.findings.duplicates import find_duplicates, hash_rows
from aucmax.tables.findings.features import Features, matrix_groups

N = 400


def of(X):
    return Features(X, np.arange(len(X)) % 2, matrix_groups(X.shape[1]))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_copies_are_those_of_perfect_correlation(rng):
    """The oracle is the correlation matrix."""
    base = rng.lognormal(3, 2, size=(N, 8))
    X = np.column_stack([base, 2.54 * base[:, 2], 7 - base[:, 5], base[:, 2] + 1e9, base[:, 1] + 1e-3 * base[:, 0]])
    correlated = np.abs(np.corrcoef(X.T)) > 1 - 1e-12
    expected = {tuple(f"column {j + 1}" for j in np.flatnonzero(row)) for row in correlated if row.sum() > 1}
    assert (
        {finding.columns for finding in find_copies(of(X))}
        == expected
        == {
            ("column 3", "column 9", "column 11"),
            ("column 6", "column 10"),
        }
    )


def test_columns_that_differ_in_one_row_are_no_copies(rng):
    """Also if that row is not in the sample that is compared first."""
    x = rng.normal(size=50_000)
    other = x.copy()
    other[-1] += 1e-3
    assert find_copies(of(np.column_stack([x, other, rng.normal(size=50_000)]))) == []


def test_columns_of_few_nonzeros_are_no_copies():
    X = np.zeros((N, 3))
    X[7, :2] = 1.0, 2.0
    X[:, 2] = np.arange(N)
    assert find_copies(of(X)) == []


def test_yes_and_no_are_a_copy_of_ones_and_zeros(rng):
    member = rng.integers(0, 2, N)
    table = {"a": member, "b": np.where(member, "yes", "no"), "c": 1 - member, "x": rng.normal(size=N)}
    (finding,) = check_table(Table(table | {"y": rng.integers(0, 2, N)}), "y")
    assert finding.code == "AUC103" and finding.columns == ("a", "b", "c")


def test_columns_missing_in_the_same_rows_are_no_copies(rng):
    gone = rng.random(N) < 0.3
    a, b = (np.where(gone, np.nan, rng.normal(size=N)) for _ in range(2))
    assert check_table(Table({"a": a, "b": b, "x": rng.normal(size=N), "y": rng.integers(0, 2, N)}), "y") == []


def test_equal_rows_have_equal_hashes_and_others_do_not(rng):
    X = rng.integers(0, 3, size=(500, 4)).astype(float)
    X[X == 0] *= rng.choice([1.0, -1.0], (X == 0).sum())  # -0.0 is 0.0
    hashes = hash_rows(X)
    equal = (X[:, None, :] == X[None, :, :]).all(axis=2)
    np.testing.assert_array_equal(hashes[:, None] == hashes[None, :], equal)


def test_duplicated_rows_are_counted(rng):
    X = np.vstack([rng.normal(size=(N, 3)), np.repeat(rng.normal(size=(1, 3)), 21, axis=0)])
    (finding,) = find_duplicates(of(rng.permutation(X)))
    assert finding.message.startswith("20 of 421 rows (4.75 %)")


def test_few_duplicates_are_not_reported(rng):
    X = rng.normal(size=(N, 3))
    assert find_duplicates(of(np.vstack([X, X[:3]]))) == []


def test_rows_of_few_values_are_equal_at_random(rng):
    assert find_duplicates(of(rng.integers(0, 3, size=(N, 3)).astype(float))) == []
