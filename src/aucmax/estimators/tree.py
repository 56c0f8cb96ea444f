"""AUCTreeClassifier: a decision tree whose splits maximise AUC.

    Ferri, Flach, Hernandez-Orallo. "Learning Decision Trees Using the Area Under the ROC Curve." ICML 2002.

Leaves with p_l positive and n_l negative rows, ranked by their share of positive ones, have

    AUC = sum_l p_l (n_l / 2 + sum of n over the leaves below l) / (P M)

on these rows, and no other order of the leaves has a larger one. For the two sides of a split it is 1/2 + D/2, where

    D = |p_1 / P - n_1 / M|

is the distance of Kolmogorov and Smirnov: a column takes one sort and one scan. P and M are those of the node.

Scores are Laplace's (p_l + 1) / (p_l + n_l + 2) and not the shares: a leaf of 6 positive rows out of 6 ranks below
one of 95 out of 100. New rows are ranked better so, those that grew the tree at times a little worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from aucmax.estimators.base import Ranker
from aucmax.estimators.fitted_state import resets_fitted_state
from aucmax.numerics.compiled import compiled
from aucmax.validation.inputs import LabeledData, check_table

LEAF = -1  # in place of a column


class Split(NamedTuple):
    """Column, threshold (rows up to it go left), its room, distance D; the column is LEAF if no split is allowed.

    A threshold that is off by less than its room splits the rows alike.
    """

    column: int
    threshold: float
    room: float
    distance: float


class Nodes(NamedTuple):
    """The nodes of a tree, the root first: column or LEAF, threshold, room, children, weights of both classes."""

    column: np.ndarray
    threshold: np.ndarray
    room: np.ndarray
    children: np.ndarray
    weights: np.ndarray

    @classmethod
    def grown(cls, table: LabeledData, max_depth: float, min_leaf: float) -> Nodes:
        """Split as long as it is allowed and of use."""
        table = table._replace(X=_plain(table.X))
        parts, depths = [np.arange(table.y.size)], [0]
        splits: list[Split] = []
        children: list[tuple[int, int]] = []
        for rows, depth in zip(parts, depths, strict=True):  # both grow on the way
            split = best_split(*table, rows, min_leaf) if depth < max_depth else Split(LEAF, 0.0, 0.0, 0.0)
            splits.append(split)
            children.append((len(parts), len(parts) + 1) if split.column != LEAF else (LEAF, LEAF))
            if split.column != LEAF:
                left = table.X[rows, split.column] <= split.threshold
                parts += [rows[left], rows[~left]]
                depths += [depth + 1, depth + 1]
        weights = [[table.weight[rows[table.y[rows] == sign]].sum() for sign in (-1.0, 1.0)] for rows in parts]
        column, threshold, room, _ = (np.array(part) for part in zip(*splits, strict=True))
        return cls(column, threshold, room, np.array(children), np.array(weights))

    def leaves(self, X: np.ndarray) -> np.ndarray:
        """The node at which every row ends."""
        out = np.empty(X.shape[0], dtype=np.int64)
        _descend(_plain(X), self.column, self.threshold, self.children, out)
        return out


class AUCTreeClassifier(Ranker):
    """Decision tree whose splits maximise AUC: a baseline, for dense tables.

    A tree knows only as many scores as it has leaves, and one deep tree ranks worse than a forest of them. Use it
    to see what a few thresholds can do, and to read them.

    Parameters
    ----------
    max_depth : int or None
        Questions from the root to a leaf, at most; None for no limit.
    min_samples_leaf : float
        Weight that a leaf must have; a row without `sample_weight` counts 1.

    Attributes
    ----------
    classes_ : array of the two labels; the second is the positive one
    nodes_ : Nodes
        Columns, thresholds, children and class weights of all nodes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax.estimators.tree import AUCTreeClassifier
    >>> data = load_breast_cancer(as_frame=True)
    >>> model = AUCTreeClassifier(max_depth=1).fit(data.data, data.target)
    >>> print(model.rules())
    worst perimeter <= 105.95: 0.948 (328 of 345)
    worst perimeter > 105.95: 0.133 (29 of 224)
    """

    def __init__(self, max_depth=None, min_samples_leaf=5):
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf

    @resets_fitted_state
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AUCTreeClassifier:
        """Grow the tree; a weight of k equals k copies of the row."""
        _check_settings(self.max_depth, self.min_samples_leaf)
        table, self.classes_ = check_table(self, X, y, sample_weight, dense=True)
        depth = np.inf if self.max_depth is None else self.max_depth
        self.nodes_ = Nodes.grown(table.weighted(), depth, self.min_samples_leaf)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Laplace's estimate (p + 1) / (p + n + 2) of the leaf, for the negative and the positive label."""
        counts = self._leaf_weights(X) + 1.0
        return counts / counts.sum(axis=1, keepdims=True)

    def decision_function(self, X: Any) -> np.ndarray:
        """Logarithm of the odds in `predict_proba`."""
        negative, positive = self._leaf_weights(X).T + 1.0
        return np.log(positive / negative)

    def rules(self) -> str:
        """The leaves in words, from left to right: questions, score, weight of the positive rows and of all."""
        check_is_fitted(self, "nodes_")
        names = getattr(self, "feature_names_in_", [f"column {j}" for j in range(self.n_features_in_)])
        return "\n".join(_rules(self.nodes_, names))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    def _leaf_weights(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "nodes_")
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C", reset=False)
        return self.nodes_.weights[self.nodes_.leaves(X)]


