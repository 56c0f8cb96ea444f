"""pyarrow, imported when it is first used: arrays, libsvm and npz files need none of it."""

from __future__ import annotations

import importlib
from typing import Any


class _LazyModule:
    """A module that is imported at the first use; unlike `lazy_loader.load`, also a submodule, with our own hint."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        try:
            value = getattr(importlib.import_module(self._name), attribute)
        except ImportError:
            hint = "tables with named columns need pyarrow; from a clone of aucmax: pip install '.[cli]'"
            raise ImportError(hint) from None
        setattr(self, attribute, value)  # the next time Python finds the attribute itself
        return value


pa: Any = _LazyModule("pyarrow")
pc: Any = _LazyModule("pyarrow.compute")
pa_csv: Any = _LazyModule("pyarrow.csv")
pa_json: Any = _LazyModule("pyarrow.json")
parquet: Any = _LazyModule("pyarrow.parquet")
ipc: Any = _LazyModule("pyarrow.ipc")
