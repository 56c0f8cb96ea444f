"""Splits: disjoint, complete, of the published sizes, and the same for the same run."""

import numpy as np
import pytest

from aucmax.comparison.reproduction.protocols import RandomSplits, RepeatedFolds, TrainValidationTest

PROTOCOLS = [RandomSplits(20), RepeatedFolds(5, 5), TrainValidationTest(5), TrainValidationTest(5, n_given=60)]


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_parts_are_disjoint_and_complete(protocol):
    for run in range(protocol.runs):
        parts = [part for part in protocol.split(90, run) if part is not None]
        assert sorted(np.concatenate(parts).tolist()) == list(range(90))


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_a_run_has_the_same_split_whenever_it_is_run(protocol):
    for first, again in zip(protocol.split(90, 3), protocol.split(90, 3)):
        assert np.array_equal(first, again)
    assert not np.array_equal(protocol.split(90, 0).test, protocol.split(90, 1).test)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_the_ratio_is_that_of_the_sizes(protocol):
    split = protocol.split(9000, 0)
    given = isinstance(protocol, TrainValidationTest) and protocol.n_given is not None
    assert given or split.test.size / split.train.size == pytest.approx(protocol.ratio, rel=0.01)


def test_five_folds_test_every_row_once_in_each_of_five_partitions():
    protocol = RepeatedFolds(5, 5)
    assert protocol.runs == 25
    tested = np.concatenate([protocol.split(23, run).test for run in range(25)])
    assert np.array_equal(np.bincount(tested), np.full(23, 5))


def test_the_training_file_trains_and_the_test_file_is_halved():
    split = TrainValidationTest(5, n_given=60).split(100, 2)
    assert split.train.max() < 60
    assert split.validation.size == split.test.size == 20


def test_fewer_rows_are_a_random_part():
    split = RandomSplits(20).split(1000, 0, rows=100)
    assert split.train.size + split.test.size == 100
    assert max(split.train.max(), split.test.max()) > 500
