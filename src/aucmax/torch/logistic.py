"""The pairwise logistic loss: the mean of log(1 + exp(-(s - s'))) over all pairs, in O(n).

    Burges et al. "Learning to Rank using Gradient Descent." ICML 2005.

Value, gradient and products with the Hessian are those of `aucmax.losses.Logistic`, by compiled loops on the CPU in
double precision: only scores and weights, one number per row, leave the device of the model. The backward pass of
`_Value` is `_Gradient`, whose own is a product with the Hessian: first and second derivatives are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from aucmax.losses.logistic import LogisticEvaluation
from aucmax.torch.batch import Batch, check_batch

__all__ = ["PairwiseLogisticLoss"]


class PairwiseLogisticLoss(nn.Module):
    """Mean of log(1 + exp(-(s - s'))) over all pairs of a positive score s and a negative score s'.

    It equals the logistic loss of `AUCClassifier` at the same scores, and takes O(n). First and second derivatives
    are exact.

    Examples
    --------
    >>> import torch
    >>> loss = PairwiseLogisticLoss()
    >>> loss(torch.tensor([2.0, 0.5, 0.0]), torch.tensor([1, 0, 0]))
    tensor(0.1642)
    """

    def forward(self, scores: Tensor, labels: Tensor, weight: Tensor | None = None) -> Tensor:
        """Loss of a batch; arguments and result are as in `PairwiseSquaredLoss.forward`."""
        batch = check_batch(scores, labels, weight).with_normalized_weights()
        if not batch.has_both_classes:
            return batch.scores.sum() * 0.0  # passes on a gradient of zeros
        if not batch.scores.isfinite().all():
            return batch.scores.sum() * torch.nan
        return _Value.apply(batch.scores, _evaluate(batch))


def _evaluate(batch: Batch) -> LogisticEvaluation:
    """The loss of a batch with both classes and finite scores; the sums of the weights are those of doubles."""
    p, q = (_to_numpy(side) for side in (batch.p, batch.q))
    y = np.where(p > 0, 1.0, -1.0)
    return LogisticEvaluation.of(_to_numpy(batch.scores), y, p / p.sum() + q / q.sum())


def _to_numpy(values: Tensor) -> np.ndarray:
    return values.detach().cpu().double().numpy()


class _Value(Function):
    """scores -> loss."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, evaluation: LogisticEvaluation) -> Tensor:
        ctx.save_for_backward(scores)
        ctx.evaluation = evaluation
        return scores.new_tensor(evaluation.value)

    @staticmethod
    def backward(ctx: Any, of_value: Tensor) -> tuple[Tensor, None]:
        (scores,) = ctx.saved_tensors
        return of_value * _Gradient.apply(scores, ctx.evaluation), None


class _Gradient(Function):
    """scores -> gradient of the loss."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, evaluation: LogisticEvaluation) -> Tensor:
        ctx.evaluation = evaluation
        return scores.new_tensor(evaluation.coefficients())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_gradient: Tensor) -> tuple[Tensor, None]:
        return of_gradient.new_tensor(ctx.evaluation.product(_to_numpy(of_gradient))), None
