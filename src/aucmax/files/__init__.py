"""Tables in: CSV, Parquet, Arrow, libsvm and npz, whole or in chunks, and their columns as numbers."""

from aucmax.files.columns import Columns
from aucmax.files.reading import FORMATS, read, read_chunks
from aucmax.files.table import Table
from aucmax.files.target import split_target

__all__ = ["FORMATS", "Columns", "Table", "read", "read_chunks", "split_target"]
