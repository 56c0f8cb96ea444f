"""pyarrow, imported when it is first used: arrays, libsvm and npz files need none of it."""

from __future__ import annotations

import importlib
from typing import Any


class LazyModule:
    """A module that is imported when one of its attributes is first used.

    Examples
    --------
    >>> LazyModule("pyarrow").int8()
    DataType(int8)
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: Any = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            try:
                self._module = importlib.import_module(self._name)
            except ImportError:
                message = "tables with named columns need pyarrow; from a clone of aucmax: pip install '.[cli]'"
                raise ImportError(message) from None
        return getattr(self._module, attribute)


pa: Any = LazyModule("pyarrow")
pc: Any = LazyModule("pyarrow.compute")
