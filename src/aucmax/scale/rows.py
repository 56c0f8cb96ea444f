"""`SourceRows`: the rows of a source as a table in chunks, with labels, weights and groups in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.numerics.chunked_matrix import ChunkedMatrix
from aucmax.scale.columns import ColumnUse
from aucmax.scale.encoded_partition import EncodedPartition, RowEncoder
from aucmax.scale.engines import Engine, LocalEngine
from aucmax.scale.first_pass import ChunkFacts, FirstPass, group_codes, learn_encoder, with_matrix_layout
from aucmax.scale.memory import chunk_rows, row_width
from aucmax.scale.progress import PassLog, Progress
from aucmax.scale.source import Source
from aucmax.tables.cells import Scalar
from aucmax.tables.table_encoder import TableEncoder
from aucmax.tables.target import LabelCodes
from aucmax.validation.inputs import BinaryLabels

_SPARSE_BYTES = 12  # of an entry of a CSR matrix


@dataclass(frozen=True, eq=False)
class SourceRows:
    """The rows of a source.

    Parameters
    ----------
    X : ChunkedMatrix
        The encoded features.
    labels : BinaryLabels
    weight, groups : arrays or None
    encoder : TableEncoder, NumericColumns or None
        From columns to features; None for a matrix.
    rest : sequence
        Further labels of the negative class.
    zero_based : bool
        Whether an index of a libsvm file is 0.
    log : PassLog
        Counts the passes.
    """

    X: ChunkedMatrix
    labels: BinaryLabels
    weight: np.ndarray | None
    groups: np.ndarray | None
    encoder: Any
    rest: Sequence[Scalar]
    zero_based: bool
    log: PassLog


def read_rows(
    source: Any,
    use: ColumnUse,
    engine: Engine | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
) -> SourceRows:
    """Read a source twice: to learn what its columns hold and which labels it has, and to encode its rows."""
    source = Source.of(source)
    engine = LocalEngine() if engine is None else engine
    log = PassLog(progress)
    source = with_matrix_layout(source)
    rows = chunk_rows(memory, row_width(source), engine.n_threads)
    facts, sizes = _first_pass(source, use, engine, rows, log)
    codes = LabelCodes.joined(facts.labels)
    pos_label = use.pos_label(codes.labels) if callable(use.pos_label) else use.pos_label
    is_pos, classes, rest = codes.binary(use.target, pos_label)
    encoder = learn_encoder(use, facts, source, np.cumsum([0, *map(sum, sizes[:-1])]))
    width = max(facts.width + facts.zero_based, 1) if encoder is None else len(encoder.get_feature_names_out())
    stored_width = width if facts.stored is None else facts.stored // is_pos.size
    row_encoder = RowEncoder(encoder, width, rows, chunk_rows(memory, stored_width, engine.n_threads, rows))
    partitions = with_matrix_layout(source, width, facts.zero_based).partitions
    encoded = [EncodedPartition(part, row_encoder, read) for part, read in zip(partitions, sizes, strict=True)]
    n_bytes = row_encoder.row_bytes * is_pos.size if facts.stored is None else _SPARSE_BYTES * facts.stored
    with log.watch("encoding", is_pos.size) as report:
        parts, kept_sizes = engine.keep(encoded, n_bytes, report)
    X = ChunkedMatrix(parts, kept_sizes, width, log.watched(engine.run), stored=facts.stored)
    weight = np.concatenate(facts.weights) if facts.weights else None
    groups = group_codes(facts.groups) if facts.groups else None
    return SourceRows(X, BinaryLabels(classes, is_pos), weight, groups, encoder, rest, facts.zero_based, log)


def _first_pass(
    source: Source, use: ColumnUse, engine: Engine, rows: int, log: PassLog
) -> tuple[ChunkFacts, list[list[int]]]:
    """What is known of all rows, and for each partition the number of rows of its chunks."""
    total: ChunkFacts | None = None
    sizes: list[list[int]] = []
    with log.watch("columns and labels") as report:
        for facts in engine.map(source, FirstPass(use, rows, TableEncoder().max_categories), report):
            sizes.append([] if facts is None else facts.sizes)
            if facts is not None:
                total = facts if total is None else total + facts
    if total is None:
        raise ValueError(f"{source.name} has no rows")
    return total, sizes
