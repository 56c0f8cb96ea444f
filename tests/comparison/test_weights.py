"""Mean and deviation of columns, dense and sparse, against NumPy."""

import numpy as np
import pytest
from scipy import sparse

from aucmax.comparison.weights import column_statistics


@pytest.mark.parametrize("make", [np.asfortranarray, sparse.csr_array, sparse.csc_matrix, np.float32])
def test_column_statistics_are_those_of_numpy(make):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(300, 7)), 1) * (rng.random((300, 7)) < 0.4)
    X[:, 3] = 5.0
    table = make(X)
    exact = table.toarray() if sparse.issparse(table) else table.astype(float)
    mean, deviation = column_statistics(table)
    np.testing.assert_allclose(mean, exact.mean(axis=0), atol=1e-14)
    np.testing.assert_allclose(deviation, exact.std(axis=0), atol=1e-14)


def test_a_large_offset_does_not_spoil_the_deviation():
    X = 1e9 + np.random.default_rng(0).normal(size=(1000, 2))
    np.testing.assert_allclose(column_statistics(X)[1], (X - 1e9).std(axis=0), rtol=1e-6)
