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
LARGE_ROWS = 8000  # rows, or
LARGE_CELLS = 600_000  # rows times columns, from which members have settings of large tables
FAST_ROWS = 1000  # rows from which, and
FAST_CELLS = 60_000  # rows times columns, or times 40, below which the kernel would take longer than boosting
LARGE_FOLDS = 3  # of boosting on large tables
SPLIT_ROWS = 5  # rows from which a node of extra trees is split
TRIED_COLUMNS = 20  # extra trees try a third of the columns for a split, but no more than this
MANY_COLUMNS = 40  # columns beyond which boosting has fewer trees
LONGEST_STEP = 0.2
ENOUGH_TREES = 50  # trees from which every row is left out of the bootstrap sample of some


class Boosting(NamedTuple):
    """A setting of histogram boosting."""

    leaves: int  # maximum number per tree
    trees: int
    step: float  # learning rate

    def for_columns(self, count: int) -> Boosting:
        """Fewer trees and longer steps for many columns, to whose number the time of a tree is proportional."""
        share = min(1.0, MANY_COLUMNS / count)
        return Boosting(self.leaves, int(self.trees * share), min(self.step / share**0.5, LONGEST_STEP))


SHALLOW_OR_DEEP = [Boosting(7, 300, 0.06), Boosting(31, 200, 0.08)]
LARGE_SHALLOW_OR_DEEP = [Boosting(7, 300, 0.1), Boosting(63, 200, 0.1)]


class Member(NamedTuple):
    """A classifier, not fitted yet."""

    name: str
    estimator: Any
    own_scores: bool  # whether to use its out-of-fold or out-of-bag scores, instead of refitting it on each fold


def default_members(table: LabeledData, boosting: str, folds: list[Fold], any_split: bool, seed: int) -> list[Member]:
    """The kernel ranker, extra trees and, for tables that are not short, boosting.

    `any_split`: the user has not asked for particular folds, so members may use their own folds or bootstrap samples.
    """
    large = table.y.size >= LARGE_ROWS or np.prod(table.X.shape, dtype=float) >= LARGE_CELLS
    fast = table.y.size >= FAST_ROWS and table.y.size * min(table.X.shape[1], MANY_COLUMNS) < FAST_CELLS
    kernel = _kernel(large, fast).set_params(cv=folds, random_state=seed)
    trees = _extra_trees(100 if large or fast else 150, table.X.shape[1], seed)
    members = [Member("kernel", kernel, True), Member("trees", trees, any_split)]
    too_short = boosting == "auto" and (is_sparse(table.X) or table.y.size < BOOSTING_ROWS)
    if boosting == "none" or too_short:
        return members
    make = _lightgbm if boosting == "lightgbm" else _histogram_boosting
    settings = LARGE_SHALLOW_OR_DEEP if large else SHALLOW_OR_DEEP
    candidates = [make(setting.for_columns(table.X.shape[1]), seed) for setting in settings]
    cv = LARGE_FOLDS if large and any_split and len(folds) > LARGE_FOLDS else folds
    return [*members, Member("gradient_boosting", CrossFitClassifier(candidates, cv, random_state=seed), True)]


def _kernel(large: bool, fast: bool) -> KernelAUCClassifier:
    """The kernel ranker with fewer landmarks, and with fewer rows for tuning where boosting is fast."""
    if fast:
        return KernelAUCClassifier(n_components=200, tuning_rows=1000)
    return KernelAUCClassifier(n_components=300 if large else 500, tuning_rows=2000)


def _extra_trees(count: int, dim: int, seed: int) -> ExtraTreesClassifier:
    """Extra trees whose splits try a third of the columns, at most 20, or the root of their number if larger."""
    tried = int(max(dim**0.5, min(dim / 3, TRIED_COLUMNS)))
    return ExtraTreesClassifier(
        count, min_samples_split=SPLIT_ROWS, max_features=tried, bootstrap=True, random_state=seed
    )


def _histogram_boosting(setting: Boosting, seed: int) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        learning_rate=setting.step,
        max_iter=setting.trees,
        max_leaf_nodes=setting.leaves,
        early_stopping=False,
        random_state=seed,
    )


def _lightgbm(setting: Boosting, seed: int) -> Any:
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        raise ValueError("boosting='lightgbm' needs the package lightgbm; install it, or use 'histogram'") from None
    return LGBMClassifier(
        learning_rate=setting.step,
        n_estimators=setting.trees,
        num_leaves=setting.leaves,
        n_jobs=1,
        verbosity=-1,
        random_state=seed,
    )


def fit_member(member: Member, table: LabeledData, folds: list[Fold], weighted: bool) -> tuple[Any, np.ndarray]:
    """The member fitted to all rows, and its out-of-fold scores."""
    model = clone(member.estimator)
    if member.own_scores and not weighted and _has_out_of_bag_scores(model):  # bags drawn by weight hold heavy rows
        fit_rows(model.set_params(oob_score=True), table, weighted)
        return model, soft_logit(model.oob_decision_function_[:, 1])
    fit_rows(model, table, weighted)
    if member.own_scores and hasattr(model, "oof_scores_"):
        return model, model.oof_scores_
    return model, cross_fit(member.estimator, table, folds, weighted)[1]


def _has_out_of_bag_scores(model: Any) -> bool:
    """Whether the model is an ensemble on so many bootstrap samples that every row is out of a few of them."""
    params = model.get_params(deep=False)
    many = params.get("n_estimators", 0) >= ENOUGH_TREES and not params.get("warm_start", False)
    return many and "oob_score" in params and bool(params.get("bootstrap", False))
