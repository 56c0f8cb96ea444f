"""Pages of the reference: one for each public module, one for each public class and function."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from public_names import (
    MODULES,
    constant_comment,
    installed_modules,
    is_constant,
    is_record,
    public_names,
    record_fields,
)
from sklearn.base import BaseEstimator

import aucmax
from aucmax.losses import Loss
from aucmax.solvers import Solver

INDEX = """\
Reference
=========

Every public name, from the docstrings; their examples are run with the tests. Estimators follow the conventions of
scikit-learn: what ``fit`` learns ends in an underscore.

.. toctree::
   :maxdepth: 1

   command-line
{modules}

{tables}
"""


def write_reference(folder: Path) -> None:
    """Write the index and the pages of all public names."""
    modules = installed_modules()
    tables = []
    for module in modules:
        names = list(public_names(module))
        write(folder / f"{module}.rst", module_page(module, names))
        tables.append(module_table(module, names))
        for name, value in names:
            if not is_constant(value):
                write(folder / f"{module}.{name}.rst", name_page(f"{module}.{name}", value))
    listed = "\n".join(f"   {module}" for module in modules)
    write(folder / "index.rst", INDEX.format(modules=listed, tables="\n".join(tables)))


def write(path: Path, text: str) -> None:
    """Write a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def title(text: str, line: str = "=") -> str:
    """A heading."""
    return f"{text}\n{line * len(text)}\n\n"


def summary_table(names: list[tuple[str, Any]], prefix: str = "") -> str:
    """The names with the first sentence of their docstrings."""
    rows = "".join(f"   {prefix}{name}\n" for name, value in names if not is_constant(value))
    return f".. autosummary::\n   :nosignatures:\n\n{rows}\n"


def module_table(module: str, names: list[tuple[str, Any]]) -> str:
    """A module in the index of the reference."""
    return title(f"{MODULES[module]}: ``{module}``", "-") + summary_table(names, f"{module}.")


def module_page(module: str, names: list[tuple[str, Any]]) -> str:
    """The docstring of a module, its names, and its constants."""
    pages = "".join(f"   {module}.{name}\n" for name, value in names if not is_constant(value))
    text = title(module) + f".. automodule:: {module}\n   :no-members:\n\n" + summary_table(names)
    text += f".. toctree::\n   :hidden:\n\n{pages}\n"
    for name, value in names:
        if is_constant(value):
            text += f".. py:data:: {module}.{name}\n\n   {constant_comment(name, value)}\n\n"
    return text


def name_page(full_name: str, value: Any) -> str:
    """The page of a class or function, with the examples of the gallery that use it."""
    text = title(full_name) + source_anchor(full_name, value)
    if inspect.isfunction(value):
        text += f".. autofunction:: {full_name}\n\n"
    else:
        kind = "exception" if issubclass(value, Exception) else "class"
        text += f".. auto{kind}:: {full_name}\n\n"
        text += "".join(f"   .. auto{kind}:: {name}\n\n" for name, kind in listed_members(value))
        if is_record(value):
            text += field_list(value)
    return text + f".. minigallery:: {full_name}\n   :add-heading: In the gallery\n\n"


def source_anchor(full_name: str, value: Any) -> str:
    """The anchor to which the page of the source links, if other names of that file are exported by `aucmax`.

    `sphinx.ext.viewcode` knows one public module for each source file.
    """
    exported = {getattr(aucmax, name).__module__ for name in aucmax.__all__}
    if full_name.count(".") == 1 or value.__module__ not in exported:
        return ""
    return f'.. raw:: html\n\n   <span id="aucmax.{value.__name__}"></span>\n\n'


def field_list(record: type) -> str:
    """The fields of a record."""
    rows = "".join(f"   ``{name}``\n      {comment}\n\n" for name, comment in record_fields(record).items())
    return f"   .. rubric:: Fields\n\n{rows}"


def listed_members(kind: type) -> list[tuple[str, str]]:
    """The public methods and properties that aucmax defines, with the directive that documents each.

    Solvers and losses share the methods of `Solver` and `Loss`, which are listed there only.
    """
    if issubclass(kind, (Solver, Loss)) and kind not in (Solver, Loss):
        return []
    found = []
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        if function.__module__.startswith("aucmax") and not overrides_scikit_learn(kind, name):
            found.append((name, "property" if isinstance(member, property) else "method"))
    return found


def overrides_scikit_learn(kind: type, name: str) -> bool:
    """Whether a method is one that every estimator of scikit-learn has, such as `get_params`."""
    return issubclass(kind, BaseEstimator) and hasattr(BaseEstimator, name)
