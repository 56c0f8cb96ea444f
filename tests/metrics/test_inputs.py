"""Arguments that the metrics share: weights as copies, refused rows, weights and parameters."""

import numpy as np
import pytest
from scored_samples import copies, sample

from aucmax import metrics

WEIGHTED = [
    metrics.roc_auc,
    metrics.roc_curve,
    metrics.partial_auc,
    metrics.lift_curve,
    metrics.area_under_lift,
    metrics.break_even,
]
SCORED = [*WEIGHTED, metrics.auc_influence, metrics.auc_interval]


@pytest.mark.parametrize("metric", WEIGHTED)
def test_weight_k_equals_k_copies(metric):
    y, score, weight = sample(6)
    copied = metric(*copies(y, score, weight))
    weighted = metric(y, score, sample_weight=weight)
    for a, b in zip(np.atleast_1d(weighted), np.atleast_1d(copied), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


GOOD = [0.1, 0.2, 0.3, 0.4]
BAD_ROWS = {
    "NaN score": ([0, 1, 0, 1], [0.1, np.nan, 0.3, 0.4], r"y_score\[1\] is nan; drop or replace"),
    "infinite score": ([0, 1, 0, 1], [0.1, 0.2, np.inf, 0.4], r"y_score\[2\] is inf"),
    "strings for scores": ([0, 1, 0, 1], ["a", "b", "c", "d"], "y_score must be numbers .* pass floats"),
    "complex scores": ([0, 1, 0, 1], np.array(GOOD) * 1j, "y_score must be numbers but has type complex128"),
    "objects for scores": ([0, 1, 0, 1], [None, "b", 1.0, 2.0], "y_score must be numbers but has type object"),
    "2-d score": ([0, 1, 0, 1], np.ones((4, 2)), r"y_score must be 1-d but has shape \(4, 2\); pass one value"),
    "2-d labels": ([[0], [1], [0], [1]], GOOD, r"y_true must be 1-d but has shape \(4, 1\)"),
    "one class": ([1, 1, 1, 1], GOOD, r"two classes but has 1: \[1\]; pass rows of both"),
    "three classes": ([0, 1, 2, 1], GOOD, r"two classes but has 3: \[0, 1, 2\]; keep two"),
    "many classes": ([str(i) for i in range(9)], range(9), "has 9: .* and more"),
    "NaN label": ([0, 1, np.nan, 1], GOOD, "y_true contains NaN; drop"),
    "mixed labels": (
        np.array([0, "a", 0, "a"], dtype=object),
        GOOD,
        "cannot be sorted .* use labels of one type",
    ),
    "lengths differ": ([0, 1, 0, 1], GOOD[:3], "y_score has 3 values for 4 labels; pass one per row"),
    "empty": ([], [], "y_true is empty; pass at least one row of each class"),
}


@pytest.mark.parametrize("metric", SCORED)
@pytest.mark.parametrize("y, score, message", BAD_ROWS.values(), ids=BAD_ROWS)
def test_bad_rows_are_refused(metric, y, score, message):
    with pytest.raises(ValueError, match=message):
        metric(y, score)


BAD_WEIGHTS = {
    "negative": ([1, 1, -2, 1], r"sample_weight\[2\] is -2; give 0, or a number from"),
    "no positives": ([1, 0, 1, 0], "all weights of the positive class are zero or below 1e-100; give 0, or"),
    "no negatives": ([0, 1, 0, 1], "all weights of the negative class are zero"),
    "NaN": ([1, np.nan, 1, 1], r"sample_weight\[1\] is nan"),
    "too few": ([1, 1], r"sample_weight has shape \(2,\) for 4 rows; give one number per row"),
}


@pytest.mark.parametrize("metric", [*WEIGHTED, metrics.f_beta])
@pytest.mark.parametrize("weight, message", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_bad_weights_are_refused(metric, weight, message):
    with pytest.raises(ValueError, match=message):
        metric([0, 1, 0, 1], [0, 1, 1, 0], sample_weight=weight)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda y, s: metrics.roc_auc(y, s, pos_label=7), r"pos_label=7 is not a label of y_true; .* \[0, 1\]"),
        (lambda y, s: metrics.partial_auc(y, s, max_fpr=0.0), "max_fpr=0.0; give a number above 0 and at most 1"),
        (lambda y, s: metrics.partial_auc(y, s, min_fpr=0.5, max_fpr=0.2), "min_fpr=0.5; give a number from 0 and"),
        (lambda y, s: metrics.partial_auc(y, s, standardize="no"), "standardize='no'; give True or False"),
        (lambda y, s: metrics.partial_auc(y, s, min_tpr=1.0), "min_tpr=1.0; give a number from 0 and below 1"),
        (lambda y, s: metrics.auc_interval(y, s, confidence=95), "confidence=95; give a number above 0 and below 1"),
        (lambda y, s: metrics.f_beta(y, y, beta=-1.0), "beta=-1.0; give a finite number of 0 or more"),
        (lambda y, s: metrics.f_beta(y, [0, 1, 5, 1]), r"y_pred contains 5, .* predict one of \[0, 1\]"),
        (lambda y, s: metrics.f_beta(y, [0, 1]), "y_pred has 2 values for 4 labels"),
    ],
)
def test_bad_parameters_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call([0, 1, 0, 1], GOOD)
