"""Row operations: dense = CSR = NumPy, in single and double precision."""

import numpy as np
import pytest
from scipy import sparse

from aucmax.numerics import matrix, rows

FORMS = {
    "dense": lambda X: X,
    "fortran": np.asfortranarray,
    "csr_matrix": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "csc_array": sparse.csc_array,
}


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 7)) * (rng.random((40, 7)) < 0.5)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_equal_numpy(X, form, dtype):
    rng = np.random.default_rng(1)
    w, c = rng.normal(size=7), rng.normal(size=40)
    X = X.astype(dtype)
    exact = X.astype(float)
    np.testing.assert_allclose(matrix.dot(form(X), w), exact @ w, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(matrix.transposed_dot(form(X), c), exact.T @ c, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("columns", [1, 3, 4, 11])
def test_products_with_several_columns_of_some_rows(X, form, columns):
    rng = np.random.default_rng(2)
    W, index = rng.normal(size=(7, columns)), rng.permutation(40)[:9]
    np.testing.assert_allclose(matrix.dot(form(X), W, index), X[index] @ W, rtol=1e-13, atol=1e-13)


def test_row_operations_in_plain_python(X):
    csr = matrix.as_rows(sparse.csr_array(X))
    w, out = np.arange(7.0), np.zeros(7)
    assert rows.row_dot(csr, 3, w) == pytest.approx(X[3] @ w)
    assert rows.row_norm2(csr, 3) == pytest.approx(X[3] @ X[3])
    rows.row_axpy(csr, 3, 2.0, out)
    np.testing.assert_allclose(out, 2 * X[3])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_products_do_not_read_beyond_their_arrays(form):
    X = form(np.ones((4, 3)))
    for product, numbers in (
        (matrix.dot, np.ones(2)),
        (matrix.dot, np.ones((5, 2))),
        (matrix.transposed_dot, np.ones(3)),
    ):
        with pytest.raises(ValueError, match="shapes do not match"):
            product(X, numbers)
