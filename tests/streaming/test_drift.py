"""The drift test: no more false alarms than its level, whatever the AUC and the share of positives; drift found."""

import numpy as np
import pytest
from scipy.stats import norm

from aucmax.streaming.drift import LEVEL, DriftTest


def blocks(rng, auc, rate, n_blocks, rows=400):
    """Labels and normal scores of that AUC, by block."""
    for _ in range(n_blocks):
        y = (rng.random(rows) < rate).astype(int)
        yield y, rng.normal(size=rows) + norm.ppf(auc) * np.sqrt(2) * y


def alarms(test, stream):
    return [drift.what for y, scores in stream for drift in test.update(y, scores)]


@pytest.mark.parametrize("rate", [0.05, 0.5])
@pytest.mark.parametrize("auc", [0.5, 0.75, 0.95, 0.995])
def test_false_alarms_are_as_rare_as_the_level(auc, rate):
    """Two tests per block: with 1500 blocks 3 alarms are expected, and more than 9 have a probability below 0.002."""
    rng = np.random.default_rng(1)
    found = [alarm for _ in range(50) for alarm in alarms(DriftTest(400), blocks(rng, auc, rate, 30))]
    assert pytest.approx(3) == 2 * LEVEL * 1500
    assert len(found) <= 9


@pytest.mark.parametrize(("before", "after"), [(0.9, 0.7), (0.8, 0.5), (0.99, 0.9)])
def test_a_fall_of_the_auc_is_found_within_two_blocks(before, after):
    rng = np.random.default_rng(2)
    detected = 0
    for _ in range(50):
        test = DriftTest(400)
        early = alarms(test, blocks(rng, before, 0.3, 10))
        detected += not early and "AUC" in alarms(test, blocks(rng, after, 0.3, 2))
    assert detected >= 48


def test_a_rise_of_the_auc_is_no_drift():
    rng = np.random.default_rng(3)
    test = DriftTest(400)
    alarms(test, blocks(rng, 0.7, 0.3, 10))
    assert "AUC" not in alarms(test, blocks(rng, 0.9, 0.3, 3))


@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_a_change_of_the_share_of_positives_is_found_either_way(rate):
    rng = np.random.default_rng(4)
    test = DriftTest(400)
    assert alarms(test, blocks(rng, 0.8, 0.22, 10)) == []
    assert "share of positives" in alarms(test, blocks(rng, 0.8, rate, 2))


def test_after_a_warning_the_new_level_is_the_reference():
    rng = np.random.default_rng(5)
    test = DriftTest(400)
    alarms(test, blocks(rng, 0.9, 0.3, 10))
    assert alarms(test, blocks(rng, 0.6, 0.3, 20)).count("AUC") == 1


def test_a_block_waits_for_rows_of_both_classes():
    test = DriftTest(20)
    assert test.update(np.zeros(500), np.zeros(500)) == [] and test.reference.pos == 0
    assert test.update(np.ones(10), np.ones(10)) == [] and test.reference == (10, 500, 10.0)


def test_batches_do_not_matter_within_a_block():
    rng = np.random.default_rng(6)
    ((y, scores),) = blocks(rng, 0.8, 0.3, 1)
    whole, parts = DriftTest(400), DriftTest(400)
    whole.update(y, scores)
    for at in range(0, 400, 50):
        parts.update(y[at : at + 50], scores[at : at + 50])
    assert whole.reference == parts.reference
