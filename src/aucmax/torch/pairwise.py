"""Pairwise losses: means over all pairs of a positive and a negative row, without forming the pairs.

Positive rows have scores a_i and weights p_i, negative rows b_j and q_j. A pair falls short of the margin by
z_ij = margin - a_i + b_j.

    squared         E[z^2] / 2 = [(margin - mean a + mean b)^2 + var a + var b] / 2
    squared hinge   E[z_+^2]

For the second, all a_i and b_j + margin are sorted together. With gaps d_l between neighbours, P_l the weight of the
positives below the gap and Q_l that of the negatives above it, z_ij of an active pair is the sum of the gaps between
its two rows, and

    Z_l = sum of d Q over the gaps above       Y_l = sum of d P over the gaps below
    E[z_+^2] = sum_l d_l P_l (2 Z_l + d_l Q_l),   with gradient -2 p_i Z_i for positive, 2 q_j Y_j for negative rows

with p and q divided by their sums. Only neighbours are subtracted, so single precision is enough. As long as the
order does not change, the loss is quadratic in the scores and equals its Taylor polynomial there, which is what is
returned. Differentiating the sums over gaps with autograd would compute gradients as small differences of large
numbers (docs/mathematics.md, section 9).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from aucmax.torch.batch import check_batch, mean_and_variance, reverse_cumsum
from aucmax.validation.params import Number, check_param

__all__ = ["PairwiseSquaredHingeLoss", "PairwiseSquaredLoss"]


class _PairwiseLoss(nn.Module):
    """Base of the pairwise losses: the margin."""

    def __init__(self, margin: float = 1.0) -> None:
        super().__init__()
        check_param("margin", margin, Number(0, open="low"))
        self.margin = float(margin)

    def extra_repr(self) -> str:
        """The parameters, as shown by `repr`."""
        return f"margin={self.margin:g}"


class PairwiseSquaredLoss(_PairwiseLoss):
    """Half the mean of (margin - (s - s'))^2 over all pairs of a positive score s and a negative score s'.

    It equals the squared loss of `AUCClassifier` at the same scores, takes O(n) and is infinitely differentiable.

    Parameters
    ----------
    margin : float
        Desired difference between the scores of a positive and a negative; it only sets the scale of the scores.

    Examples
    --------
    >>> import torch
    >>> loss = PairwiseSquaredLoss()
    >>> loss(torch.tensor([2.0, 0.5, 0.0]), torch.tensor([1, 0, 0]))
    tensor(0.3125)
    """

    def forward(self, scores: Tensor, labels: Tensor, weight: Tensor | None = None) -> Tensor:
        """Loss of a batch.

        Parameters
        ----------
        scores : Tensor of shape (n,) or (n, 1)
            The model's raw output. NaN or infinity make the loss and its gradient NaN. For half precision, the loss
            is computed and returned in single precision.
        labels : Tensor of the same length
            0 and 1, -1 and 1, or bool.
        weight : Tensor of the same length, optional
            Non-negative; the weight of a pair is the product of the weights of its rows. It receives no gradient.

        Returns
        -------
        Tensor
            A scalar; 0, with a gradient of zeros, if a class is missing or has no weight.
        """
        batch = check_batch(scores, labels, weight).with_centred_scores().with_normalized_weights()
        mean_pos, variance_pos = mean_and_variance(batch.scores, batch.p)
        mean_neg, variance_neg = mean_and_variance(batch.scores, batch.q)
        shortfall = self.margin - mean_pos + mean_neg
        return (shortfall**2 + variance_pos + variance_neg) / 2 * batch.has_both_classes


class PairwiseSquaredHingeLoss(_PairwiseLoss):
    """Mean of max(0, margin - (s - s'))^2 over all pairs of a positive score s and a negative score s'.

    It equals the squared hinge of `AUCClassifier` at the same scores and takes O(n log n). First and second
    derivatives are exact; where a pair meets the margin exactly, the second is that of one side.

    Parameters
    ----------
    margin : float
        Pairs whose scores differ by at least the margin, in the right order, have no loss.

    Examples
    --------
    >>> import torch
    >>> loss = PairwiseSquaredHingeLoss()
    >>> loss(torch.tensor([2.0, 1.5, 0.0]), torch.tensor([1, 0, 0]))
    tensor(0.1250)
    """

    def forward(self, scores: Tensor, labels: Tensor, weight: Tensor | None = None) -> Tensor:
        """Loss of a batch; arguments and result are as in `PairwiseSquaredLoss.forward`."""
        batch = check_batch(scores, labels, weight).with_centred_scores().with_normalized_weights()
        shifted = torch.where(batch.q > 0, batch.scores + self.margin, batch.scores)
        ordered, order = torch.sort(shifted.detach())
        p, q = batch.p[order], batch.q[order]
        steps = batch.steps.gather(0, order)
        value, gradient = _value_and_gradient(ordered.diff(), p, q)
        return value + (gradient * steps).sum() + _quadratic_term(p, q, steps)


def _value_and_gradient(gaps: Tensor, p: Tensor, q: Tensor) -> tuple[Tensor, Tensor]:
    """E[z_+^2] and its derivative with respect to each of the sorted scores."""
    P = p.cumsum(0)[:-1]
    Q = reverse_cumsum(q)[1:]
    Z = pad(reverse_cumsum(gaps * Q), (0, 1))
    Y = pad((gaps * P).cumsum(0), (1, 0))
    value = (gaps * P * (2 * Z[1:] + gaps * Q)).sum()
    return value, 2 * (q * Y - p * Z)


def _quadratic_term(p: Tensor, q: Tensor, steps: Tensor) -> Tensor:
    """Sum over the active pairs of p_i q_j (step_i - step_j)^2: half of the second derivative along the steps."""
    squares = (p * reverse_cumsum(q) + q * p.cumsum(0)) * steps**2
    products = p * steps * reverse_cumsum(q * steps)
    return (squares - 2 * products).sum()
