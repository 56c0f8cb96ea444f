"""Simulated sequences: their labels agree with the true changes."""

import pytest

from aucmax.changepoint import label_errors, make_toy_sequences


def test_toy_labels_agree_with_the_changes():
    data = make_toy_sequences(30)
    for labels, changes in zip(data.labels, data.changes):
        errors = label_errors([changes], labels)
        assert errors.fp.sum() + errors.fn.sum() == 0


def test_at_least_one_sequence_is_simulated():
    with pytest.raises(ValueError, match="n=0; give an integer of 1 or more"):
        make_toy_sequences(0)
