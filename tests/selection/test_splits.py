"""`forward_splits`: the past trains, what follows is tested."""

import numpy as np
import pytest

import aucmax
from aucmax.comparison import forward_splits
from aucmax.estimators.linear_cv import AUCClassifierCV


@pytest.fixture
def rows():
    """Times in random order, some of them equal, and a class that becomes frequent."""
    rng = np.random.default_rng(0)
    time = rng.integers(0, 300, 1000)
    return time, rng.random(1000) < 0.02 + 0.2 * (time / 300) ** 2


def test_every_training_row_is_earlier_than_every_test_row(rows):
    time, y = rows
    for train, test in forward_splits(time, y, 4):
        assert time[train].max() < time[test].min()


def test_all_rows_but_those_of_the_first_block_are_tested_once(rows):
    time, y = rows
    folds = forward_splits(time, y, 4)
    tested = np.concatenate([test for _, test in folds])
    assert np.array_equal(np.sort(np.append(tested, folds[0][0])), np.arange(1000))


def test_blocks_hold_equally_many_of_the_rarer_class(rows):
    time, y = rows
    counts = [y[test].sum() for _, test in forward_splits(time, y, 4)]
    assert sum(y) / 5 == pytest.approx(np.mean(counts), rel=0.1)
    assert max(counts) - min(counts) <= 8  # rows of the same time stay together


def test_dates_are_times(rows):
    time, y = rows
    dates = np.datetime64("2026-01-01") + time
    for a, b in zip(forward_splits(dates, y), forward_splits(time, y)):
        assert np.array_equal(a[0], b[0]) and np.array_equal(a[1], b[1])


def test_folds_by_time_show_a_drift_that_shuffled_folds_hide():
    """In each period another column tells the classes apart: known from its own rows, not from the past."""
    rng = np.random.default_rng(1)
    period = np.repeat(np.arange(6), 300)
    y = rng.integers(0, 2, period.size)
    X = rng.normal(size=(period.size, 6))
    X[np.arange(period.size), period] += 3.0 * y
    shuffled = aucmax.compare(X, y, ["aucmax"], cv=5)["aucmax"].auc
    forward = aucmax.compare(X, y, ["aucmax"], cv=forward_splits(period, y, 5))["aucmax"].auc
    assert shuffled > 0.7 > 0.6 > forward


def test_an_estimator_takes_the_folds(rows):
    time, y = rows
    X = np.random.default_rng(2).normal(size=(1000, 3)) + y[:, None]
    model = AUCClassifierCV(cv=forward_splits(time, y, 3)).fit(X, y)
    assert model.cv_auc_.shape[1] == 3
    assert np.isnan(model.oof_scores_).sum() == forward_splits(time, y, 3)[0][0].size


@pytest.mark.parametrize(
    ("time", "y", "n_splits", "message"),
    [
        ([1, 2, 3], [0, 1], 2, "one time for each label"),
        ([1.0, np.nan, 3.0, 4.0], [0, 1, 0, 1], 2, "times are missing"),
        (range(8), [0, 1] * 4, 1, "at least 2 folds"),
        (range(8), [0, 1] * 4, 4, "has 4 rows, too few for 4 folds"),
        ([1] * 8, [0, 1] * 4, 2, "1 distinct times"),
        (range(8), [0] * 8, 2, "1 distinct labels"),
        (range(12), [0] * 6 + [1] * 6, 2, "all of one class"),
    ],
)
def test_what_cannot_be_split_is_refused(time, y, n_splits, message):
    with pytest.raises(ValueError, match=message):
        forward_splits(np.array(time), np.array(y), n_splits)
