"""Sums of passes as bytes and back: arrays, numbers, containers and objects of known classes; no code is ever loaded.

The bytes are an uncompressed npz archive, the arrays and how they are put together as JSON, and a checksum. An object
is stored as the name of its class, one of `CLASSES`, and its fields; one that occurs twice is stored once.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from dataclasses import fields, is_dataclass
from typing import IO, Any

import numpy as np
from scipy import sparse

from aucmax.losses.analytic_sums import BoxMoments
from aucmax.metrics.delong import Interval
from aucmax.numerics.matrix import is_sparse
from aucmax.problem.moments import ClassMoments, Moments
from aucmax.scale.first_pass import SourceSummary
from aucmax.scale.fold_statistics import FoldStatistics
from aucmax.scale.newton_sums import NewtonTerms, VectorBoxMoments
from aucmax.scale.row_reader import NumberedRows
from aucmax.scale.row_sample import RowSample, SampledMoments
from aucmax.scale.score_cells import ScoreCells
from aucmax.scale.several import Several
from aucmax.tables.column_summary import ColumnSummary
from aucmax.tables.number_format import BOOLEAN, NumberFormat, Units
from aucmax.tables.number_summary import NumberFacts, NumberSummary
from aucmax.tables.quantile_sketch import QuantileSketch
from aucmax.tables.time_format import TimeFormat
from aucmax.validation.inputs import LabeledData

_OF_TABLES = (
    SourceSummary,
    ColumnSummary,
    NumberSummary,
    NumberFacts,
    QuantileSketch,
    NumberFormat,
    TimeFormat,
    Units,
)
_OF_ROWS = (NumberedRows, LabeledData, RowSample, SampledMoments, FoldStatistics, Moments, ClassMoments)
_OF_SCORES = (ScoreCells, VectorBoxMoments, BoxMoments, NewtonTerms, Interval, Several)
CLASSES: dict[str, Any] = {kind.__name__: kind for kind in (*_OF_TABLES, *_OF_ROWS, *_OF_SCORES)}
_CONTAINERS: dict[str, Any] = {"tuple": tuple, "list": list, "frozenset": frozenset}
_MAGIC = b"aucmax sums 2\n"
_CHECKSUM = 32  # bytes of the checksum


def as_bytes(value: Any) -> bytes:
    """Any such value as bytes.

    Examples
    --------
    >>> from_bytes(as_bytes({"a": (1.5, np.arange(3)), "b": None}))
    {'a': (1.5, array([0, 1, 2])), 'b': None}
    """
    file = io.BytesIO()
    write_sums(file, value)
    return file.getvalue()


def write_sums(file: IO[bytes], value: Any) -> None:
    """Write any such value, without a copy of all its arrays in memory."""
    writer = _Writer()
    root = writer.encode(value)
    text = json.dumps({"root": root, "objects": writer.objects}).encode()
    arrays = {f"a{k}": array for k, array in enumerate(writer.arrays)}
    file.write(_MAGIC)
    hashed = _HashedFile(file)
    np.savez(hashed, structure=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]
    file.write(hashed.hash.digest())


def from_bytes(content: bytes) -> Any:
    """What `as_bytes` stored; ValueError if the bytes are anything else."""
    stored = memoryview(content)[len(_MAGIC) : -_CHECKSUM]
    if content[: len(_MAGIC)] != _MAGIC or hashlib.sha256(stored).digest() != content[-_CHECKSUM:]:
        raise ValueError("it is damaged, or not a checkpoint of a fit")
    with np.load(io.BytesIO(stored), allow_pickle=False) as archive:
        structure = json.loads(archive["structure"].tobytes())
        reader = _Reader(structure["objects"], archive)
        return reader.decode(structure["root"])


class _HashedFile(io.RawIOBase):
    """A file that is written from start to end, and the hash of what was written."""

    def __init__(self, file: IO[bytes]):
        self.file = file
        self.hash = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, block: Any) -> int:
        self.hash.update(block)
        return self.file.write(block)


class _Writer:
    """From values to JSON, with arrays and objects in lists of their own."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self.objects: list[Any] = []
        self.places: dict[int, Any] = {}
        self.kept: list[Any] = []  # an id is that of one object as long as the object lives

    def encode(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float | str):
            return value if type(value) in (bool, int, str) or value is None else float(value)
        if isinstance(value, np.generic):
            return value.item()
        if value is BOOLEAN:
            return {"boolean": True}
        if isinstance(value, np.ndarray) or type(value).__name__ in CLASSES:
            return self._shared(value)
        if is_sparse(value):
            parts = (value.data, value.indices, value.indptr, tuple(map(int, value.shape)))
            return {"csr": [self.encode(part) for part in parts]}
        if isinstance(value, dict):
            kind = "counter" if isinstance(value, Counter) else "dict"
            return {kind: [[self.encode(key), self.encode(item)] for key, item in value.items()]}
        name = next((name for name, kind in _CONTAINERS.items() if type(value) is kind), None)
        if name is None:
            raise TypeError(f"{type(value).__name__} cannot be stored in a checkpoint")
        return {name: [self.encode(item) for item in value]}

    def _shared(self, value: Any) -> Any:
        """An array or object, by its place in the list."""
        if id(value) not in self.places:
            self.kept.append(value)
            if isinstance(value, np.ndarray):
                self.places[id(value)] = {"array": len(self.arrays)}
                self.arrays.append(value)
            else:
                names = [part.name for part in fields(value) if part.init] if is_dataclass(value) else value._fields
                content = [self.encode(getattr(value, name)) for name in names]
                self.places[id(value)] = {"object": len(self.objects)}
                self.objects.append([type(value).__name__, content])
        return self.places[id(value)]


class _Reader:
    """From JSON and arrays to values."""

    def __init__(self, objects: list[Any], archive: Any):
        self.stored = objects
        self.archive = archive
        self.objects: dict[int, Any] = {}
        self.arrays: dict[int, np.ndarray] = {}

    def decode(self, node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        ((kind, content),) = node.items()
        if kind == "array":
            if content not in self.arrays:
                self.arrays[content] = self.archive[f"a{content}"]
            return self.arrays[content]
        if kind == "object":
            if content not in self.objects:
                name, parts = self.stored[content]
                self.objects[content] = CLASSES[name](*map(self.decode, parts))
            return self.objects[content]
        if kind in ("dict", "counter"):
            made = {self.decode(key): self.decode(item) for key, item in content}
            return Counter(made) if kind == "counter" else made
        if kind == "csr":
            data, indices, indptr, shape = map(self.decode, content)
            return sparse.csr_array((data, indices, indptr), shape=shape)
        return BOOLEAN if kind == "boolean" else _CONTAINERS[kind](map(self.decode, content))
