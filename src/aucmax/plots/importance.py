"""ImportanceDisplay: the columns that matter to a model, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.explanation.result import KINDS
from aucmax.plots.axes import COLOURS, new_axes

__all__ = ["ImportanceDisplay"]


@dataclass(eq=False, kw_only=True)
class ImportanceDisplay:
    """Bars of the importance of columns, made by `from_estimator` or `from_explanation`.

    Attributes
    ----------
    names : list of str
        The columns, the most important first.
    importance : array
        Their importance.
    low, high : arrays
        Limits of the 95 % intervals; NaN if unknown.
    kind : {"weight", "permutation"}
        What importance means, as in `Explanation`.
    ax_, figure_, bars_
        Axes, figure and bars of the last plot.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> display = ImportanceDisplay.from_estimator(AUCClassifier().fit(X, y), X, y, max_columns=5)
    >>> len(display.names), display.ax_.get_xlabel()
    (5, 'standard deviation of what the column adds to the score; lines: 95 % intervals')
    """

    names: list[str]
    importance: np.ndarray
    low: np.ndarray
    high: np.ndarray
    kind: str = "weight"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        max_columns: int = 20,
        ax: Any = None,
    ) -> ImportanceDisplay:
        """Explain a fitted model on rows, and draw the result.

        Parameters
        ----------
        estimator : fitted estimator, pipeline or saved model
        X, y, sample_weight : table, labels and weights
            As in `aucmax.explain`.
        max_columns : int
            Number of columns that are shown.
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.
        """
        explanation = estimator.explain(X, y, sample_weight=sample_weight)
        return cls.from_explanation(explanation, max_columns=max_columns, ax=ax)

    @classmethod
    def from_explanation(cls, explanation: Any, *, max_columns: int = 20, ax: Any = None) -> ImportanceDisplay:
        """Draw an `Explanation`.

        Parameters
        ----------
        explanation : Explanation
        max_columns : int
            Number of columns that are shown.
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.
        """
        columns = explanation.columns[:max_columns]
        limits = [[np.nan if limit is None else limit for limit in (column.low, column.high)] for column in columns]
        low, high = np.array(limits, dtype=float).T
        importance = np.array([column.importance for column in columns])
        names = [column.name for column in columns]
        return cls(names=names, importance=importance, low=low, high=high, kind=explanation.kind).plot(ax)

    def plot(self, ax: Any = None) -> ImportanceDisplay:
        """Draw the bars into the axes, by default those of a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.
        """
        ax = new_axes(len(self.names) // 2 + 2) if ax is None else ax
        positions = np.arange(len(self.names))[::-1]
        self.bars_ = ax.barh(positions, self.importance, color=COLOURS["equivalent"], height=0.7)
        known = np.flatnonzero(np.isfinite(self.low))
        errors = np.array([self.importance[known] - self.low[known], self.high[known] - self.importance[known]])
        if known.size:
            ax.errorbar(
                self.importance[known],
                positions[known],
                xerr=errors,
                fmt="none",
                ecolor=COLOURS["reference"],
                capsize=3,
            )
        ax.axvline(0.0, color=COLOURS["reference"], linewidth=0.8)
        ax.set_yticks(positions, self.names, parse_math=False)
        ax.set_ylim(-0.6, len(self.names) - 0.4)
        ax.set_xlabel(KINDS[self.kind] + ("; lines: 95 % intervals" if known.size else ""))
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        self.ax_ = ax
        self.figure_ = ax.figure
        return self
