"""Models for other systems: a Python file without dependencies, SQL, ONNX."""

from aucmax.models.export.agreement import Agreement, check_export, check_installed
from aucmax.models.export.export import FORMATS, export
from aucmax.models.export.model_parts import ExportError

__all__ = ["FORMATS", "Agreement", "ExportError", "check_export", "check_installed", "export"]
