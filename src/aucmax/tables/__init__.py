"""Reading tables (CSV, Parquet, Arrow, libsvm, npz), all at once or in chunks, and encoding their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aucmax.numerics.lazy_imports import lazy_exports

if TYPE_CHECKING:
    from aucmax.tables.findings.finding import CODES, Finding
    from aucmax.tables.findings.new_rows import NewRows
    from aucmax.tables.read_limits import ReadLimits
    from aucmax.tables.read_table import FORMATS, read, read_chunks
    from aucmax.tables.table import Table
    from aucmax.tables.table_encoder import TableEncoder
    from aucmax.tables.table_findings import check_table
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

__getattr__, __dir__ = lazy_exports(
    globals(),
    {
        "CODES": "aucmax.tables.findings.finding",
        "FORMATS": "aucmax.tables.read_table",
        "Finding": "aucmax.tables.findings.finding",
        "NewRows": "aucmax.tables.findings.new_rows",
        "ReadLimits": "aucmax.tables.read_limits",
        "Table": "aucmax.tables.table",
        "TableEncoder": "aucmax.tables.table_encoder",
        "check_table": "aucmax.tables.table_findings",
        "encode_target": "aucmax.tables.target",
        "read": "aucmax.tables.read_table",
        "read_chunks": "aucmax.tables.read_table",
    },
)