def _plain(X: np.ndarray) -> np.ndarray:
    """In double precision and writable, so that kernels are compiled once."""
    return np.require(X, np.float64, ["C", "W"])


def _check_settings(max_depth: Any, min_samples_leaf: Any) -> None:
    if max_depth is not None and not (isinstance(max_depth, Integral) and int(max_depth) >= 1):
        raise ValueError(f"max_depth={max_depth!r}; give a whole number of 1 or more, or None for no limit")
    if not (isinstance(min_samples_leaf, Real) and 0 < float(min_samples_leaf) < np.inf):
        raise ValueError(f"min_samples_leaf={min_samples_leaf!r}; give a finite number above zero")


def _rules(nodes: Nodes, names: Any) -> Iterator[str]:
    """One line for every leaf, from left to right."""
    waiting: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while waiting:
        node, questions = waiting.pop()
        if nodes.column[node] == LEAF:
            negative, positive = nodes.weights[node]
            score = (positive + 1.0) / (positive + negative + 2.0)
            yield f"{' and '.join(questions) or 'all rows'}: {score:.3g} ({positive:g} of {positive + negative:g})"
            continue
        left, right = nodes.children[node]
        name, threshold = names[nodes.column[node]], _digits(float(nodes.threshold[node]), nodes.room[node])
        waiting.append((right, (*questions, f"{name} > {threshold}")))
        waiting.append((left, (*questions, f"{name} <= {threshold}")))


def _digits(threshold: float, room: float) -> str:
    """The threshold in as few digits as split the rows alike, but not fewer than four."""
    texts = (f"{threshold:.{digits}g}" for digits in range(4, 17))
    return next((text for text in texts if abs(float(text) - threshold) < room), repr(threshold))


def best_split(X: np.ndarray, y: np.ndarray, weight: np.ndarray, rows: np.ndarray, min_leaf: float) -> Split:
    """The split of these rows with the largest D, both sides of weight `min_leaf` or more; the first of equals."""
    return Split(*_best_split(X, y, weight, rows, min_leaf))


@compiled
def _best_split(X, y, weight, rows, min_leaf):
    P, M = 0.0, 0.0
    for i in rows:
        if y[i] > 0:
            P += weight[i]
        else:
            M += weight[i]
    column, threshold, room, best = LEAF, 0.0, 0.0, 0.0
    if P == 0.0 or M == 0.0:
        return column, threshold, room, best
    values = np.empty(rows.size)
    for j in range(X.shape[1]):
        for k in range(rows.size):
            values[k] = X[rows[k], j]
        order = np.argsort(values)
        p, n = 0.0, 0.0
        for k in range(rows.size - 1):
            i = rows[order[k]]
            if y[i] > 0:
                p += weight[i]
            else:
                n += weight[i]
            below, above = values[order[k]], values[order[k + 1]]
            if below == above or p + n < min_leaf or P + M - p - n < min_leaf:
                continue
            distance = abs(p / P - n / M)
            if distance > best:
                column, best = j, distance
                middle = below + 0.5 * (above - below)
                threshold = middle if middle < above else below
                room = min(threshold - below, above - threshold)
    return column, threshold, room, best


@compiled
def _descend(X, column, threshold, children, out):
    for i in range(out.size):
        node = 0
        while column[node] != LEAF:
            node = children[node, 0 if X[i, column[node]] <= threshold[node] else 1]
        out[i] = node
