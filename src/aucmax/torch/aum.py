"""AUM, the area under the minimum of false positives and false negatives, as a PyTorch loss.

    Hillman, Hocking. "Optimizing ROC Curves with a Sort-Based Surrogate Loss." JMLR 2023.

With scores in descending order, FP the weight of the negatives before a gap and FN that of the positives after it,

    AUM = sum over gaps (s_r - s_{r+1}) min(FP_r, FN_r)

The difference D = FN - FP decreases by w at a row of weight w, from the weight of all positives to minus that of all
negatives. The derivative with respect to the score of a row is clip(D, 0, w), minus w for a positive: the right
derivative takes D before the rows tied with it, the left one D after them, plus w. The gradient is the mean of the
two (docs/mathematics.md, section 11).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from aucmax.torch.batch import Batch, check_batch, mean_and_variance, normalized, reverse_cumsum
from aucmax.validation.params import Boolean, check_param

__all__ = ["AUMLoss"]

ROUNDING = 4.0  # scores that differ by less than this many units in the last place of the largest count as equal


class AUMLoss(nn.Module):
    """Area under the minimum of false positives and false negatives, over all thresholds, in O(n log n).

    It equals `aucmax.aum.aum` of the labels' error functions at the same scores, is convex in the scores, and zero
    for a perfect ranking. The gradient is the mean of the left and the right derivative, which differ only at ties.

    AUM scales with the scores: halving the scores halves AUM without changing the ranking. Minimising it may
    therefore shrink the scores to zero instead of improving the ranking. Set `standardize`, or fix the scale of the
    scores in the model.

    Parameters
    ----------
    standardize : bool
        Divide the scores by their standard deviation in the batch (unless they are all equal, up to rounding). The
        loss is then invariant to their scale, and no longer convex.
    rates : bool
        Divide the weights of each class by their sum: errors are rates instead of counts, and the loss does not grow
        with the batch size.

    Examples
    --------
    >>> import torch
    >>> loss = AUMLoss()
    >>> loss(torch.tensor([0.0, 2.0, 1.0, 3.0]), torch.tensor([0, 0, 1, 1]))
    tensor(1.)
    """

    def __init__(self, standardize: bool = False, rates: bool = False) -> None:
        super().__init__()
        check_param("standardize", standardize, Boolean())
        check_param("rates", rates, Boolean())
        self.standardize = standardize
        self.rates = rates

    def forward(self, scores: Tensor, labels: Tensor, weight: Tensor | None = None) -> Tensor:
        """Loss of a batch; arguments and result are as in `PairwiseSquaredLoss.forward`."""
        batch = check_batch(scores, labels, weight)
        batch = _standardized(batch) if self.standardize else batch
        batch = batch.with_normalized_weights() if self.rates else batch
        ordered, order = torch.sort(batch.scores.detach(), descending=True)
        p, q = batch.p[order], batch.q[order]
        zero = 0 * ordered.sum()  # NaN if a score is not finite
        value = (-ordered.diff() * torch.minimum(q.cumsum(0)[:-1], reverse_cumsum(p)[1:])).sum() + zero
        gradient = _gradient(-ordered, p, p + q) + zero
        return (value + (gradient * batch.steps.gather(0, order)).sum()) * batch.has_both_classes

    def extra_repr(self) -> str:
        """The parameters, as shown by `repr`."""
        return f"standardize={self.standardize}, rates={self.rates}"


def _standardized(batch: Batch) -> Batch:
    """The scores divided by their standard deviation, unless they are equal up to rounding.

    Squares are taken after division by the range of the scores, where they neither underflow nor overflow.
    """
    weight = normalized(batch.p + batch.q)
    weighted = batch.scores.detach()[weight > 0]
    if not weighted.numel():
        return batch
    lowest, highest = weighted.aminmax()
    differ = highest - lowest > ROUNDING * torch.finfo(weighted.dtype).eps * weighted.abs().max()
    unit = torch.where(differ, highest - lowest, 1.0)
    _, variance = mean_and_variance((batch.scores - lowest) / unit, weight)
    return batch._replace(scores=batch.scores / unit / torch.where(differ, variance, 1.0).sqrt())


def _gradient(thresholds: Tensor, p: Tensor, weight: Tensor) -> Tensor:
    """Mean of the left and the right derivative of AUM with respect to each score; thresholds are ascending."""
    difference = p.sum() - pad(weight.cumsum(0), (1, 0))  # D = FN - FP before each row, and after the last
    before_ties = difference[torch.searchsorted(thresholds, thresholds)]
    after_ties = difference[torch.searchsorted(thresholds, thresholds, right=True)]
    right = torch.minimum(before_ties.clamp(min=0), weight)
    left = torch.minimum((after_ties + weight).clamp(min=0), weight)
    return (right + left) / 2 - p
