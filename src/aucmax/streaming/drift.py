"""DriftTest: has the ranking of a stream become worse, or the share of its positives changed?

The stream is divided into blocks of at least `window` rows, with at least 10 of each class. Each block is compared
with all blocks since the start, or since the last warning. With A the AUC of scores given before learning, p the
share of positives, and a pooled estimate of each in the variances, as the null hypothesis wants it,

    z_auc  = (A_before - A_now) / sqrt(V(A) at (m_now, n_now) + V(A) at (m_before, n_before))       one-sided
    z_rate = (p_now - p_before) / sqrt(p (1 - p) (1/N_now + 1/N_before))                             two-sided

for m positives and n negatives, with the variance of an AUC by

    Hanley, McNeil. "The meaning and use of the area under a ROC curve." Radiology 143, 1982.

A pooled variance is not zero when a block is ranked without error, as DeLong's is. Each test has a level of one in a
thousand blocks; simulations in the tests find no more false alarms, whatever the AUC and the share of positives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from aucmax.metrics.auc import auc_of_classes

LEVEL = 1e-3  # probability of a false alarm, per block and test
SMALLEST_CLASS = 10  # rows of each class in a block


class BlockSums(NamedTuple):
    """The rows of some blocks."""

    pos: int = 0  # positive rows
    neg: int = 0  # negative rows
    auc: float = 0.0  # sum over the blocks of their AUC times their positives

    def __add__(self, other: BlockSums) -> BlockSums:  # type: ignore[override]
        return BlockSums(self.pos + other.pos, self.neg + other.neg, self.auc + other.auc)

    @property
    def mean_auc(self) -> float:
        """The mean AUC of the blocks, weighted by their positives."""
        return self.auc / self.pos

    @property
    def rate(self) -> float:
        """The share of positives."""
        return self.pos / (self.pos + self.neg)


class Drift(NamedTuple):
    """A change that is not due to chance alone."""

    what: str  # "AUC" or "share of positives"
    before: float  # in the blocks before
    now: float  # in the latest block
    z: float  # the difference in standard errors

    def __str__(self) -> str:
        verb = "fell" if self.now < self.before else "rose"
        return f"drift: the {self.what} {verb} from {self.before:.4f} to {self.now:.4f} (z = {abs(self.z):.1f})"


@dataclass
class DriftTest:
    """A test for drift, block after block.

    Parameters
    ----------
    window : int
        Rows of a block, at least.
    reference : BlockSums
        The blocks since the start or since the last warning.
    y, scores : array
        The labels 0 and 1 and the scores of the rows since the last block.

    Examples
    --------
    >>> y, scores = np.tile([0, 1], 200), np.tile([0.0, 1.0, 1.0, 2.0], 100)
    >>> test = DriftTest(window=400)
    >>> test.update(y, scores)
    []
    >>> print(*test.update(y, -scores))
    drift: the AUC fell from 0.8750 to 0.1250 (z = 18.3)
    """

    window: int
    reference: BlockSums = field(default_factory=BlockSums)
    y: np.ndarray = field(default_factory=lambda: np.empty(0))
    scores: np.ndarray = field(default_factory=lambda: np.empty(0))

    def update(self, y: np.ndarray, scores: np.ndarray) -> list[Drift]:
        """Add rows with labels 0 and 1, scored before they were learned; the drift that they reveal."""
        self.y = np.append(self.y, y)
        self.scores = np.append(self.scores, scores)
        pos = int((self.y > 0).sum())
        neg = self.y.size - pos
        if self.y.size < self.window or min(pos, neg) < SMALLEST_CLASS:
            return []
        now = BlockSums(pos, neg, pos * auc_of_classes(self.scores[self.y > 0], self.scores[self.y <= 0]))
        found = compare_blocks(self.reference, now) if self.reference.pos else []
        self.reference = now if found else self.reference + now
        self.y = np.empty(0)
        self.scores = np.empty(0)
        return found


def compare_blocks(before: BlockSums, now: BlockSums) -> list[Drift]:
    """The significant differences between the latest block and those before."""
    both = before + now
    auc = max(both.mean_auc, 0.5)
    auc_variance = _auc_variance(auc, before) + _auc_variance(auc, now)
    rate_variance = both.rate * (1 - both.rate) * (1 / (before.pos + before.neg) + 1 / (now.pos + now.neg))
    lost = Drift("AUC", before.mean_auc, now.mean_auc, _ratio(before.mean_auc - now.mean_auc, auc_variance))
    rate = Drift("share of positives", before.rate, now.rate, _ratio(now.rate - before.rate, rate_variance))
    found = [lost] if lost.z > -ndtri(LEVEL) else []
    return [*found, rate] if abs(rate.z) > -ndtri(LEVEL / 2) else found


def _auc_variance(auc: float, rows: BlockSums) -> float:
    """The variance of an AUC, by Hanley and McNeil."""
    q_pos = auc / (2 - auc) - auc**2  # covariance of pairs that share a positive
    q_neg = 2 * auc**2 / (1 + auc) - auc**2  # and of those that share a negative
    return (auc * (1 - auc) + (rows.pos - 1) * q_pos + (rows.neg - 1) * q_neg) / (rows.pos * rows.neg)


def _ratio(difference: float, variance: float) -> float:
    """The difference in standard errors; 0 if both are 0."""
    return difference / np.sqrt(variance) if variance > 0 else 0.0
