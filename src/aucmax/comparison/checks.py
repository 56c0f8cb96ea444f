"""Coded findings on compared models: AUC201 to AUC209, beside those on tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, logit, ndtr
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaseEnsemble, HistGradientBoostingClassifier
from sklearn.pipeline import Pipeline

from aucmax.comparison.result import Comparison, ComparisonRow
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.estimators.platt_scaling import Calibration
from aucmax.estimators.stacking import AUCStackingClassifier
from aucmax.metrics.auc import roc_auc
from aucmax.metrics.cross_validated import corrected_test, holm
from aucmax.metrics.delong import auc_influence
from aucmax.tables.findings.finding import Finding, quoted

__all__ = ["check_groups", "check_models", "with_groups_checked"]

OVERFIT = 0.05  # training AUC minus cross-validated AUC from which on it is worth a word
LEVEL = 0.01  # significance of weak groups
FOLD_LEVEL = 0.001  # significance of disagreeing folds, whose standard errors are rough
SLOPES = (0.8, 1.25)  # of the logits of calibrated probabilities
LINEAR = (AUCClassifierCV, AUCClassifier)
NONLINEAR = (KernelAUCClassifier, AUCStackingClassifier)


def check_models(comparison: Comparison, models: Mapping[str, Any]) -> list[Finding]:
    """What a reader should know of the compared models, given the classifiers by name."""
    rows = {row.name: row for row in comparison.rows}
    findings: list[Finding] = []
    for name, row in rows.items():
        findings += _edge(row)
        findings += _overfit(row, models[name])
        findings += _unconverged(row)
        findings += _miscalibrated(row.name, comparison)
    findings += _disagreeing_folds(comparison)
    findings += _like_logistic(comparison, models)
    if comparison.n_folds > 1:
        findings += _simpler_is_as_good(rows, models, comparison.n_folds)
        findings += _trees_are_better(rows, models, comparison.n_folds)
    return sorted(findings, key=lambda finding: finding.code)


def check_groups(comparison: Comparison, groups: ArrayLike, name: str | None = None) -> list[Finding]:
    """AUC209: groups of rows that the model `name` (by default the best) ranks worse than the rest, with Holm's test.

    Groups with fewer than two rows of a class are left out.
    """
    name = comparison.best if name is None else name
    pooled = comparison.pooled[name]
    scores = pooled.row_means(pooled.placements, comparison.n_rows)
    labels = np.asarray(comparison.labels)
    groups = np.asarray(groups)
    tested = ~np.isnan(scores)
    found = []
    for group in np.unique(groups):
        inside = tested & (groups == group)
        outside = tested & ~inside
        if min(np.bincount(labels[part], minlength=2).min() for part in (inside, outside)) >= 2:
            found.append((group, *_shortfall(labels, scores, inside, outside)))
    p_values = holm([p_value for *_, p_value in found])
    return [
        Finding(
            "AUC209",
            f"{name} ranks the group {quoted(str(group))} with AUC {inner:.3f}, the others with {outer:.3f}",
            "look at this group by itself before the model decides about it",
            models=(name,),
        )
        for (group, inner, outer, _), p_value in zip(found, p_values, strict=True)
        if inner < outer and p_value < LEVEL
    ]


def with_groups_checked(comparison: Comparison, groups: ArrayLike, name: str | None = None) -> Comparison:
    """The comparison with the findings of `check_groups` added to its own."""
    return replace(comparison, findings=(*comparison.findings, *check_groups(comparison, groups, name)))


def _shortfall(
    labels: np.ndarray, scores: np.ndarray, inside: np.ndarray, outside: np.ndarray
) -> tuple[float, float, float]:
    """AUC inside and outside of a group, and the two-sided p-value that they are equal."""
    inner, outer = (roc_auc(labels[part], scores[part]) for part in (inside, outside))
    influences = [auc_influence(labels[part], scores[part]) for part in (inside, outside)]
    error = np.linalg.norm(np.concatenate(influences))
    p_value = 2.0 * ndtr(-abs(inner - outer) / error) if error > 0 else float(inner == outer)
    return inner, outer, float(p_value)


def _last_step(model: Any) -> BaseEstimator:
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def _edge(row: ComparisonRow) -> Iterator[Finding]:
    counts = Counter(row.edges)
    for end, count in counts.items():
        if 2 * count > len(row.aucs):
            advice = f"add {'smaller' if end == 'smallest' else 'larger'} values to alphas"
            message = f"{row.name} chose the {end} alpha of its grid on {count} of {len(row.aucs)} folds"
            yield Finding("AUC201", message, advice, models=(row.name,))


def _overfit(row: ComparisonRow, model: Any) -> Iterator[Finding]:
    """Trees rank their own training rows almost perfectly, which says nothing about new ones: they are left out."""
    if isinstance(_last_step(model), BaseEnsemble | HistGradientBoostingClassifier):
        return
    if row.train_auc > max(row.auc + OVERFIT, row.high):
        message = f"{row.name} has AUC {row.train_auc:.3f} on its training rows, {row.auc:.3f} on new ones"
        yield Finding("AUC202", message, "increase the penalty, or leave out columns", models=(row.name,))


def _unconverged(row: ComparisonRow) -> Iterator[Finding]:
    if not row.converged:
        advice = "give its solver more epochs, scale the columns, or increase the penalty"
        yield Finding("AUC207", f"{row.name} did not converge on every fold", advice, models=(row.name,))


def _miscalibrated(name: str, comparison: Comparison) -> Iterator[Finding]:
    """The slope of a logistic regression on the logits of out-of-fold probabilities is 1 if they are calibrated."""
    probabilities = comparison.probabilities.get(name)
    if probabilities is None:
        return
    tested = np.flatnonzero(~np.isnan(probabilities))
    y = np.where(np.asarray(comparison.labels)[tested], 1.0, -1.0)
    weight = np.ones(y.size) if comparison.weight is None else comparison.weight[tested]
    slope = Calibration.fit(logit(np.clip(probabilities[tested], 1e-6, 1.0 - 1e-6)), y, weight).slope
    if not SLOPES[0] <= slope <= SLOPES[1]:
        how = "too extreme" if slope < 1 else "too cautious"
        message = f"the probabilities of {name} are {how} (calibration slope {slope:.2f})"
        yield Finding("AUC208", message, "calibrate them, as with CalibratedClassifierCV", models=(name,))


def _disagreeing_folds(comparison: Comparison) -> Iterator[Finding]:
    """A chi-squared test that the reference's AUCs of one repeat differ no more than their standard errors."""
    row = comparison[comparison.reference]
    aucs = np.array(row.aucs[: comparison.n_folds])
    errors = np.array(row.errors[: comparison.n_folds])
    variance = float(np.mean(errors**2))  # of all folds: single errors are smaller where the AUC is larger
    if aucs.size < 2 or variance == 0.0:
        return
    p_value = chdtrc(aucs.size - 1, np.sum((aucs - aucs.mean()) ** 2) / variance)
    if p_value < FOLD_LEVEL:
        message = f"the AUCs of the folds, {aucs.min():.3f} to {aucs.max():.3f}, differ more than chance allows"
        advice = "if rows belong together in groups or in time, keep them together in the folds"
        yield Finding("AUC206", message, advice, models=(row.name,))


