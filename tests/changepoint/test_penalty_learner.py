"""PenaltyLearner: invalid sequences, labels and parameters; what needs ruptures is in tests/extras."""

import numpy as np
import pytest

from aucmax.changepoint import IntervalRegression, PenaltyLearner


@pytest.mark.parametrize(
    "sequences, labels, message",
    [
        ([[1.0, 2.0, 3.0]], [[(0, 2, "0changes"), (1, 3, "1change")]], r"\(0, 2\] '0changes' and .* overlap"),
        ([[1.0, 2.0, 3.0]], [[(0, 4, "1change")]], "ends beyond the 3 values of sequence 0"),
        ([[1.0, 2.0], [1.0, np.nan]], [[], []], "sequence 1 has nan at index 1"),
        ([[1.0, np.inf]], [[]], "sequence 0 has inf at index 1"),
        ([[1.0, 2.0]], [[(0, 1, "2changes")]], "unknown kind of label '2changes' of sequence 0"),
        ([[1.0, 2.0]], [[(1, 1, "1change")]], "is not a region"),
        ([[1.0, 2.0]], [[(0, 1)]], "not a triple"),
        ([[1.0, 2.0]], [[], []], "1 sequences but labels of 2"),
        ([1.0, 2.0], [[], []], "several as a list"),
        ([], [], "no sequences"),
        ([[1.0, 2.0]], None, "labels are None; pass a list"),
        ([[1.0, 2.0]], [None], "labels of sequence 0 are None; pass a list"),
        ([[1.0, 2.0, 3.0]], [[(2, 3, "1change")]], r"\(2, 3\] '1change' of sequence 0 can never be satisfied"),
        ([[0.0], [1e160] * 3 + [-1e160] * 3], [[], []], r"sequence 1 has 1e\+160 at index 0, whose square overflows"),
    ],
)  # fmt: skip
def test_invalid_sequences_and_labels_are_refused_with_the_reason(sequences, labels, message):
    with pytest.raises(ValueError, match=message):
        PenaltyLearner().fit(sequences, labels)


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda: PenaltyLearner(max_segments=1).fit([[1.0, 2.0]], [[]]),
            "max_segments=1; give an integer of 2 or more",
        ),
        (lambda: PenaltyLearner(max_segments=True).fit([[1.0, 2.0]], [[]]), "max_segments=True; give an integer"),
        (lambda: PenaltyLearner(IntervalRegression()).fit([[1.0]], [[]]), "give None or a PenaltyRegressor"),
    ],
)
def test_invalid_input_is_refused_with_the_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()
