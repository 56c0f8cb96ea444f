"""The first pass: how many rows there are, what the columns hold, and which labels."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucmax.scale.engines import Engine, Report
from aucmax.scale.numeric_columns import NumericColumns
from aucmax.scale.partitions import FilePartition, Partition
from aucmax.scale.row_reader import RowReader, located
from aucmax.scale.source import Source
from aucmax.tables.cells import Scalar
from aucmax.tables.column_learning import MixedColumnWarning
from aucmax.tables.column_summary import ColumnSummary, summarize
from aucmax.tables.row_error import RowError
from aucmax.tables.table import Table
from aucmax.tables.table_encoder import TableEncoder
from aucmax.tables.target import choose_classes, count_labels

_MOST_LABELS = 1000  # more are no labels
ANY_WIDTH = 2**31 - 1  # columns, of which a libsvm file has no more


@dataclass(frozen=True, eq=False)
class SourceSummary:
    """What is known of some partitions.

    Parameters
    ----------
    rows : tuple of int
        Number of rows of every partition.
    columns : dict of str to ColumnSummary
        The features; empty for libsvm files.
    labels : Counter
        How often each label occurs.
    largest : int
        The largest index of a libsvm file.
    zero_based : bool
        Whether an index of a libsvm file is 0.
    names : tuple of str
        The features, if they are not encoded.
    """

    rows: tuple[int, ...]
    columns: dict[str, ColumnSummary]
    labels: Counter[Scalar]
    largest: int = 0
    zero_based: bool = False
    names: tuple[str, ...] = ()

    def __add__(self, other: SourceSummary) -> SourceSummary:
        if not (self.n_rows and other.n_rows):  # nothing is known of the columns of a partition without rows
            return replace(self if self.n_rows else other, rows=self.rows + other.rows)
        odd = sorted({*self.columns, *self.names} ^ {*other.columns, *other.names})
        if odd:
            raise ValueError(f"the columns {odd[:20]} are in some partitions and not in others")
        labels = self.labels + other.labels
        if len(labels) > _MOST_LABELS:
            raise ValueError(f"the target has more than {_MOST_LABELS} distinct labels; name another column")
        return SourceSummary(
            self.rows + other.rows,
            {name: summary + other.columns[name] for name, summary in self.columns.items()},
            labels,
            max(self.largest, other.largest),
            self.zero_based or other.zero_based,
            self.names,
        )

    @property
    def starts(self) -> np.ndarray:
        """The number of the first row of every partition."""
        return np.concatenate([[0], np.cumsum(self.rows)[:-1]]).astype(np.int64)

    @property
    def width(self) -> int:
        """Number of columns of a matrix."""
        return self.largest + self.zero_based

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(self.rows)


@dataclass(frozen=True)
class ColumnUse:
    """What the columns are used for, as the user says it.

    Parameters
    ----------
    target, weight, groups : str or None
        The columns of labels, of weights, and of groups that stay in one fold.
    pos_label : optional
        The positive label; the rarer one if not given.
    keep, drop : sequence of str
        As for `TableEncoder`.
    encode : bool
        Whether columns are encoded; if not, all of them are numbers.
    decimal : {"auto", ".", ","}
        As for `TableEncoder`.
    """

    target: str | None = None
    weight: str | None = None
    groups: str | None = None
    pos_label: Any = None
    keep: Sequence[str] = ()
    drop: Sequence[str] = ()
    encode: bool = True
    decimal: str = "auto"


@dataclass(frozen=True)
class _Summarize:
    """The summary of a partition."""

    use: ColumnUse
    chunk_rows: int
    max_categories: int

    def __call__(self, number: int, partition: Partition) -> SourceSummary:
        total: SourceSummary | None = None
        start = 0
        for chunk in partition.chunks(self.chunk_rows):
            with located(partition, start, len(chunk)):
                part = self._of_chunk(chunk)
            start += len(chunk)
            total = part if total is None else total + part
        return SourceSummary((0,), {}, Counter()) if total is None else replace(total, rows=(total.n_rows,))

    def _of_chunk(self, chunk: Table) -> SourceSummary:
        labels = count_labels(chunk, self.use.target)
        if chunk.X is not None:
            return SourceSummary((len(chunk),), {}, labels, *_matrix_layout(chunk))
        for name in (*self.use.keep, *self.use.drop, self.use.weight, self.use.groups):
            if name is not None:
                chunk.column(name)
        features = chunk.drop(self.use.target, self.use.weight, self.use.groups)
        if not self.use.encode:
            names = tuple(name for name in features.names if name not in self.use.drop)
            return SourceSummary((len(chunk),), {}, labels, names=names)
        columns = {name: summarize(values, self.max_categories) for name, values in features.columns.items()}
        return SourceSummary((len(chunk),), columns, labels)


def first_pass(
    source: Source, use: ColumnUse, engine: Engine, chunk_rows: int, seed: int, report: Report | None = None
) -> tuple[Source, SourceSummary, RowReader]:
    """The source, with what is now known of its files, its summary, and how its rows are read."""
    settings = TableEncoder(decimal=use.decimal, keep=tuple(use.keep), drop=tuple(use.drop))
    unread = with_matrix_layout(source)
    summary = engine.map_reduce(unread, _Summarize(use, chunk_rows, settings.max_categories), report)
    if not summary.n_rows:
        raise ValueError(f"{source.name} has no rows")
    classes, rest = choose_classes(summary.labels, use.target, use.pos_label)
    try:
        encoder: Any = _encoder(settings, summary) if summary.columns else None
    except RowError as error:
        number = int(np.searchsorted(summary.starts, error.args[1] - 1, "right")) - 1
        raise ValueError(f"{source.partitions[number].name}: {error.moved(-int(summary.starts[number]))}") from None
    if summary.names:
        encoder = NumericColumns(summary.names)
    width = summary.width if encoder is None else len(encoder.get_feature_names_out())
    reader = RowReader(use.target, use.weight, use.groups, classes, tuple(rest), encoder, width, seed)
    return with_matrix_layout(source, max(summary.width, 1), summary.zero_based), summary, reader


def _matrix_layout(chunk: Table) -> tuple[int, bool]:
    """The largest index of the rows of a matrix, and whether one is 0; libsvm files are read with indices from 0."""
    if chunk.zero_based is None:
        return chunk.X.shape[1], False
    return int(chunk.X.indices.max(initial=0)), bool((chunk.X.indices == 0).any())


def _encoder(encoder: TableEncoder, summary: SourceSummary) -> TableEncoder:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedColumnWarning)  # the note of the column says it
        encoder.fit_summaries(summary.columns)
    encoder.feature_names_in_ = np.array(list(summary.columns), dtype=object)
    return encoder


def with_matrix_layout(source: Source, n_features: int = ANY_WIDTH, zero_based: bool | str = True) -> Source:
    """The source with the number of columns of its libsvm files, each of which may not have the largest index.

    Files whose layout is not known are read once if any index is possible, and twice if the largest is looked for.
    """
    parts = tuple(
        replace(part, n_features=n_features, zero_based=zero_based)
        if isinstance(part, FilePartition) and part.format == "libsvm"
        else part
        for part in source.partitions
    )
    return Source(parts, source.name, source.folder)
