"""Invalid sparse matrices are refused, in every format; the canonical form has sorted columns and no duplicates."""

import numpy as np
import pytest
from malformed_sparse import DAMAGES, damaged
from scipy import sparse

from aucmax.numerics.matrix import dot
from aucmax.numerics.sparse_structure import canonical, check_structure

FORMATS = ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"]


def a_matrix(n=30, dim=4, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, dim))
    X[np.random.default_rng(seed + 1).random(X.shape) < 0.4] = 0.0
    X[-1] = 1.0
    return X


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix])
def test_every_damage_is_noticed(damage, form):
    with pytest.raises(ValueError, match=r"not a valid CSR matrix: .*; build it from"):
        check_structure(damaged(a_matrix(), damage, form))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("form", [sparse.csc_array, sparse.bsr_array])
def test_other_compressed_formats_are_checked_too(damage, form):
    matrix = form(a_matrix(30, 30))
    damage(matrix)
    with pytest.raises(ValueError, match=r"not a valid (CSC|BSR) matrix"):
        check_structure(matrix)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("index", [-1, 30, 10**6])
def test_coordinates_are_checked(axis, index):
    matrix = sparse.coo_array(a_matrix())
    matrix.coords[axis][7] = index
    with pytest.raises(
        ValueError,
        match=r"COO matrix: it has (row|column) indices from .* between 0 and (29|3); build",
    ):
        check_structure(matrix)
    matrix = sparse.coo_array(a_matrix())
    matrix.data = matrix.data[1:]
    with pytest.raises(ValueError, match=r"COO matrix: it has \d+ row indices"):
        check_structure(matrix)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("shape", [(30, 4), (1, 1), (0, 3), (3, 0)])
def test_valid_matrices_pass(name, shape):
    X = np.zeros(shape)
    X[: shape[0] // 2] = 1.0
    np.testing.assert_array_equal(check_structure(sparse.coo_array(X).asformat(name)).toarray(), X)


def test_a_list_of_lists_with_an_index_that_is_too_large_is_refused():
    matrix = sparse.lil_array(a_matrix())
    matrix.rows[2] = [0, 99]
    matrix.data[2] = [1.0, 1.0]
    with pytest.raises(ValueError, match=r"must be <|from 0 to 99, not all"):
        check_structure(matrix)


@pytest.mark.parametrize("kind", [np.int16, np.uint8, np.int64, np.uint64])
def test_indices_of_any_integer_type(kind):
    matrix = sparse.csr_array(a_matrix())
    matrix.indices = matrix.indices.astype(kind)
    np.testing.assert_array_equal(canonical(check_structure(matrix)).toarray(), a_matrix())
    matrix.indices[5] = 100
    with pytest.raises(ValueError, match="not a valid CSR matrix: it has column indices from 0 to 100"):
        check_structure(matrix)


def test_entries_beyond_the_last_row_are_ignored():
    matrix = sparse.csr_array(a_matrix())
    matrix.data = np.append(matrix.data, np.nan)
    matrix.indices = np.append(matrix.indices, 10**6)
    np.testing.assert_array_equal(canonical(check_structure(matrix)).toarray(), a_matrix())


def shuffled(X, rng, split):
    """X with the entries of each row in random order, some of them split into parts that add up exactly."""
    entries = [[] for _ in X]
    for i, j in zip(*np.nonzero(X), strict=True):
        part = np.ldexp(round(X[i, j]), -1) if split and rng.random() < 0.5 else 0.0
        entries[i] += [(j, X[i, j] - part), (j, part)] if part else [(j, X[i, j])]
    for row in entries:
        rng.shuffle(row)
    indices = np.array([j for row in entries for j, _ in row], dtype=np.int32)
    data = np.array([x for row in entries for _, x in row])
    return sparse.csr_array((data, indices, np.cumsum([0, *map(len, entries)])), shape=X.shape)


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("trusts", [False, True])
def test_equal_rows_have_equal_products(split, trusts):
    """Numbers with few bits, so that the parts add up exactly; `trusts`: the matrix says that it is canonical."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        X = np.repeat(np.round(rng.normal(size=(10, 20)) * 64) / 64, 5, axis=0)
        matrix = shuffled(X, rng, split)
        matrix.has_sorted_indices = matrix.has_canonical_format = trusts
        before = [part.copy() for part in (matrix.data, matrix.indices, matrix.indptr)]
        products = dot(canonical(matrix), rng.normal(size=20)).reshape(10, 5)
        assert (products == products[:, :1]).all()
        np.testing.assert_array_equal(canonical(matrix).toarray(), X)
        for part, was in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
            np.testing.assert_array_equal(part, was)


def test_duplicates_add_up_to_the_same_in_any_order():
    rng = np.random.default_rng(0)
    values = rng.normal(size=40) * 10.0 ** rng.integers(-8, 8, size=40)
    rows = np.array([rng.permutation(values) for _ in range(20)])
    matrix = sparse.csr_array((rows.ravel(), np.zeros(800, dtype=int), np.arange(0, 801, 40)), shape=(20, 1))
    assert np.unique(canonical(matrix).toarray()).size == 1


def test_a_valid_matrix_is_not_copied():
    matrix = sparse.csr_array(a_matrix())
    assert np.shares_memory(canonical(matrix).data, matrix.data)
