"""Display: the plots of a binary classifier in the manner of scikit-learn.

A display holds the numbers of a plot. `from_estimator` and `from_predictions` compute them and draw; `plot` draws
them again, into other axes if given. Curves of several models share axes: pass `ax=first.ax_`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from aucmax.plots.axes import COLOURS, new_axes

__all__ = ["Display"]


class Display(ABC):
    """A plot of the predictions of a binary classifier; subclasses compute and draw it."""

    ax_: Any  # matplotlib axes of the last plot
    figure_: Any  # their figure
    line_: Any  # the curve
    from_predictions: ClassVar[Callable[..., Any]]  # each display has its own: labels and predictions come first

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, pos_label: Any = None, name: str | None = None, **options: Any
    ) -> Any:
        """Draw the predictions of a fitted classifier.

        Parameters
        ----------
        estimator : fitted binary classifier
        X, y : rows and their labels, such as a test set
        pos_label : optional
            The label of the positive class; by default the second of `classes_`.
        name : str, optional
            Label of the curve; by default the name of the estimator's class.
        **options
            The other arguments of `from_predictions`.

        Returns
        -------
        the display
        """
        pos_label = _positive_label(estimator, pos_label)
        predictions = cls._predictions(estimator, X, pos_label)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, predictions, pos_label=pos_label, name=name, **options)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.

        Returns
        -------
        the display
        """
        self.ax_ = new_axes(7, 6.0) if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw()
        self.ax_.spines[["top", "right"]].set_visible(False)
        for text in self.ax_.legend(frameon=False, fontsize="small").get_texts():
            text.set_parse_math(False)  # names are written as they are
        return self

    @abstractmethod
    def _draw(self) -> None:
        """Draw the curve, which becomes `line_`, into `ax_`, and label the axes."""

    @classmethod
    def _predictions(cls, estimator: Any, X: Any, pos_label: Any) -> np.ndarray:
        """Scores of the rows, larger for the positive class: `decision_function`, or else probabilities."""
        if not hasattr(estimator, "decision_function"):
            return probabilities(estimator, X, pos_label)
        scores = np.asarray(estimator.decision_function(X))
        return scores if pos_label == estimator.classes_[1] else -scores

    def _draw_reference(self, label: str, x: Any, y: Any, linestyle: str = ":") -> None:
        """Draw a line to compare with, unless another display has drawn it in the same axes."""
        if label not in {line.get_gid() for line in self.ax_.get_lines()}:
            style = {"color": COLOURS["reference"], "linewidth": 0.8, "linestyle": linestyle}
            self.ax_.plot(x, y, gid=label, label=label, **style)


def probabilities(estimator: Any, X: Any, pos_label: Any) -> np.ndarray:
    """Probabilities of the positive class."""
    if not hasattr(estimator, "predict_proba"):
        text = f"{type(estimator).__name__} has no probabilities"
        raise ValueError(f"{text}; use a classifier with predict_proba, such as AUCClassifierCV")
    return np.asarray(estimator.predict_proba(X))[:, list(estimator.classes_).index(pos_label)]


def _positive_label(estimator: Any, pos_label: Any) -> Any:
    check_is_fitted(estimator)
    classes = list(getattr(estimator, "classes_", ()))
    if len(classes) != 2:
        text = f"{type(estimator).__name__} has {len(classes)} classes"
        raise ValueError(f"{text}; fit a classifier to two classes, or use from_predictions")
    if pos_label is None:
        return classes[1]
    if pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not a class of the estimator; choose one of {classes}")
    return pos_label
