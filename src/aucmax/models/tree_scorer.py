"""`TreeScorer`: the log-odds of the leaves of a decision tree, to and from JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aucmax.estimators.tree import LEAF, AUCTreeClassifier, Nodes
from aucmax.models.json_arrays import array_from_json, integers_from_json
from aucmax.numerics.matrix import dense
from aucmax.tables.json_schema import Schema, check_schema

_SCHEMA: Schema = {
    "n_features": (float,),
    "column": (list,),
    "threshold": (list,),
    "children": (list,),
    "weights": (list,),
    "zero": (float,),
}


@dataclass(frozen=True, eq=False)
class TreeScorer:
    """The log-odds of the leaf of a row, minus `zero`.

    Parameters
    ----------
    nodes : Nodes
        The tree.
    n_features : int
        Number of features.
    zero : float
        The log-odds at which the score is zero.

    Examples
    --------
    >>> tree = AUCTreeClassifier(min_samples_leaf=1).fit([[0.0], [1.0]], [0, 1])
    >>> TreeScorer.from_dict(TreeScorer.of(tree).to_dict())(np.array([[0.2], [0.8]])) > 0
    array([False,  True])
    """

    nodes: Nodes
    n_features: int
    zero: float = 0.0

    kind: ClassVar[str] = "tree"

    @staticmethod
    def estimators() -> tuple[type, ...]:
        """The estimators that `of` takes."""
        return (AUCTreeClassifier,)

    @classmethod
    def of(cls, estimator: Any) -> TreeScorer:
        """The tree of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted one.
        """
        return cls(estimator.nodes_, estimator.n_features_in_, float(estimator.zero_))

    def __call__(self, X: Any) -> np.ndarray:
        """The score of every row."""
        return self.nodes.log_odds[self._leaves(X)] - self.zero

    def probabilities(self, X: Any) -> np.ndarray:
        """Laplace estimates of the leaf, for the negative and the positive class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The features.
        """
        counts = self.nodes.weights[self._leaves(X)] + 1.0
        return counts / counts.sum(axis=1, keepdims=True)

    def _leaves(self, X: Any) -> np.ndarray:
        rows = dense(X)
        if not np.isfinite(rows).all():
            raise ValueError("a tree does not support NaN or infinity")
        return self.nodes.leaves(np.ascontiguousarray(rows))

    def to_dict(self) -> dict[str, Any]:
        """The scorer as JSON values."""
        arrays = {name: getattr(self.nodes, name).tolist() for name in ("column", "threshold", "children", "weights")}
        return {"n_features": self.n_features, **arrays, "zero": self.zero}

    @classmethod
    def from_dict(cls, content: Any) -> TreeScorer:
        """The scorer that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned, as read from a file: not trusted.
        """
        check_schema(content, _SCHEMA, "the scorer")
        column = integers_from_json(content["column"], "column", (None,))
        n_nodes = column.size
        children = integers_from_json(content["children"], "children", (n_nodes, 2))
        threshold = array_from_json(content["threshold"], "threshold", (n_nodes,))
        weights = array_from_json(content["weights"], "weights", (n_nodes, 2))
        n_features = content["n_features"]
        if n_features != int(n_features) or not n_nodes or column.min() < LEAF or column.max() >= n_features:
            raise ValueError("column must hold indices of features, or -1 for leaves")
        inner = column != LEAF
        order = np.arange(n_nodes)[inner, None]
        if not ((children[inner] > order) & (children[inner] < n_nodes)).all() or not (weights >= 0).all():
            raise ValueError("children must be nodes after their parent, and weights must not be negative")
        nodes = Nodes(column, threshold, np.zeros(n_nodes), children, weights)
        return cls(nodes, int(n_features), float(content["zero"]))
