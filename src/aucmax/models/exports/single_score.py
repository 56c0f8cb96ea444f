"""The scores that exports can write: linear ones, those of kernels and trees, and sums of the first two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from aucmax.kernels.nystroem import KernelScore, Term
from aucmax.models.exports.export_error import ExportError
from aucmax.models.kernel_scorer import KernelScorer
from aucmax.models.linear_scorer import LinearScorer
from aucmax.models.scorer import Scorer
from aucmax.models.stack_scorer import MeanScorer, StackScorer
from aucmax.models.tree_scorer import TreeScorer

SingleScore = LinearScorer | KernelScorer | TreeScorer

_MEMBERS = {"ensemble": "a forest or boosting", "tree": "a tree"}  # in words
_INSTEAD = "score rows with `aucmax score`, or with aucmax.load in Python"


def single_score(scorer: Scorer) -> SingleScore:
    """The score itself, or the sum that a stack of linear models and at most one kernel model is.

    Examples
    --------
    >>> single_score(MeanScorer((LinearScorer([1.0], 0.0), LinearScorer([3.0], 1.0))))
    LinearScorer(coef=array([2.]), intercept=0.5)
    """
    if isinstance(scorer, SingleScore):
        return scorer
    addends = list(_addends(scorer, 1.0))
    _check(scorer.kind, [each for _, each in addends])
    coef = np.zeros(scorer.n_features)
    intercept = 0.0
    for factor, each in addends:
        if isinstance(each, LinearScorer):
            coef += factor * np.asarray(each.coef)
            intercept += factor * each.intercept
    linear = LinearScorer(coef, intercept)
    for factor, each in addends:
        if isinstance(each, KernelScorer):
            return KernelScorer(_kernel_sum(factor, each.score, linear))
    return linear


def _check(kind: str, members: list[Scorer]) -> None:
    """Refuse members that do not add up to one expression."""
    others = {_MEMBERS.get(each.kind, each.kind) for each in members if each.kind not in ("linear", "kernel")}
    if sum(each.kind == "kernel" for each in members) > 1:
        others.add("several kernel models")
    if others:
        name = f"a model of kind {kind!r}, with {' and '.join(sorted(others))} in it,"
        raise ExportError(f"{name} cannot be written as one expression; {_INSTEAD}")


def _addends(scorer: Scorer, factor: float) -> Iterator[tuple[float, Scorer]]:
    """The scores that add up to factor * score, each with its own factor; constants are linear scores."""
    if isinstance(scorer, StackScorer):
        factors = scorer.blend.weights / scorer.blend.scale
        constant = scorer.intercept - float(scorer.blend.center @ factors)
        yield factor, LinearScorer(np.zeros(scorer.n_features), constant)
    elif isinstance(scorer, MeanScorer):
        factors = np.full(len(scorer.members), 1.0 / len(scorer.members))
    else:
        yield factor, scorer
        return
    for each, member in zip(factors.tolist(), scorer.members, strict=True):
        yield from _addends(member, factor * each)


def _kernel_sum(factor: float, score: KernelScore, linear: LinearScorer) -> KernelScore:
    """factor * score + linear."""
    terms = tuple(replace(term, weights=factor * term.weights) for term in score.terms)
    if np.any(linear.coef):
        terms += (Term("linear", np.asarray(linear.coef)),)
    return KernelScore(score.landmarks, terms, factor * score.intercept + linear.intercept)
