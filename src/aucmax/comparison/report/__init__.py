"""The page of a comparison: one HTML file with an answer, tables and charts, that needs nothing else."""

from aucmax.comparison.report.facts import Costs, ExplainedRow, Importance, ReportFacts
from aucmax.comparison.report.importance import column_importances, explain_rows, with_importances
from aucmax.comparison.report.page import render_report, write_report

__all__ = [
    "Costs",
    "ExplainedRow",
    "Importance",
    "ReportFacts",
    "column_importances",
    "explain_rows",
    "render_report",
    "with_importances",
    "write_report",
]
