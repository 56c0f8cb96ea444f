"""Moments of all folds from contiguous columns against those of the rows of each fold."""

import numpy as np
import pytest

from aucmax.problem import Moments
from aucmax.scale.column_moments import column_moments
from aucmax.tables import Table, TableEncoder


def labelled(n=4000, dim=4, shift=0.0, trend=0.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.2, 1.0, -1.0)
    X = rng.normal(size=(n, dim)) + 0.5 * (y > 0)[:, None] + shift + trend * np.linspace(0, 1, n)[:, None]
    return X, y, rng.integers(5, size=n)


def in_long_double(X, y, weight):
    """Means and scatters of both classes, straight from the definition."""
    for side in (1.0, -1.0):
        rows, sizes = X[y == side].astype(np.longdouble), weight[y == side].astype(np.longdouble)
        mean = sizes @ rows / sizes.sum()
        yield mean, (rows - mean).T @ (sizes[:, None] * (rows - mean))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("shift", "trend"), [(0.0, 0.0), (1e6, 0.0), (0.0, 100.0)])
def test_moments_of_a_fold_are_those_of_its_rows(weighted, shift, trend):
    X, y, fold = labelled(shift=shift, trend=trend)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, y.size) if weighted else np.ones(y.size)
    parts = column_moments(np.asfortranarray(X), y, weight, fold, 5)
    for k, part in enumerate(parts):
        mine = fold == k
        expected = in_long_double(X[mine], y[mine], weight[mine])
        for found, (mean, scatter), side in zip((part.pos, part.neg), expected, (1, -1)):
            assert found.count == np.sum(mine & (y == side))
            assert found.weight == pytest.approx(weight[mine & (y == side)].sum(), rel=1e-12)
            np.testing.assert_allclose(found.mean, mean.astype(float), rtol=1e-13, atol=1e-13)
            # cells near 1e6 are themselves rounded to 1e-10, a thousandth of which is left in a sum of squares
            np.testing.assert_allclose(found.scatter, scatter.astype(float), rtol=1e-9, atol=1e-9 * len(X))


def test_a_fold_without_rows_of_a_class_is_empty():
    X, y, fold = labelled(60)
    fold = np.where(y > 0, 0, fold % 3)
    parts = column_moments(np.asfortranarray(X), y, np.ones(60), fold, 3)
    assert [part.pos.count for part in parts] == [np.sum(y > 0), 0, 0]
    whole = parts[0] + parts[1] + parts[2]
    expected = Moments.of(X, y)
    np.testing.assert_allclose(whole.within, expected.within, rtol=1e-12)
    np.testing.assert_allclose(whole.delta, expected.delta, rtol=1e-12)


def test_nan_and_infinity_are_left_in_the_moments():
    X, y, fold = labelled(100)
    X[7, 2] = np.nan
    parts = column_moments(np.asfortranarray(X), y, np.ones(100), fold, 5)
    assert np.isnan(np.sum([part.delta for part in parts], axis=0)).tolist() == [False, False, True, False]


def test_encoded_columns_are_contiguous_and_the_same():
    cells = {"a": np.arange(9, dtype=np.float32), "b": ["u", "v", "w"] * 3, "c": [1.5, None, 2.0] * 3}
    table = Table(cells)
    encoder = TableEncoder(keep=["a"]).fit(table)
    columns = encoder.encode_columns(table)
    assert columns.flags.f_contiguous
    np.testing.assert_array_equal(columns, encoder.transform(table))
