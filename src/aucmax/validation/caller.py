"""Warnings that name the line of the user's code, however deep in the package they arise."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

PACKAGE = str(Path(__file__).parents[1]) + os.sep


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn, with the innermost line outside the package as the origin."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
