"""The members of a stack: the default ones, and a fit of any member with its out-of-fold scores."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from aucmax.estimators.cross_fit import CrossFitClassifier, cross_fit, fit_rows, soft_logit
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.numerics.matrix import is_sparse
from aucmax.selection.splits import Fold
from aucmax.validation.inputs import LabeledData

BOOSTING = ("auto", "histogram", "lightgbm", "none")
BOOSTING_ROWS = 500  # rows from which boosting is a member
BOOSTING_FOLDS = 3
LONG = 8000  # rows from which trees gain more from the time that the kernel search would take
ENOUGH_TREES = 50  # trees from which every row is left out of the bootstrap sample of some


class Member(NamedTuple):
    """A classifier, not fitted yet."""

    name: str
    estimator: Any
    own: bool  # whether its own out-of-fold or out-of-bag scores are used, instead of refitting it on each fold


def default_members(table: LabeledData, boosting: str, folds: list[Fold], shuffled: bool, seed: int) -> list[Member]:
    """The kernel ranker, extra trees and, from some size, boosting; `shuffled` says that any split will do."""
    tuning_rows = 2000 if table.y.size >= LONG else 4000
    kernel = KernelAUCClassifier(cv=folds, tuning_rows=tuning_rows, random_state=seed)
    trees = ExtraTreesClassifier(150, bootstrap=True, random_state=seed)
    members = [Member("kernel", kernel, True), Member("trees", trees, shuffled)]
    boosted = _boosting(table, boosting, seed)
    if boosted is not None:
        cv = BOOSTING_FOLDS if shuffled and len(folds) > BOOSTING_FOLDS else folds
        members.append(Member("gradient_boosting", CrossFitClassifier(boosted, cv, random_state=seed), True))
    return members


def _boosting(table: LabeledData, boosting: str, seed: int) -> Any:
    if boosting == "none" or (boosting == "auto" and (is_sparse(table.X) or table.y.size < BOOSTING_ROWS)):
        return None
    leaves, step = (63, 0.1) if table.y.size >= LONG else (31, 0.08)
    if boosting != "lightgbm":
        return HistGradientBoostingClassifier(
            learning_rate=step, max_iter=200, max_leaf_nodes=leaves, early_stopping=False, random_state=seed
        )
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        raise ValueError("boosting='lightgbm' needs the package lightgbm; install it, or use 'histogram'") from None
    settings: dict[str, Any] = {"n_jobs": 1, "verbosity": -1, "random_state": seed}
    return LGBMClassifier(n_estimators=200, num_leaves=leaves, learning_rate=step, **settings)


def fit_member(member: Member, table: LabeledData, folds: list[Fold], weighted: bool) -> tuple[Any, np.ndarray]:
    """The member fitted to all rows, and its out-of-fold scores."""
    model = clone(member.estimator)
    if member.own and not weighted and _has_out_of_bag_scores(model):
        fit_rows(model.set_params(oob_score=True), table, weighted)
        return model, soft_logit(model.oob_decision_function_[:, 1])
    fit_rows(model, table, weighted)
    if member.own and hasattr(model, "oof_scores_"):
        return model, model.oof_scores_
    return model, cross_fit(member.estimator, table, folds, weighted)[1]


def _has_out_of_bag_scores(model: Any) -> bool:
    """Whether it is an ensemble of enough models on bootstrap samples of the rows.

    With weights these are drawn by weight, and heavy rows are in all of them.
    """
    params = model.get_params(deep=False)
    many = params.get("n_estimators", 0) >= ENOUGH_TREES and not params.get("warm_start", False)
    return many and "oob_score" in params and bool(params.get("bootstrap", False))
