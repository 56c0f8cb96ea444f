"""Reading tables (CSV, Parquet, Arrow, libsvm, npz), all at once or in chunks, and encoding their columns."""

from aucmax.tables.check_table import check_table
from aucmax.tables.findings.finding import CODES, Finding
from aucmax.tables.findings.new_rows import NewRows
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.read_table import FORMATS, read, read_chunks
from aucmax.tables.table import Table
from aucmax.tables.table_encoder import TableEncoder
from aucmax.tables.target import encode_target

__all__ = [
    "CODES",
    "FORMATS",
    "Finding",
    "NewRows",
    "ReadLimits",
    "Table",
    "TableEncoder",
    "check_table",
    "encode_target",
    "read",
    "read_chunks",
]
