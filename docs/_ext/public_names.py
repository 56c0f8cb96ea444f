"""The public names of aucmax, and what their source says of constants and of the fields of records."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import sys
import textwrap
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import aucmax

# the modules that users import from, in the order of the reference; the last ones need an extra
MODULES = {
    "aucmax": "Estimators and the functions that most users need",
    "aucmax.metrics": "Metrics of a ranking",
    "aucmax.plots": "Plots",
    "aucmax.comparison": "Comparing models",
    "aucmax.tables": "Tables and findings",
    "aucmax.explanation": "Explanations",
    "aucmax.models": "Saved models and exports",
    "aucmax.datasets": "Data sets",
    "aucmax.losses": "Pairwise losses",
    "aucmax.solvers": "Solvers",
    "aucmax.aum": "AUM and its line search",
    "aucmax.changepoint": "Changepoints",
    "aucmax.scale": "Files larger than memory",
    "aucmax.dask": "Dask",
    "aucmax.spark": "Spark",
    "aucmax.river": "river",
    "aucmax.torch": "PyTorch",
}
EXTRAS = {"dask": "distributed", "spark": "pyspark", "river": "river", "torch": "torch"}
# first-level packages whose names are for those who work on aucmax itself
INTERNAL = {
    "cli",
    "estimators",
    "kernels",
    "numerics",
    "penalties",
    "problem",
    "selection",
    "streaming",
    "validation",
}


def installed_modules() -> list[str]:
    """The modules of the reference that exist and whose extra is installed."""
    found = []
    for name in MODULES:
        needed = EXTRAS.get(name.rpartition(".")[2])
        if find_spec(name) is not None and (needed is None or find_spec(needed) is not None):
            found.append(name)
    return found


def first_level() -> set[str]:
    """The packages and modules directly below `aucmax`, without private ones."""
    return {module.name for module in pkgutil.iter_modules(aucmax.__path__) if not module.name.startswith("_")}


def public_names(module: str) -> Iterator[tuple[str, Any]]:
    """The names in `__all__` of a module with what they stand for; what `aucmax` exports too is listed there only."""
    content = importlib.import_module(module)
    exported = set() if module == "aucmax" else {id(getattr(aucmax, name)) for name in aucmax.__all__}
    for name in content.__all__:
        if id(getattr(content, name)) not in exported:
            yield name, getattr(content, name)


def is_constant(value: Any) -> bool:
    """Whether a public name is neither a class nor a function."""
    return not (inspect.isclass(value) or inspect.isfunction(value))


def is_record(value: Any) -> bool:
    """Whether a class is a named tuple or dataclass whose docstring leaves its fields to comments in the source."""
    fields = inspect.isclass(value) and (hasattr(value, "_fields") or dataclasses.is_dataclass(value))
    return fields and "Parameters\n" not in (value.__doc__ or "") and "Attributes\n" not in (value.__doc__ or "")


def constant_comment(name: str, value: Any) -> str:
    """The `#:` comment above a constant, in the module that defines it."""
    for module in [module for key, module in sorted(sys.modules.items()) if key.startswith("aucmax.")]:
        if vars(module).get(name) is not value:
            continue
        lines = inspect.getsource(module).splitlines()
        for number, line in enumerate(lines):
            if line.startswith((f"{name} ", f"{name}:")):
                return comment_above(lines, number, "#:")
    return ""


def record_fields(record: type) -> dict[str, str]:
    """The fields of a record, its bases' first, with the comment beside or above each of them."""
    fields: dict[str, str] = {}
    for kind in reversed(record.__mro__):
        if kind.__module__.startswith("aucmax"):
            fields |= own_fields(kind)
    known = getattr(record, "_fields", None) or [field.name for field in dataclasses.fields(record)]
    return {name: fields.get(name, "") for name in known if not name.startswith("_")}


def own_fields(kind: type) -> dict[str, str]:
    """The annotated names in the body of one class, with their comments."""
    lines = textwrap.dedent(inspect.getsource(kind)).splitlines()
    body = ast.parse("\n".join(lines)).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for statement in body.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            line = statement.end_lineno or statement.lineno
            beside = lines[line - 1].partition("  # ")[2]
            found[statement.target.id] = beside or comment_above(lines, statement.lineno - 1, "#")
    return found


def comment_above(lines: list[str], number: int, mark: str) -> str:
    """The comment that ends just above a line."""
    comment: list[str] = []
    while number > 0 and lines[number - 1].strip().startswith(mark):
        number -= 1
        comment.insert(0, lines[number].strip().removeprefix(mark).strip())
    return " ".join(comment)
