"""Tables in: CSV, Parquet, Arrow, libsvm and npz, whole or in chunks, and their columns as numbers."""

from aucmax.tables.columns import Columns
from aucmax.tables.reading import FORMATS, read, read_chunks
from aucmax.tables.table import Table
from aucmax.tables.target import split_target

__all__ = ["FORMATS", "Columns", "Table", "read", "read_chunks", "split_target"]
