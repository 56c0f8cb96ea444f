"""Models for other systems, as SQL or ONNX."""

from aucmax.models.exports.agreement import Agreement, check_export, check_installed
from aucmax.models.exports.export_error import ExportError
from aucmax.models.exports.export_model import FORMATS, export

__all__ = ["FORMATS", "Agreement", "ExportError", "check_export", "check_installed", "export"]
