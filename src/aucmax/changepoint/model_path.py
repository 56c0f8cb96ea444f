"""The model selection path: which of several models each penalty selects.

For a penalty lambda the selected model k minimises loss_k + lambda complexity_k: a lower envelope of lines, found
with a stack in linear time. A model that is not better than a simpler one is never selected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.numerics.compiled import compiled


class ModelPath(NamedTuple):
    """The selected models, from the most complex one at lambda = 0: each holds from min_lambda to max_lambda."""

    model: np.ndarray  # indices into the arrays of losses and complexities
    min_lambda: np.ndarray  # where each becomes the selected one
    max_lambda: np.ndarray  # where the next simpler one replaces it

    def select(self, penalty: float) -> int:
        """The model that a penalty selects; at the end of an interval the simpler one.

        Parameters
        ----------
        penalty : float
            The penalty for a change, at least 0.
        """
        if not penalty >= 0.0:
            raise ValueError(f"penalty is {penalty}; it must be zero or positive")
        return int(self.model[np.searchsorted(self.min_lambda, penalty, "right") - 1])


def model_selection_path(loss: ArrayLike, complexity: ArrayLike) -> ModelPath:
    """Find the model that each penalty selects.

    Parameters
    ----------
    loss : array
        Finite numbers.
    complexity : array
        Finite numbers, strictly ascending.

    Returns
    -------
    ModelPath

    Examples
    --------
    >>> path = model_selection_path([49, 37, 29, 27], [3, 5, 6, 8])
    >>> path.model, path.min_lambda
    (array([3, 2, 0]), array([0.        , 1.        , 6.66666667]))
    >>> path.select(2.0)
    2
    """
    losses = np.asarray(loss, dtype=float)
    sizes = np.asarray(complexity, dtype=float)
    if losses.ndim != 1 or losses.shape != sizes.shape or losses.size == 0:
        raise ValueError(f"loss has shape {losses.shape}, complexity {sizes.shape}; pass one of each for every model")
    if not (np.isfinite(losses).all() and np.isfinite(sizes).all()):
        raise ValueError("loss and complexity must be finite; leave out models that were not fitted")
    if not (np.diff(sizes) > 0).all():
        raise ValueError("complexity must be in ascending order without repeats; sort the models by it first")
    model = np.empty(losses.size, dtype=np.intp)
    end = np.empty(losses.size)
    count = _lower_envelope(losses, sizes, model, end)
    max_lambda = end[:count][::-1].copy()
    return ModelPath(model[:count][::-1].copy(), np.concatenate(([0.0], max_lambda[:-1])), max_lambda)


@compiled(strict=True)
def _lower_envelope(loss, complexity, model, end):
    """Fill `model` from the simplest on, and `end` with the penalty up to which each is selected; returns the count.

    A new, more complex model beats the last one below their crossing. If that is not below the end of the last one,
    the last one is never selected.
    """
    count = 0
    lowest = np.inf
    for k in range(loss.size):
        if loss[k] >= lowest:
            continue
        lowest = loss[k]
        crossing = np.inf
        while count > 0:
            last = model[count - 1]
            crossing = (loss[last] - loss[k]) / (complexity[k] - complexity[last])
            if crossing < end[count - 1]:
                break
            count -= 1
        model[count] = k
        end[count] = crossing if count > 0 else np.inf
        count += 1
    return count
