"""New figures, and the colours of verdicts."""

from __future__ import annotations

from typing import Any

__all__ = ["COLOURS", "new_axes", "new_figure"]

COLOURS = {
    "reference": "#404040",
    "better": "#1a7f37",
    "worse": "#b3261e",
    "equivalent": "#3465a4",
    "undecided": "#9a6700",
}


def new_figure(n_lines: int = 5, width: float = 8.0, *, pyplot: bool = True) -> Any:
    """A new figure, tall enough for `n_lines` lines.

    It becomes pyplot's current figure, so that `plt.savefig` saves it and `plt.show` shows it; without `pyplot` it
    needs neither a display nor a backend for one.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        message = "plots need matplotlib; install it with: pip install '.[plot]'"
        raise ModuleNotFoundError(message) from None
    size = width, 1.4 + 0.55 * n_lines
    if not pyplot:
        return Figure(figsize=size, layout="constrained")
    from matplotlib import pyplot as plt

    return plt.figure(figsize=size, layout="constrained")


def new_axes(n_lines: int = 5, width: float = 8.0) -> Any:
    """Axes of a new figure, which becomes pyplot's current one."""
    return new_figure(n_lines, width).subplots()
