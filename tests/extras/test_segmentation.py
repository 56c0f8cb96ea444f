"""Changepoints with ruptures: optimal segmentations, and learning from sequences to changes."""

import doctest

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.validation import NotFittedError

from aucmax.changepoint import (
    PenaltyLearner,
    PenaltyRegressor,
    make_toy_sequences,
    penalty_learner,
    segment,
    segmentation,
)

QUICK = {"cv": 3, "random_state": 0}


def best_losses(values, max_segments):
    """The least loss of each number of segments, by a dynamic program over all last segments."""
    n = values.size
    cost = [
        [((values[a:b] - values[a:b].mean()) ** 2).sum() if a < b else 0.0 for b in range(n + 1)] for a in range(n)
    ]
    best = [cost[0]]
    for _ in range(1, max_segments):
        best.append([min((best[-1][a] + cost[a][b] for a in range(1, b)), default=np.inf) for b in range(n + 1)])
    return np.array([losses[n] for losses in best])


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_segmentations_are_optimal(shift):
    rng = np.random.default_rng(0)
    for n in (2, 5, 12, 20):
        values = shift + rng.normal(size=n).round(1) + 2.0 * (np.arange(n) > n // 2)
        found = segment(values, max_segments=6)
        np.testing.assert_allclose(found.loss, best_losses(values, min(6, n)), rtol=1e-9, atol=1e-9)
        for k, (loss, positions) in enumerate(zip(found.loss, found.changes)):
            parts = np.split(values, positions)
            assert len(parts) == k + 1 and all(part.size for part in parts)
            assert loss == pytest.approx(sum(((part - part.mean()) ** 2).sum() for part in parts), abs=1e-9)


def test_constant_sequence_needs_no_change():
    found = segment(np.full(30, 0.1))
    assert not found.loss.any()


def test_single_value_has_one_segmentation():
    assert [positions.size for positions in segment([3.0]).changes] == [0]


@pytest.fixture(scope="module")
def learned():
    data = make_toy_sequences(70)
    learners = {
        model: PenaltyLearner(PenaltyRegressor(model, **QUICK)).fit(data.sequences[:40], data.labels[:40])
        for model in ("constant", "aum")
    }
    return data, learners


def test_learned_penalty_beats_a_constant_one(learned):
    data, learners = learned
    scores = {model: each.score(data.sequences[40:], data.labels[40:]) for model, each in learners.items()}
    assert scores["aum"] > 0.9 > scores["constant"] + 0.1


def test_most_sequences_have_the_true_number_of_changes(learned):
    data, learners = learned
    found = learners["aum"].predict(data.sequences[40:])
    assert np.mean([positions.size == true.size for positions, true in zip(found, data.changes[40:])]) > 0.8


def test_changes_minimise_the_penalised_loss(learned):
    data, learners = learned
    new = data.sequences[40:44]
    penalties = learners["aum"].predict_penalty(new)
    for sequence, penalty, positions in zip(new, penalties, learners["aum"].predict(new)):
        loss = segment(sequence).loss
        assert positions.size == np.argmin(loss + penalty * np.arange(loss.size))


# one penalty for all sequences finds too many changes in the noisiest of them
LIMIT_REACHED = pytest.mark.filterwarnings("ignore:.* the most that max_segments=20 permits")


@LIMIT_REACHED
def test_score_counts_the_labels_of_the_predicted_changes(learned):
    data, learners = learned
    new, labels = data.sequences[40:], data.labels[40:]
    allowed = {"0changes": (0, 0), "1change": (1, 1), ">0changes": (1, np.inf)}
    satisfied = [
        allowed[kind][0] <= sum(start < p <= end for p in positions) <= allowed[kind][1]
        for positions, listed in zip(learners["constant"].predict(new), labels)
        for start, end, kind in listed
    ]
    assert learners["constant"].score(new, labels) == pytest.approx(np.mean(satisfied))


def test_sequences_without_labels_are_accepted(learned):
    data, _ = learned
    labels = [listed if i % 4 else [] for i, listed in enumerate(data.labels[:40])]
    model = PenaltyLearner(PenaltyRegressor("interval", **QUICK)).fit(data.sequences[:40], labels)
    assert model.score(data.sequences[40:], data.labels[40:]) > 0.8


def test_constant_and_short_sequences_are_predicted(learned):
    _, learners = learned
    found = learners["aum"].predict([np.full(50, 2.0), [1.0], [0.0, 1.0]])
    assert [positions.size for positions in found][:2] == [0, 0]


def test_nested_settings_and_clones():
    model = PenaltyLearner(PenaltyRegressor(**QUICK)).set_params(regressor__model="interval", max_segments=5)
    assert clone(model).regressor.model == "interval"
    with pytest.raises(NotFittedError):
        model.predict([[1.0, 2.0]])


@pytest.mark.parametrize("module", [penalty_learner, segmentation], ids=lambda module: module.__name__)
def test_docstring_examples(module):
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).failed == 0


def test_sequences_that_reach_max_segments_are_named_in_a_warning():
    """Seven steps and labels that ask for all of them; the limit permits three changes, then twelve."""
    rng = np.random.default_rng(0)
    noise, steps = rng.normal(size=(2, 12, 80)) * 0.05
    steps += 10.0 * (np.arange(80) // 10 % 2)
    sequences = [*noise, *steps]
    labels = [[(1, 79, "0changes")]] * 12 + [[(10 * k + 5, 10 * k + 15, "1change") for k in range(7)]] * 12
    fitted = PenaltyLearner(PenaltyRegressor("constant"), max_segments=4).fit(sequences, labels)
    with pytest.warns(
        UserWarning, match=r"12 of 24 sequences, the first being number 12, have 3 changes.*max_segments=4"
    ):
        assert {found.size for found in fitted.predict(sequences)[12:]} == {3}
    wide = PenaltyLearner(PenaltyRegressor("constant"), max_segments=13).fit(sequences, labels)
    assert {found.size for found in wide.predict(sequences)[12:]} == {7}  # warnings are errors


def test_fit_predict_and_score_report_every_segmentation():
    data = make_toy_sequences(12)
    reports = []
    model = PenaltyLearner(PenaltyRegressor("constant"))
    model.fit(data.sequences, data.labels, progress=lambda *report: reports.append(report))
    expected = [(i + 1, 12, f"sequence {i}, {each.size:,} values") for i, each in enumerate(data.sequences)]
    assert reports == expected
    with pytest.warns(UserWarning, match="raise max_segments"):  # a constant penalty finds too many changes
        model.predict(data.sequences, progress=lambda *report: reports.append(report))
    model.score(data.sequences, data.labels, progress=lambda *report: reports.append(report))
    assert reports == 3 * expected