def _like_logistic(comparison: Comparison, models: Mapping[str, Any]) -> Iterator[Finding]:
    if not comparison.reference.startswith("logistic"):
        return
    for row in comparison.rows:
        if row.verdict == "equivalent" and isinstance(_last_step(models[row.name]), LINEAR + NONLINEAR):
            message = f"{row.name} is equivalent to {comparison.reference}"
            yield Finding("AUC203", message, "prefer the latter: it is better known", models=(row.name,))


def _simpler_is_as_good(rows: dict[str, ComparisonRow], models: Mapping[str, Any], n_folds: int) -> Iterator[Finding]:
    linear = _best_of(LINEAR, rows, models)
    for name, row in rows.items():
        if linear is None or not isinstance(_last_step(models[name]), NONLINEAR):
            continue
        if not _clearly_above(row, linear, n_folds):
            message = f"{name} (AUC {row.auc:.4f}) is not clearly better than {linear.name} ({linear.auc:.4f})"
            yield Finding("AUC204", message, f"prefer {linear.name}: it is simpler", models=(name, linear.name))


def _trees_are_better(rows: dict[str, ComparisonRow], models: Mapping[str, Any], n_folds: int) -> Iterator[Finding]:
    ours = _best_of(LINEAR + NONLINEAR, rows, models)
    trees = _best_of((BaseEnsemble, HistGradientBoostingClassifier), rows, models)
    if ours is not None and trees is not None and _clearly_above(trees, ours, n_folds):
        message = f"{trees.name} (AUC {trees.auc:.4f}) ranks better than {ours.name} ({ours.auc:.4f})"
        yield Finding("AUC205", message, "try AUCStackingClassifier", models=(trees.name, ours.name))


def _best_of(
    kinds: tuple[type, ...], rows: dict[str, ComparisonRow], models: Mapping[str, Any]
) -> ComparisonRow | None:
    fitting = [row for name, row in rows.items() if isinstance(_last_step(models[name]), kinds)]
    return max(fitting, key=lambda row: row.auc, default=None)


def _clearly_above(row: ComparisonRow, other: ComparisonRow, n_folds: int) -> bool:
    """Whether the corrected t statistic of the folds' differences is above 2."""
    return corrected_test(row.aucs, other.aucs, n_train=n_folds - 1, n_test=1).t > 2.0
