"""`EnsembleScorer`: the logits of a forest or of histogram boosting of scikit-learn, to and from JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier

from aucmax.estimators.cross_fit import soft_logit
from aucmax.models.json_arrays import array_from_json, integers_from_json
from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import dense
from aucmax.tables.json_schema import Schema, check_schema

LEAF = -1  # in place of a column
FORESTS = (ExtraTreesClassifier, RandomForestClassifier)
_ARRAYS = ("roots", "column", "threshold", "children", "value")
_SCHEMA: Schema = {"n_features": (float,), "boosted": (bool,), "start": (float,), **dict.fromkeys(_ARRAYS, (list,))}


@dataclass(frozen=True, eq=False)
class EnsembleScorer:
    """The soft logit of the probability that the leaves of all trees add up to.

    Parameters
    ----------
    roots : array of shape (n_trees,)
        First node of each tree.
    column, threshold, children, value : arrays with one entry, or for `children` one row, per node
        A row goes to the first child where its column is at most the threshold; leaves have column -1.
    boosted : bool
        Whether values are log-odds that add up to those of the row, after `start`, or probabilities to be averaged.
    start : float
        Log-odds before the first tree.
    n_features : int
        Number of features.

    Examples
    --------
    >>> forest = ExtraTreesClassifier(5, random_state=0).fit([[0.0], [1.0]], [0, 1])
    >>> EnsembleScorer.from_dict(EnsembleScorer.of(forest).to_dict())(np.array([[0.0], [1.0]])).round(1)
    array([-5.3,  5.3])
    """

    roots: np.ndarray
    column: np.ndarray
    threshold: np.ndarray
    children: np.ndarray
    value: np.ndarray
    boosted: bool
    start: float
    n_features: int

    kind: ClassVar[str] = "ensemble"

    @staticmethod
    def estimators() -> tuple[type, ...]:
        """The estimators that `of` takes: none, only within a stack."""
        return ()

    @classmethod
    def of(cls, estimator: Any) -> EnsembleScorer:
        """The trees of a fitted forest or boosting, of two classes.

        Parameters
        ----------
        estimator : estimator
            A fitted one.
        """
        boosted = isinstance(estimator, HistGradientBoostingClassifier)
        trees = _boosted_trees(estimator) if boosted else [_forest_tree(tree.tree_) for tree in estimator.estimators_]
        roots = np.cumsum([0, *(tree[0].size for tree in trees)])[:-1]
        column, threshold, children, value = (np.concatenate(parts) for parts in zip(*trees, strict=True))
        children = children + np.repeat(roots, [tree[0].size for tree in trees])[:, None]
        start = float(np.ravel(estimator._baseline_prediction)[0]) if boosted else 0.0
        return cls(roots, column, threshold, children, value, boosted, start, estimator.n_features_in_)

    def __call__(self, X: Any) -> np.ndarray:
        """The score of every row."""
        rows = np.ascontiguousarray(dense(X), dtype=float)
        if not self.boosted:
            rows = rows.astype(np.float32).astype(float)  # as forests do
        total = np.full(rows.shape[0], self.start)
        _add_leaves(rows, self.roots, self.column, self.threshold, self.children, self.value, total)
        return soft_logit(expit(total) if self.boosted else total / self.roots.size)

    def to_dict(self) -> dict[str, Any]:
        """The scorer as JSON values."""
        arrays = {name: getattr(self, name).tolist() for name in _ARRAYS}
        return {"n_features": self.n_features, "boosted": self.boosted, "start": self.start, **arrays}

    @classmethod
    def from_dict(cls, content: Any) -> EnsembleScorer:
        """The scorer that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned, as read from a file: not trusted.
        """
        check_schema(content, _SCHEMA, "the scorer")
        column = integers_from_json(content["column"], "column", (None,))
        size = column.size
        roots = integers_from_json(content["roots"], "roots", (None,))
        children = integers_from_json(content["children"], "children", (size, 2))
        threshold = array_from_json(content["threshold"], "threshold", (size,))
        value = array_from_json(content["value"], "value", (size,))
        n_features = content["n_features"]
        if n_features != int(n_features) or not size or column.min() < LEAF or column.max() >= n_features:
            raise ValueError("column must hold indices of features, or -1 for leaves")
        if not roots.size or roots.min() < 0 or roots.max() >= size:
            raise ValueError("roots must hold indices of nodes")
        inner = column != LEAF
        if not ((children[inner] > np.flatnonzero(inner)[:, None]) & (children[inner] < size)).all():
            raise ValueError("children must be nodes after their parent")
        start = float(content["start"])
        return cls(roots, column, threshold, children, value, content["boosted"], start, int(n_features))


def _forest_tree(tree: Any) -> tuple[np.ndarray, ...]:
    """Column, threshold, children and share of positives of every node."""
    column = np.where(tree.children_left < 0, LEAF, tree.feature).astype(np.int64)
    children = np.column_stack([tree.children_left, tree.children_right]).astype(np.int64)
    counts = tree.value[:, 0, :]
    return column, tree.threshold.astype(float), children, counts[:, 1] / counts.sum(axis=1)


def _boosted_trees(estimator: HistGradientBoostingClassifier) -> list[tuple[np.ndarray, ...]]:
    """The same for boosting, with values that are log-odds."""
    all_nodes = [stage[0].nodes for stage in estimator._predictors]
    if any(nodes["is_categorical"].any() for nodes in all_nodes):
        raise TypeError("HistGradientBoostingClassifier with categorical columns cannot be saved as JSON")
    trees: list[tuple[np.ndarray, ...]] = []
    for nodes in all_nodes:
        column = np.where(nodes["is_leaf"] == 1, LEAF, nodes["feature_idx"]).astype(np.int64)
        children = np.column_stack([nodes["left"], nodes["right"]]).astype(np.int64)
        inner = nodes["is_leaf"] == 0
        threshold = np.where(inner, nodes["num_threshold"], 0.0)
        trees.append((column, threshold, children, nodes["value"].astype(float)))
    return trees


@compiled
def _add_leaves(X, roots, column, threshold, children, value, total):
    """Add the values of the leaves of all trees, tree by tree."""
    for root in roots:
        for i in range(X.shape[0]):
            node = root
            for _ in range(column.size):  # a path is shorter than all trees together
                if column[node] == LEAF:
                    break
                node = children[node, 0 if X[i, column[node]] <= threshold[node] else 1]
            total[i] += value[node]
