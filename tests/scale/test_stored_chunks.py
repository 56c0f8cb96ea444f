"""Chunks that are kept in a file: what is read is what was written."""

import numpy as np
import pytest
from scipy import sparse

from aucmax.numerics.chunked_matrix import Pick
from aucmax.scale.stored_chunks import ArrayFile, StoredChunk, StoredChunks

COLUMNS = {  # by whether bytes hold them, or seem to at first
    "numbers": lambda rng, n: rng.normal(size=n),
    "indicators": lambda rng, n: rng.integers(2, size=n).astype(float),
    "bytes and larger": lambda rng, n: rng.integers(250, 260, n).astype(float),
    "negative": lambda rng, n: -rng.integers(2, size=n).astype(float),
    "halves late": lambda rng, n: np.where(np.arange(n) < n - 1, 1.0, 0.5),
    "not finite": lambda rng, n: rng.choice([0.0, 1.0, np.nan, np.inf], n),
}


@pytest.mark.parametrize("seed", range(20))
def test_chunks_of_all_kinds_of_columns_come_back(seed):
    rng = np.random.default_rng(seed)
    kinds = rng.choice(list(COLUMNS), int(rng.integers(1, 12)))
    chunks = [np.column_stack([COLUMNS[kind](rng, int(n)) for kind in kinds]) for n in rng.integers(1, 700, 3)]
    file = ArrayFile()
    stored = StoredChunks([StoredChunk.of(X, file) for X in chunks])
    assert stored.sizes.tolist() == [len(X) for X in chunks]
    picks = [Pick(0, k, None if k == 1 else rng.permutation(len(X))[:50], None) for k, X in enumerate(chunks)]
    for X, pick, rows in zip(chunks, picks, stored(picks), strict=True):
        np.testing.assert_array_equal(rows, X if pick.rows is None else X[pick.rows])
        assert rows.dtype == float and rows.flags.c_contiguous and rows.flags.writeable


def test_sparse_chunks_come_back():
    X = sparse.random_array((50, 9), density=0.2, format="csr", rng=np.random.default_rng(0))
    stored = StoredChunk.of(X, ArrayFile())
    np.testing.assert_array_equal(stored.rows(None).toarray(), X.toarray())
    np.testing.assert_array_equal(stored.rows(np.array([7, 3])).toarray(), X.toarray()[[7, 3]])


def test_categories_take_a_byte():
    categories = np.eye(4)[np.arange(1000) % 4]
    file = ArrayFile()
    StoredChunk.of(np.column_stack([np.linspace(0.0, 1.0, 1000), categories]), file)
    assert file.write(np.empty(0)).offset == 1000 * (8 + 4)


def test_a_file_that_is_cut_short_ends_in_an_error_and_not_in_a_loop():
    file = ArrayFile()
    stored = file.write(np.ones(1000))
    file._file.truncate(100)
    with pytest.raises(OSError, match="cut short"):
        file.read(stored)
