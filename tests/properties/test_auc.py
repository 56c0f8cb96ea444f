"""What must hold for the AUC of any rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties.ranked_rows import auc_over_pairs, few, scored_rows

from aucmax.metrics import PrequentialAUC, auc_interval, roc_auc

TOLERANCE = 1e-12  # a few rounding errors of sums over 600 pairs


@few
@given(scored_rows())
def test_the_fast_auc_is_the_sum_over_pairs(rows):
    y, scores, weight = rows
    assert roc_auc(y, scores) == pytest.approx(auc_over_pairs(y, scores), abs=TOLERANCE)
    weighted = auc_over_pairs(y, scores, weight)
    assert roc_auc(y, scores, sample_weight=weight) == pytest.approx(weighted, abs=TOLERANCE)


@few
@given(scored_rows())
def test_monotone_transforms_leave_the_auc(rows):
    y, scores, _ = rows
    ranks = np.unique(scores, return_inverse=True)[1]
    for transformed in (ranks, ranks**3 - 7, -1.0 / (1.0 + ranks), np.arctan(ranks)):
        assert roc_auc(y, transformed) == roc_auc(y, scores)


@few
@given(scored_rows(), st.randoms(use_true_random=False))
def test_permutations_leave_the_auc(rows, random):
    y, scores, weight = rows
    order = random.sample(range(len(y)), len(y))
    assert roc_auc(y[order], scores[order]) == roc_auc(y, scores)
    permuted = roc_auc(y[order], scores[order], sample_weight=weight[order])
    assert permuted == pytest.approx(roc_auc(y, scores, sample_weight=weight), abs=TOLERANCE)


@few
@given(scored_rows())
def test_a_weight_of_k_is_k_copies(rows):
    y, scores, weight = rows
    copies = roc_auc(np.repeat(y, weight), np.repeat(scores, weight))
    assert roc_auc(y, scores, sample_weight=weight) == pytest.approx(copies, abs=TOLERANCE)


@few
@given(scored_rows())
def test_flipped_labels_and_flipped_scores_give_one_minus_auc(rows):
    y, scores, weight = rows
    auc = roc_auc(y, scores, sample_weight=weight)
    assert roc_auc(1 - y, scores, sample_weight=weight) == pytest.approx(1 - auc, abs=TOLERANCE)
    assert roc_auc(y, -scores, sample_weight=weight) == pytest.approx(1 - auc, abs=TOLERANCE)


@few
@given(scored_rows(), st.integers(2, 12))
def test_the_prequential_auc_is_that_of_its_rows(rows, window):
    y, scores, weight = rows
    meter = PrequentialAUC(window)
    aucs = meter.update(y, scores, sample_weight=weight.astype(float))
    for i in range(len(y)):
        part = slice(max(0, i + 1 - window), i + 1)
        both = len(set(y[part])) == 2
        expected = auc_over_pairs(y[part], scores[part], weight[part]) if both else np.nan
        assert aucs[i] == pytest.approx(expected, abs=TOLERANCE, nan_ok=True)
    assert meter.total == pytest.approx(auc_over_pairs(y, scores, weight), abs=TOLERANCE)


@few
@given(scored_rows(), st.integers(2, 12))
def test_a_window_read_back_is_the_same_window(rows, window):
    y, scores, _ = rows
    meter, again = PrequentialAUC(window), PrequentialAUC(window)
    half = len(y) // 2
    meter.update(y[: half + 1], scores[: half + 1])
    positive, latest, weight = meter.latest()
    again.update(positive, latest, sample_weight=weight)
    assert again.windowed == pytest.approx(meter.windowed, abs=0, nan_ok=True)
    if half + 1 < len(y):
        rest = (y[half + 1 :], scores[half + 1 :])
        np.testing.assert_array_equal(again.update(*rest), meter.update(*rest))


@few
@given(scored_rows())
def test_the_interval_contains_the_auc_and_flips_with_it(rows):
    y, scores, _ = rows
    if min(np.bincount(y)) < 2:
        return
    result = auc_interval(y, scores)
    flipped = auc_interval(y, -scores)
    assert result.low <= result.auc <= result.high
    assert flipped.low == pytest.approx(1 - result.high, abs=1e-9)
    assert flipped.std_error == pytest.approx(result.std_error, abs=1e-9)
