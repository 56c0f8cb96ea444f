"""Imports that wait until they are needed: modules, and what a package exports."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any


class LazyModule:
    """A module that is imported when one of its attributes is first used.

    Parameters
    ----------
    name : str
        The full name of the module.
    hint : str
        What to do where it is not installed.

    Examples
    --------
    >>> LazyModule("math").floor(2.5)
    2
    """

    def __init__(self, name: str, hint: str = "") -> None:
        self._name = name
        self._hint = hint
        self._module: Any = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            try:
                self._module = importlib.import_module(self._name)
            except ImportError as error:
                raise ImportError(self._hint or str(error)) from None
        value = getattr(self._module, attribute)
        setattr(self, attribute, value)  # the next time Python finds it by itself
        return value


def lazy_exports(package: dict[str, Any], modules: Mapping[str, str]) -> tuple[Callable, Callable]:
    """`__getattr__` and `__dir__` of a package that imports what it exports when it is first used.

    `__dir__` lists what is exported and the submodules that are imported, but nothing that the package itself uses.

    Parameters
    ----------
    package : dict
        The `globals()` of the package.
    modules : mapping of str to str
        The names that it exports, each with the module that defines it.
    """

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        package[name] = getattr(importlib.import_module(modules[name]), name)
        return package[name]

    def names() -> list[str]:
        own = {name for name, value in package.items() if name.startswith("__") or isinstance(value, ModuleType)}
        return sorted(own | set(modules))

    return get, names
