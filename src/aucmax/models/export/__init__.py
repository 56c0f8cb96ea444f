"""Models for other systems: a Python file without dependencies, SQL, ONNX."""

from aucmax.models.export.export import FORMATS, export
from aucmax.models.export.model_parts import ExportError

__all__ = ["FORMATS", "ExportError", "export"]
