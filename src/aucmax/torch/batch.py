"""Validation of the scores, labels and weights of a batch, and sums that the losses share.

The values of labels and weights are checked, which forces a synchronisation on a GPU. Scores are not: NaN and
infinity make loss and gradient NaN, as in PyTorch's own losses, so that a `GradScaler` can detect them and skip the
step.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from aucmax.validation.weights import check_weights

__all__ = ["Batch", "check_batch", "mean_and_variance", "normalized", "reverse_cumsum"]


class Batch(NamedTuple):
    """A validated batch."""

    scores: Tensor
    p: Tensor  # weights of the positives; zero for negatives
    q: Tensor  # weights of the negatives; zero for positives

    def with_centred_scores(self) -> Batch:
        """The batch with scores shifted to mean zero, where floating-point numbers are densest."""
        return self._replace(scores=self.scores - self.scores.detach().sum() / max(self.scores.numel(), 1))

    def with_normalized_weights(self) -> Batch:
        """The batch with the weights of each class divided by their sum."""
        return self._replace(p=normalized(self.p), q=normalized(self.q))

    @property
    def has_both_classes(self) -> Tensor:
        """Whether both classes have a row of positive weight."""
        return self.p.any() & self.q.any()

    @property
    def steps(self) -> Tensor:
        """Zeros that pass gradients on to the scores: the variables of a Taylor polynomial at the scores."""
        return self.scores - self.scores.detach()


def normalized(weight: Tensor) -> Tensor:
    """The weights divided by their sum; zeros if all are zero."""
    total = weight.sum()
    return weight / torch.where(total > 0, total, 1.0)


def mean_and_variance(scores: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Weighted mean and variance; the weights sum to 1."""
    mean = (weight * scores).sum()
    return mean, (weight * (scores - mean) ** 2).sum()


def reverse_cumsum(values: Tensor) -> Tensor:
    """Sums of each value and all after it, accumulated from the end: no subtraction, hence no cancellation."""
    return values.flip(0).cumsum(0).flip(0)


def check_batch(scores: Tensor, labels: Tensor, weight: Tensor | None) -> Batch:
    """Validate the arguments of a loss; scores are returned in at least single precision."""
    scores_1d = _as_1d(scores, "scores")
    if not scores_1d.is_floating_point():
        raise TypeError(f"scores have type {scores.dtype}; pass floating-point numbers, the model's raw output")
    if scores_1d.dtype in (torch.float16, torch.bfloat16):
        scores_1d = scores_1d.float()
    is_pos = _positives(_as_1d(labels, "labels", scores_1d.numel()))
    weights = torch.ones_like(scores_1d) if weight is None else _weights(weight, scores_1d)
    return Batch(scores_1d, weights * is_pos, weights * ~is_pos)


def _as_1d(values: Tensor, name: str, n_rows: int | None = None) -> Tensor:
    """The values as a tensor of shape (n,)."""
    if not isinstance(values, Tensor):
        raise TypeError(f"{name} is a {type(values).__name__}; pass a torch.Tensor")
    if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] != 1):
        raise ValueError(f"{name} has shape {tuple(values.shape)}; pass one number per row, shape (n,) or (n, 1)")
    if n_rows is not None and values.shape[0] != n_rows:
        raise ValueError(f"{name} has {values.shape[0]} rows but scores has {n_rows}; pass one per score")
    return values.reshape(-1)


def _positives(labels: Tensor) -> Tensor:
    """Which labels are 1; the others must be all 0 or all -1."""
    is_pos = labels == 1
    if not ((is_pos | (labels == 0)).all() or (is_pos | (labels == -1)).all()):
        found = labels.unique().tolist()
        shown = f"{found[:5]} and more" if len(found) > 5 else f"{found}"
        raise ValueError(f"labels are {shown}; they must be 0 and 1, -1 and 1, or bool: pass labels == positive")
    return is_pos


def _weights(weight: Tensor, scores: Tensor) -> Tensor:
    """Weights of the type of the scores, without a gradient."""
    weights = _as_1d(weight, "weight", scores.numel()).detach().to(scores.dtype)
    check_weights(weights.double().cpu().numpy(), weights.numel(), "weight")
    return weights
