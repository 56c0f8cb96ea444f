"""Sparse matrices whose arrays were damaged after they were made, which SciPy does not notice."""

from scipy import sparse


def index_beyond_the_last_column(X):
    X.indices[5] = X.shape[1] + 10**6


def index_just_beyond_the_last_column(X):
    X.indices[-1] = X.shape[1]


def negative_index(X):
    X.indices[5] = -3


def decreasing_indptr(X):
    X.indptr[3] = X.indptr[6]


def negative_indptr(X):
    X.indptr[2] = -(10**6)


def indptr_beyond_the_entries(X):
    X.indptr[-1] += 10**6


def indptr_too_long(X):
    X.indptr = sparse.hstack([X.indptr, [X.indptr[-1]]]).toarray()[0]


def indptr_too_short(X):
    X.indptr = X.indptr[:-1]


def indptr_that_begins_late(X):
    X.indptr[0] = 1


def data_shorter_than_indices(X):
    X.data = X.data[:-4]


def indices_shorter_than_data(X):
    X.indices = X.indices[:-4]


def fractional_indices(X):
    X.indices = X.indices + 0.5


def indptr_that_ends_with_zero(X):
    X.indptr[-1] = 0


def indptr_that_ends_below_zero(X):
    X.indptr[-1] = -5


DAMAGES = [
    index_beyond_the_last_column,
    index_just_beyond_the_last_column,
    negative_index,
    decreasing_indptr,
    negative_indptr,
    indptr_beyond_the_entries,
    indptr_too_long,
    indptr_too_short,
    indptr_that_begins_late,
    data_shorter_than_indices,
    indices_shorter_than_data,
    fractional_indices,
    indptr_that_ends_with_zero,
    indptr_that_ends_below_zero,
]


def damaged(X, damage, form=sparse.csr_array):
    """A copy of a dense table as a sparse matrix with that damage."""
    matrix = form(X)
    damage(matrix)
    return matrix
