"""scikit-learn's own checks, for every valid combination of loss, penalty, solver and kernel."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from aucmax import (
    AUCClassifier,
    AUCClassifierCV,
    AUCTreeClassifier,
    AUMClassifier,
    ContingencySVMClassifier,
    KernelAUCClassifier,
)
from aucmax.kernels.functions import KERNEL_NAMES
from aucmax.losses import LOSSES
from aucmax.solvers import SOLVERS
from aucmax.solvers.registry import losses_of

PENALTIES = {"l2": {}, "elastic net": {"l1_ratio": 0.5}, "l1": {"l1_ratio": 1.0}, "none": {"alpha": 0.0}}

LINEAR = [
    AUCClassifier(loss=loss, solver=solver, random_state=0, **PENALTIES[penalty])
    for solver, kind in SOLVERS.items()
    for loss in losses_of(kind)
    for penalty in kind.penalties
]
OTHERS = [
    AUCClassifier(),
    *[AUCClassifierCV(loss=loss, cv=3, random_state=0) for loss in LOSSES],
    *[KernelAUCClassifier(kernel, n_components=10, cv=3, random_state=0) for kernel in ("auto", *KERNEL_NAMES)],
    AUMClassifier(random_state=0),
    AUMClassifier(validation_fraction=None),
    AUMClassifier(step_from="validation_auc", random_state=0),
    AUCTreeClassifier(),
    AUCTreeClassifier(max_depth=2, min_samples_leaf=1),
    *[ContingencySVMClassifier(measure) for measure in ("f1", "fbeta", "break_even", "error_rate")],
    *[ContingencySVMClassifier(measure, k=2) for measure in ("precision_at_k", "recall_at_k")],
]


def declared(estimator):
    return {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # tables of a few rows
@parametrize_with_checks([*LINEAR, *OTHERS], expected_failed_checks=declared)
def test_scikit_learn_check(estimator, check):
    check(estimator)
