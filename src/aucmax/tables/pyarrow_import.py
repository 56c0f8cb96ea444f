"""pyarrow, imported when it is first used: arrays, libsvm and npz files need none of it."""

from __future__ import annotations

from typing import Any

from aucmax.numerics.lazy_imports import LazyModule

_HINT = "tables with named columns need pyarrow; from a clone of aucmax: pip install '.[cli]'"

pa: Any = LazyModule("pyarrow", _HINT)
pc: Any = LazyModule("pyarrow.compute", _HINT)
pa_csv: Any = LazyModule("pyarrow.csv", _HINT)
pa_json: Any = LazyModule("pyarrow.json", _HINT)
parquet: Any = LazyModule("pyarrow.parquet", _HINT)
ipc: Any = LazyModule("pyarrow.ipc", _HINT)
