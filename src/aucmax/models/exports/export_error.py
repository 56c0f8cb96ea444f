"""`ExportError`: a model that a format cannot hold."""

from __future__ import annotations


class ExportError(ValueError):
    """A model cannot be written in a format; the message says why."""
