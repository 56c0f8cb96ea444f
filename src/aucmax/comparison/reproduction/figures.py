"""The figures of the papers: scripts `papers/NAME/figureF.py`, each with a function `main(folder, small)`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def figure_names(papers: str | Path, name: str) -> list[str]:
    """The figures that have a script, as "3.1"."""
    scripts = (Path(papers) / name).glob("figure*.py")
    return sorted(script.stem.removeprefix("figure").replace("_", ".") for script in scripts)


def draw_figure(
    papers: str | Path, name: str, figure: str, *, output: str | Path | None = None, small: bool = False
) -> Path:
    """Draw a figure as PNG and SVG, with its numbers beside it; gives the folder they were written to."""
    script = figure_script(papers, name, figure)
    folder = Path(output or papers) / name
    folder.mkdir(parents=True, exist_ok=True)
    script.main(folder, small=small)
    return folder


def figure_script(papers: str | Path, name: str, figure: str) -> ModuleType:
    """The script of a figure, as a module."""
    available = figure_names(papers, name)
    if figure not in available:
        raise ValueError(f"{name} has no figure {figure!r}; choose one of {available}")
    path = Path(papers) / name / f"figure{figure.replace('.', '_')}.py"
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # needed by dataclasses
    spec.loader.exec_module(module)
    return module
