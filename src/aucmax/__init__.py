"""Rank positives above negatives by directly maximising AUC."""

from __future__ import annotations

from aucmax.numerics.lazy_imports import lazy_exports

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

# The command line handles Ctrl-C before anything heavy is imported.
__getattr__, __dir__ = lazy_exports(
    globals(),
    {
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
    },
)
