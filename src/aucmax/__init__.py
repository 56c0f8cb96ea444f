"""Rank positives above negatives by directly maximising AUC."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than everything else here
if TYPE_CHECKING:
    from aucmax.comparison import compare
    from aucmax.estimators.aum import AUMClassifier
    from aucmax.estimators.contingency import ContingencySVMClassifier
    from aucmax.estimators.kernel import KernelAUCClassifier
    from aucmax.estimators.linear import AUCClassifier
    from aucmax.estimators.linear_cv import AUCClassifierCV
    from aucmax.estimators.stacking import AUCStackingClassifier
    from aucmax.estimators.tree import AUCTreeClassifier
    from aucmax.models import explain, load, save
    from aucmax.tables.table_encoder import TableEncoder

__version__ = "0.1.0.dev0"

__all__ = [
    "AUCClassifier",
    "AUCClassifierCV",
    "AUCStackingClassifier",
    "AUCTreeClassifier",
    "AUMClassifier",
    "ContingencySVMClassifier",
    "KernelAUCClassifier",
    "TableEncoder",
    "compare",
    "explain",
    "load",
    "save",
]

_MODULES = {
    "AUCClassifier": "aucmax.estimators.linear",
    "AUCClassifierCV": "aucmax.estimators.linear_cv",
    "AUCStackingClassifier": "aucmax.estimators.stacking",
    "AUCTreeClassifier": "aucmax.estimators.tree",
    "AUMClassifier": "aucmax.estimators.aum",
    "ContingencySVMClassifier": "aucmax.estimators.contingency",
    "KernelAUCClassifier": "aucmax.estimators.kernel",
    "TableEncoder": "aucmax.tables.table_encoder",
    "compare": "aucmax.comparison",
    "explain": "aucmax.models",
    "load": "aucmax.models",
    "save": "aucmax.models",
}


def __getattr__(name: str) -> object:
    """Import what is exported when it is first used, so that the command line can handle Ctrl-C before that."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
