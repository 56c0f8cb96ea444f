"""The door of the losses: scores, labels and weights of a batch, checked once.

Labels and weights are checked by value, which on a GPU waits for them. Scores are not: NaN and infinity make loss and
gradient NaN, as in PyTorch's own losses, so that a `GradScaler` can see them and skip the step.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Batch(NamedTuple):
    """Scores, and the weight of every row as a positive (zero for negatives) and as a negative."""

    scores: Tensor
    p: Tensor
    q: Tensor

    def centred(self) -> Batch:
        """The same with scores of mean zero, where floating point numbers are densest."""
        return self._replace(scores=self.scores - self.scores.detach().sum() / max(self.scores.numel(), 1))

    def in_shares(self) -> Batch:
        """The same with the weights of either class divided by their sum."""
        return self._replace(p=shares(self.p), q=shares(self.q))

    @property
    def is_mixed(self) -> Tensor:
        """Whether both classes are there."""
        return self.p.any() & self.q.any()

    @property
    def steps(self) -> Tensor:
        """Zeros that pass gradients on to the scores: what a Taylor polynomial at the scores is written in."""
        return self.scores - self.scores.detach()


def shares(weight: Tensor) -> Tensor:
    """The weights divided by their sum; zeros stay zeros."""
    total = weight.sum()
    return weight / torch.where(total > 0, total, 1.0)


def mean_and_variance(scores: Tensor, share: Tensor) -> tuple[Tensor, Tensor]:
    """Of scores that count with these shares."""
    mean = (share * scores).sum()
    return mean, (share * (scores - mean) ** 2).sum()


def from_end(values: Tensor) -> Tensor:
    """Sums of each value and all after it, added up from the end: no digit is lost to a difference."""
    return values.flip(0).cumsum(0).flip(0)


def checked(scores: Tensor, labels: Tensor, weight: Tensor | None) -> Batch:
    """Refuse what no loss can take; return the rest, in single precision at least."""
    column = _column(scores, "scores")
    if not column.is_floating_point():
        raise TypeError(f"scores have type {scores.dtype}; pass floating point numbers, the model's raw output")
    if column.dtype in (torch.float16, torch.bfloat16):
        column = column.float()
    is_pos = _positives(_column(labels, "labels", column.numel()))
    weights = torch.ones_like(column) if weight is None else _weights(weight, column)
    return Batch(column, weights * is_pos, weights * ~is_pos)


def _column(values: Tensor, name: str, n_rows: int | None = None) -> Tensor:
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
    """Weights like the scores, without a gradient."""
    weights = _column(weight, "weight", scores.numel()).detach().to(scores.dtype)
    good = weights.isfinite() & (weights >= 0)
    if not good.all():
        where = int(good.int().argmin())
        raise ValueError(f"weight[{where}] is {weights[where].item():g}; weights must be finite, zero or positive")
    return weights
