from .comparison import compare as compare
from .estimators.aum import AUMClassifier as AUMClassifier
from .estimators.contingency import ContingencySVMClassifier as ContingencySVMClassifier
from .estimators.kernel import KernelAUCClassifier as KernelAUCClassifier
from .estimators.linear import AUCClassifier as AUCClassifier
from .estimators.linear_cv import AUCClassifierCV as AUCClassifierCV
from .estimators.stacking import AUCStackingClassifier as AUCStackingClassifier
from .estimators.tree import AUCTreeClassifier as AUCTreeClassifier
from .models import explain as explain
from .models import load as load
from .models import save as save
from .tables.table_encoder import TableEncoder as TableEncoder

__version__: str
