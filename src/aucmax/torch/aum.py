"""AUM: area under the minimum of false positives and false negatives, as a loss.

    Hillman, Hocking. "Optimizing ROC Curves with a Sort-Based Surrogate Loss." JMLR 2023.

With scores in descending order, FP the weight of the negatives before a gap and FN that of the positives after it,

    AUM = sum over gaps (s_r - s_{r+1}) min(FP_r, FN_r)

The lead D = FN - FP falls by w at a row of weight w, from the weight of all positives to minus that of all negatives.
The derivative by the score of a row is clip(D, 0, w), less w for a positive. If the score grows, D is taken before
the rows that it ties with, if it falls, w above D after them. The gradient is the mean of the two.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from aucmax.torch.batch import Batch, checked, from_end, mean_and_variance, shares

ROUNDING = 4.0  # units in the last place of the largest score: scores that differ by less are equal


class AUMLoss(nn.Module):
    """Area under the minimum of false positives and false negatives, over all thresholds, in O(n log n).

    It equals `aucmax.aum.aum` of the labels' error functions at the same scores, is convex in the scores, and zero
    when all positives lead. The gradient is the mean of the left and the right derivative; they differ at ties only.

    AUM is in the unit of the scores: half the scores have half the AUM and the same ranking. What minimises it may
    therefore shrink the scores to nothing instead of ranking better. Set `standardize`, or fix the scale of the
    scores in the model.

    Parameters
    ----------
    standardize : bool
        Divide the scores by their standard deviation in the batch (unless they are all equal, up to rounding). The
        loss no longer sees their scale, and is no longer convex.
    rates : bool
        Divide weights by the sum of their class: errors are rates and not counts, and the loss does not grow with
        the batch.

    Examples
    --------
    >>> import torch
    >>> loss = AUMLoss()
    >>> loss(torch.tensor([0.0, 2.0, 1.0, 3.0]), torch.tensor([0, 0, 1, 1]))
    tensor(1.)
    """

    def __init__(self, standardize: bool = False, rates: bool = False) -> None:
        super().__init__()
        self.standardize = standardize
        self.rates = rates

    def forward(self, scores: Tensor, labels: Tensor, weight: Tensor | None = None) -> Tensor:
        """Loss of a batch; arguments and result are as in `PairwiseSquaredLoss.forward`."""
        batch = checked(scores, labels, weight)
        batch = _standardized(batch) if self.standardize else batch
        batch = batch.in_shares() if self.rates else batch
        ordered, order = torch.sort(batch.scores.detach(), descending=True)
        p, q = batch.p[order], batch.q[order]
        nothing = 0 * ordered.sum()  # NaN if a score is not finite
        value = (-ordered.diff() * torch.minimum(q.cumsum(0)[:-1], from_end(p)[1:])).sum() + nothing
        slope = _slope(-ordered, p, p + q) + nothing
        return (value + (slope * batch.steps.gather(0, order)).sum()) * batch.is_mixed

    def extra_repr(self) -> str:
        """What is shown between the brackets."""
        return f"standardize={self.standardize}, rates={self.rates}"


def _standardized(batch: Batch) -> Batch:
    """The scores in units of their standard deviation; those that are equal up to rounding stay as they are.

    Squares are taken in units of the range of the scores, where they neither vanish nor overflow.
    """
    share = shares(batch.p + batch.q)
    counted = batch.scores.detach()[share > 0]
    if not counted.numel():
        return batch
    lowest, highest = counted.aminmax()
    differ = highest - lowest > ROUNDING * torch.finfo(counted.dtype).eps * counted.abs().max()
    unit = torch.where(differ, highest - lowest, 1.0)
    _, variance = mean_and_variance((batch.scores - lowest) / unit, share)
    return batch._replace(scores=batch.scores / unit / torch.where(differ, variance, 1.0).sqrt())


def _slope(thresholds: Tensor, p: Tensor, weight: Tensor) -> Tensor:
    """Mean of the left and the right derivative of AUM by each of the scores, thresholds ascending."""
    lead = p.sum() - pad(weight.cumsum(0), (1, 0))
    before = lead[torch.searchsorted(thresholds, thresholds)]
    after = lead[torch.searchsorted(thresholds, thresholds, right=True)]
    growing, falling = (torch.minimum(part.clamp(min=0), weight) for part in (before, after + weight))
    return (growing + falling) / 2 - p
