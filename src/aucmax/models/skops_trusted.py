"""The types that a file of skops may hold of aucmax.

skops refuses to load types that it does not know. Those listed here hold numbers, strings and each other; they run
nothing when they are restored.
"""

from __future__ import annotations

from aucmax.aum.descent import DescentRecord
from aucmax.estimators.aum import AUMClassifier
from aucmax.estimators.base import LinearModel
from aucmax.estimators.contingency import ContingencySVMClassifier
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.estimators.platt_scaling import Calibration
from aucmax.estimators.tree import AUCTreeClassifier, Nodes
from aucmax.kernels.functions import Coordinates
from aucmax.kernels.nystroem import KernelScore, Term
from aucmax.problem.solution import Record, Trace
from aucmax.solvers import SOLVERS
from aucmax.tables.column_encoder import ColumnEncoder
from aucmax.tables.number_format import NumberFormat
from aucmax.tables.table_encoder import TableEncoder
from aucmax.tables.time_format import TimeFormat

_TYPES = (
    *(AUCClassifier, AUCClassifierCV, KernelAUCClassifier),
    *(AUMClassifier, AUCTreeClassifier, ContingencySVMClassifier),
    *(LinearModel, Calibration, Nodes, KernelScore, Term, Coordinates, Trace, Record, DescentRecord),
    *(TableEncoder, ColumnEncoder, NumberFormat, TimeFormat),
    *SOLVERS.values(),
)
#: Names of the types that `skops.io.load(..., trusted=SKOPS_TRUSTED)` needs for estimators of aucmax.
SKOPS_TRUSTED = tuple(f"{kind.__module__}.{kind.__qualname__}" for kind in _TYPES)
