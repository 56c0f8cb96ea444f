"""Axes of new figures, and the colours of verdicts."""

from __future__ import annotations

from typing import Any

__all__ = ["COLOURS", "new_axes"]

COLOURS = {"reference": "#404040", "better": "#1a7f37", "tie": "#3465a4", "worse": "#b3261e"}


def new_axes(n_lines: int = 5) -> Any:
    """Axes of a new figure without a window, tall enough for `n_lines` lines."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        message = "plots need matplotlib; install it with: pip install '.[plot]'"
        raise ModuleNotFoundError(message) from None
    return Figure(figsize=(8.0, 1.4 + 0.55 * n_lines), layout="constrained").subplots()
