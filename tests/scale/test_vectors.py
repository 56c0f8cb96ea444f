"""Columns of vectors as Spark writes them to Arrow, without Spark."""

import numpy as np
import pyarrow as pa
import pytest

from aucmax.scale.spark_frames import batch_partition
from aucmax.scale.vectors import VectorColumn

ROWS = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [4.0, 5.0, 6.0], [0.0, 7.0, 0.0]])
KIND = pa.struct(
    [("type", pa.int8()), ("size", pa.int32()), ("indices", pa.list_(pa.int32())), ("values", pa.list_(pa.float64()))]
)


def dense(x):
    return {"type": 1, "size": None, "indices": None, "values": x.tolist()}


def sparse(x):
    return {"type": 0, "size": x.size, "indices": np.flatnonzero(x).tolist(), "values": x[x != 0].tolist()}


KINDS = {
    "dense": [dense] * 4,
    "sparse": [sparse] * 4,
    "both": [dense, sparse, sparse, dense],
}


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("as_array", [True, False, None])
def test_vectors_of_spark_are_rows(kinds, as_array):
    padded = [dense(np.ones(3)), *(kind(x) for kind, x in zip(kinds, ROWS)), dense(np.ones(3))]
    block = pa.table({"f": pa.array(padded, KIND), "y": range(6)}).slice(1, 4)
    table = VectorColumn("f", 3, as_array).table(block)
    is_array = as_array or (as_array is None and sparse not in kinds)
    assert isinstance(table.X, np.ndarray) == is_array
    np.testing.assert_array_equal(table.X if is_array else table.X.toarray(), ROWS)
    assert table.column("y").to_pylist() == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.int64()])
def test_arrays_of_numbers_are_rows(kind):
    block = pa.table({"f": pa.array(ROWS.tolist(), pa.list_(kind))}).slice(1)
    X = VectorColumn("f", 3).table(block).X
    np.testing.assert_array_equal(X, ROWS[1:])
    assert X.flags.writeable  # moments are computed in place


@pytest.mark.parametrize("last", [dense(np.ones(2)), sparse(np.ones(4))], ids=["dense", "sparse"])
def test_vectors_of_another_size_are_refused(last):
    block = pa.table({"f": pa.array([dense(ROWS[0]), sparse(ROWS[1]), last], KIND)})
    with pytest.raises(ValueError, match=r"has [24] numbers in row 3; others have 3"):
        VectorColumn("f", 3).table(block)


@pytest.mark.parametrize("sizes", [[10], [3, 0, 4, 3], [1] * 10, [7, 3], []])
def test_chunks_do_not_depend_on_the_batches(sizes):
    starts = np.cumsum([0, *sizes])
    batches = [pa.record_batch({"a": np.arange(start, start + size)}) for start, size in zip(starts, sizes)]
    chunks = list(batch_partition(iter(batches), 0).chunks(4))
    assert [chunk.column("a").to_pylist() for chunk in chunks] == (
        [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]] if sizes else []
    )


def test_a_row_of_a_later_chunk_is_counted_from_the_first():
    block = pa.record_batch({"f": pa.array([[1.0], [2.0], [3.0], None])})
    with pytest.raises(ValueError, match="Spark partition 5, rows 3 to 4: the vector of row 4 is missing"):
        list(batch_partition([block], 5, VectorColumn("f", 1)).chunks(2))
