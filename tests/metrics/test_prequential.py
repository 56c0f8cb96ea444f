"""PrequentialAUC: over the window and since the start, equal to `roc_auc` of the same rows."""

import pickle

import numpy as np
import pytest

from aucmax.metrics import PrequentialAUC, roc_auc


def rows_of(n, seed=0, *, ties=True, weighted=True):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    scores = rng.normal(size=n) + y
    weight = rng.uniform(0.1, 3.0, size=n) if weighted else np.ones(n)
    return y, np.round(scores, 1) if ties else scores, weight


def auc_or_nan(y, scores, weight):
    return roc_auc(y, scores, sample_weight=weight) if np.unique(y).size == 2 else np.nan


@pytest.mark.parametrize("window", [2, 3, 50, 1000])
@pytest.mark.parametrize("ties", [True, False])
def test_window_equals_the_auc_of_its_rows_after_every_row(window, ties):
    y, scores, weight = rows_of(200, ties=ties)
    after = PrequentialAUC(window).update(y, scores, sample_weight=weight)
    starts = np.maximum(np.arange(1, 201) - window, 0)
    expected = [auc_or_nan(*(a[start : last + 1] for a in (y, scores, weight))) for last, start in enumerate(starts)]
    np.testing.assert_allclose(after, expected, rtol=1e-13)


@pytest.mark.parametrize("sizes", [[1] * 120, [120], [1, 50, 2, 67]], ids=["rows", "whole", "batches"])
def test_total_equals_the_auc_of_all_rows_whenever_it_is_asked_for(sizes):
    y, scores, weight = rows_of(120)
    meter = PrequentialAUC(10)
    last = 0
    for size in sizes:
        first, last = last, last + size
        meter.update(y[first:last], scores[first:last], sample_weight=weight[first:last])
        np.testing.assert_allclose(meter.total, auc_or_nan(y[:last], scores[:last], weight[:last]), rtol=1e-13)


def test_total_of_many_rows_that_was_never_asked_for():
    y, scores, weight = rows_of(5000)
    meter = PrequentialAUC(10)
    for rows in np.split(np.arange(5000), np.arange(13, 5000, 13)):
        meter.update(y[rows], scores[rows], sample_weight=weight[rows])
    assert meter.total == pytest.approx(roc_auc(y, scores, sample_weight=weight), rel=1e-12)


def test_without_weights_the_auc_is_exact():
    y, scores, _ = rows_of(3000)
    meter = PrequentialAUC(500)
    meter.update(y, scores)
    assert meter.total == roc_auc(y, scores)
    assert meter.windowed == roc_auc(y[-500:], scores[-500:])


def test_a_huge_weight_that_has_left_the_window_has_no_effect():
    y, scores, weight = rows_of(300)
    weight[7] = 1e15
    meter = PrequentialAUC(100)
    meter.update(y, scores, sample_weight=weight)
    assert meter.windowed == pytest.approx(roc_auc(y[-100:], scores[-100:], sample_weight=weight[-100:]), rel=1e-13)


@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_weights_of_any_size_allowed_lose_no_precision(size):
    y, scores, weight = rows_of(200)
    weight = size * weight.clip(1.0) if size < 1.0 else size * weight / weight.max()
    meter = PrequentialAUC(40)
    meter.update(y, scores, sample_weight=weight)
    unit = weight / size
    latest = roc_auc(y[-40:], scores[-40:], sample_weight=unit[-40:])
    assert meter.windowed == pytest.approx(latest, rel=1e-12)
    assert meter.total == pytest.approx(roc_auc(y, scores, sample_weight=unit), rel=1e-12)


def test_rows_of_weight_zero_are_ignored():
    y, scores, weight = rows_of(200)
    weight[::3] = 0.0
    some = weight > 0
    meter, other = PrequentialAUC(40), PrequentialAUC(40)
    meter.update(y, scores, sample_weight=weight)
    other.update(y[some], scores[some], sample_weight=weight[some])
    assert (meter.windowed, meter.total) == (other.windowed, other.total)


@pytest.mark.parametrize(("labels", "positive"), [((False, True), True), (("ham", "spam"), "spam"), ((-1.0, 1.0), 1)])
def test_labels_of_any_two_values(labels, positive):
    y, scores, _ = rows_of(60)
    meter = PrequentialAUC(30, pos_label=positive)
    for label, score in zip(np.array(labels)[y], scores):
        auc = meter.update(label, score)
    assert isinstance(auc, float) and auc == roc_auc(y[-30:], scores[-30:])


def test_pickled_midway_it_continues_identically():
    y, scores, weight = rows_of(200)
    meter = PrequentialAUC(30)
    meter.update(y[:90], scores[:90], sample_weight=weight[:90])
    again = pickle.loads(pickle.dumps(meter))
    for one in (meter, again):
        one.update(y[90:], scores[90:], sample_weight=weight[90:])
    assert (meter.windowed, meter.total) == (again.windowed, again.total)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (([0, 1], [0.5, np.nan]), r"y_score\[1\] is nan"),
        (([0, 1], [0.5]), "1 values for 2 labels"),
        (([0, 1], [0.5, 0.1], [1.0, -1.0]), r"sample_weight\[1\] is -1; give 0, or a number from 1e-100 to"),
        (([0, 1], [0.5, 0.1], [0.0, 1e-200]), r"sample_weight\[1\] is 1e-200"),
        (([0, 1], [0.5, 0.1], [1.0, 1e160]), r"sample_weight\[1\] is 1e\+160"),
        (([0, 1], [0.5, 0.1], 1e200), r"sample_weight is 1e\+200"),
        (([0, 1], [0.5, 0.1], [1.0]), r"sample_weight has shape \(1,\) for 2 rows; give one number per row"),
        (([1, np.nan], [0.5, 0.1]), r"y_true\[1\] is nan; drop the rows without a label"),
        (([None, 1], [0.5, 0.1]), r"y_true\[0\] is None"),
        ((None, 0.5), r"y_true\[0\] is None"),
        ((["a", "b"], [0.5, 0.1]), "besides pos_label=1"),
        (([2], [0.5]), "besides pos_label=1"),
        (([], []), "empty"),
    ],
)
def test_bad_rows_are_refused_and_change_nothing(rows, message):
    meter = PrequentialAUC(10)
    meter.update([0, 1, 1], [0.1, 0.2, 0.0])
    before = pickle.dumps(meter)
    y_true, y_score, *weight = rows
    with pytest.raises(ValueError, match=message):
        meter.update(y_true, y_score, sample_weight=weight[0] if weight else None)
    assert pickle.dumps(meter) == before
    assert meter.total == 0.5


@pytest.mark.parametrize("window", [1, 0, 2.5, True])
def test_a_window_of_fewer_than_two_rows_is_refused(window):
    with pytest.raises(ValueError, match="give an integer of 2 or more"):
        PrequentialAUC(window)


@pytest.mark.parametrize("since_start", ["no", 1])
def test_since_start_is_a_boolean(since_start):
    with pytest.raises(ValueError, match="give True or False"):
        PrequentialAUC(10, since_start=since_start)


def test_memory_can_be_bounded():
    meter = PrequentialAUC(10, since_start=False)
    meter.update(*rows_of(500)[:2])
    assert len(pickle.dumps(meter)) < 2000
    with pytest.raises(ValueError, match="set since_start=True"):
        _ = meter.total
