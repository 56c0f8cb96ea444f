"""Runs a script of the gallery as `python examples/plot_name.py` would, without windows."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt

EXAMPLES = Path(__file__).parents[1] / "examples"


def run_example(name, monkeypatch):
    """The names that the script defines, and the number of figures that it shows."""
    shown = []

    def show():
        shown.extend(plt.get_fignums())
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()
        plt.close("all")

    monkeypatch.setattr(plt, "show", show)
    defined = runpy.run_path(str(EXAMPLES / f"plot_{name}.py"), run_name="__main__")
    return defined, len(shown)
