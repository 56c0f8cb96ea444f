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


DAMAGES = {  # and what the message has to name
    index_beyond_the_last_column: r"row \d+ .*column index 1000004, but there are 4 columns",
    index_just_beyond_the_last_column: r"row 29 .*column index 4, but there are 4 columns",
    negative_index: r"row \d+ .*column index -3, but there are 4 columns",
    decreasing_indptr: r"row 3 begins at entry \d+ and ends at entry \d+",
    negative_indptr: r"row 1 begins at entry \d+ and ends at entry -1000000",
    indptr_beyond_the_entries: r"row 29 ends at entry 10\d+, but there are \d+ entries",
    indptr_too_long: r"indptr has 32 numbers, but 30 rows need 31",
    indptr_too_short: r"indptr has 30 numbers, but 30 rows need 31",
    indptr_that_begins_late: r"row 0 begins at entry 1 instead of 0",
    data_shorter_than_indices: r"data has shape \(\d+,\), but there are \d+ indices",
    indices_shorter_than_data: r"data has shape \(\d+,\), but there are \d+ indices",
    fractional_indices: r"indices is not a one-dimensional array of integers",
}


def damaged(X, damage, form=sparse.csr_array):
    """A copy of a dense table as a sparse matrix with that damage."""
    matrix = form(X)
    damage(matrix)
    return matrix
