"""The first pass over a source: labels, weights and groups of all rows, and what the columns hold."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from aucmax.numerics.matrix import is_sparse
from aucmax.scale.columns import ColumnUse, NumericColumns
from aucmax.scale.partitions import Partition
from aucmax.scale.source import Source
from aucmax.tables.column_learning import MixedColumnWarning
from aucmax.tables.column_summary import ColumnSummary, summarize
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.row_error import RowError
from aucmax.tables.table import Table
from aucmax.tables.table_encoder import TableEncoder
from aucmax.tables.target import LabelCodes
from aucmax.tables.weights import read_weights

ANY_WIDTH = 2**31 - 1  # columns, of which a libsvm file has no more


class ChunkFacts(NamedTuple):
    """What is known of the rows of a chunk or of several."""

    sizes: list[int]  # number of rows of each chunk
    labels: list[LabelCodes]
    weights: list[np.ndarray]  # empty if there are none
    groups: list[Any]  # Arrow arrays with dictionaries; empty if there are none
    columns: dict[str, ColumnSummary]  # the features, if they are encoded
    names: list[tuple[str, ...]]  # of the features of each chunk
    width: int = 0  # number of columns of a matrix; of a libsvm file, its largest index
    zero_based: bool = False  # whether an index of a libsvm file is 0
    stored: int | None = None  # number of stored entries of a sparse matrix

    def __add__(self, other: ChunkFacts) -> ChunkFacts:  # type: ignore[override]
        odd = sorted({*self.names[0]} ^ {*other.names[0]})
        if odd:
            raise ValueError(f"the columns {odd[:20]} are in some partitions and not in others")
        return ChunkFacts(
            self.sizes + other.sizes,
            self.labels + other.labels,
            self.weights + other.weights,
            self.groups + other.groups,
            {name: summary + other.columns[name] for name, summary in self.columns.items()},
            self.names[:1],
            max(self.width, other.width),
            self.zero_based or other.zero_based,
            None if self.stored is None or other.stored is None else self.stored + other.stored,
        )


@dataclass(frozen=True)
class FirstPass:
    """The facts of a partition; None if it has no rows.

    Parameters
    ----------
    use : ColumnUse
    rows : int
        Most rows in a chunk.
    max_categories : int
        How many distinct strings of a column may be categories.
    """

    use: ColumnUse
    rows: int
    max_categories: int

    def __call__(self, partition: Partition) -> ChunkFacts | None:
        """The sum over the chunks."""
        total: ChunkFacts | None = None
        for chunk in located_chunks(partition, self.rows, self._facts):
            total = chunk if total is None else total + chunk
        return total

    def _facts(self, chunk: Table) -> ChunkFacts:
        use = self.use
        for name in (*use.keep, *use.drop, *use.beside_features):
            chunk.column(name)
        labels = [LabelCodes.of(chunk, use.target)]
        weights = [] if use.weight is None else [read_weights(chunk, use.weight)]
        groups = [] if use.groups is None else [_encoded_groups(chunk.column(use.groups))]
        vectors = ([len(chunk)], labels, weights, groups)
        if chunk.X is not None:
            return ChunkFacts(*vectors, {}, [()], *_matrix_layout(chunk))
        features = chunk.drop(use.target, use.weight, use.groups)
        if not use.encode:
            return ChunkFacts(*vectors, {}, [tuple(name for name in features.names if name not in use.drop)])
        columns = {name: summarize(values, self.max_categories) for name, values in features.columns.items()}
        return ChunkFacts(*vectors, columns, [features.names])


def learn_encoder(use: ColumnUse, facts: ChunkFacts, source: Source, starts: np.ndarray) -> Any:
    """The encoder of all columns, or None for a matrix; `starts` are the first rows of the partitions."""
    if not facts.columns:
        return NumericColumns(facts.names[0]) if facts.names[0] else None
    encoder = TableEncoder(decimal=use.decimal, keep=tuple(use.keep), drop=tuple(use.drop))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedColumnWarning)  # the note of the column says it
        try:
            encoder.fit_summaries(facts.columns)
        except RowError as error:
            number = int(np.searchsorted(starts, error.args[1] - 1, "right")) - 1
            moved = error.moved(-int(starts[number]))
            raise ValueError(f"{source.partitions[number].name}: {moved}") from None
    encoder.feature_names_in_ = np.array(list(facts.columns), dtype=object)
    return encoder


def group_codes(groups: Sequence[Any]) -> np.ndarray:
    """A number for each row, the same for all rows of a group; in the order of the groups' names or numbers.

    Rows without a group are one, which comes first.

    Examples
    --------
    >>> group_codes([pa.array([7, None]).dictionary_encode(), pa.array([3, 7]).dictionary_encode()])
    array([2, 0, 1, 2])
    """
    kinds = {group.type.value_type for group in groups}
    if len(kinds) > 1:
        numbers = all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds)
        kind = pa.float64() if numbers else pa.string()
        groups = [group.dictionary_decode().cast(kind).dictionary_encode() for group in groups]
    joined = pa.chunked_array(groups).unify_dictionaries()
    names = joined.chunk(0).dictionary.to_numpy(zero_copy_only=False)
    codes = np.append(np.unique(names, return_inverse=True)[1] + 1, 0)
    return np.concatenate([codes[part.indices.fill_null(names.size).to_numpy()] for part in joined.chunks])


def _encoded_groups(column: Any) -> Any:
    joined = column.combine_chunks()
    return joined if pa.types.is_dictionary(joined.type) else joined.dictionary_encode()


def _matrix_layout(chunk: Table) -> tuple[int, bool, int | None]:
    """Width, whether an index is 0, and the stored entries; libsvm files are read with indices from 0."""
    stored = chunk.X.nnz if is_sparse(chunk.X) else None
    if chunk.zero_based is None:
        return chunk.X.shape[1], False, stored
    return int(chunk.X.indices.max(initial=0)), bool((chunk.X.indices == 0).any()), stored


def with_matrix_layout(source: Source, n_features: int = ANY_WIDTH, zero_based: bool | str = True) -> Source:
    """The source with the number of columns of its libsvm files, each of which may not have the largest index.

    Files whose layout is not known are read once if any index is possible, and twice if the largest is looked for.
    """
    layout = {"n_features": n_features, "zero_based": zero_based}
    parts = [replace(part, layout=layout) if part.layout else part for part in source.partitions]
    return replace(source, partitions=tuple(parts))


def located_chunks(partition: Partition, rows: int, function: Any, columns: Any = None) -> Iterator[Any]:
    """A function of each chunk of a partition, whose errors name the partition and the rows."""
    start = 0
    for chunk in partition.chunks(rows, columns):
        with located(partition.name, start, len(chunk)):
            result = function(chunk)
        yield result
        start += len(chunk)


@contextmanager
def located(name: str, start: int, rows: int) -> Iterator[None]:
    """Name a partition and its rows in an error about them; a row is counted from the first of the partition."""
    try:
        yield
    except ValueError as error:
        reason = error.moved(start) if isinstance(error, RowError) else error
        raise ValueError(f"{name}, rows {start + 1} to {start + rows}: {reason}") from None
