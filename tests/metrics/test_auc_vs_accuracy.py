"""Consistency, discriminancy and expected AUC: equal to enumeration of all rankings."""

from itertools import combinations, product

import numpy as np
import pytest

from aucmax import metrics


def enumerated(n_pos, n_neg):
    """Pairs won and places of the positives (best first) of every ranking."""
    n = n_pos + n_neg
    for places in combinations(range(n), n_pos):
        yield sum(n - 1 - place for place in places) - n_pos * (n_pos - 1) // 2, places


def enumerated_counts(n_pos, n_neg, cut):
    auc, accuracy = np.array(
        [(won, sum(place < cut for place in places)) for won, places in enumerated(n_pos, n_neg)]
    ).T
    order = np.sign(auc[:, None] - auc), np.sign(accuracy[:, None] - accuracy)
    cases = [order[0] * order[1] > 0, order[0] * order[1] < 0]
    cases += [(order[0] != 0) & (order[1] == 0), (order[0] == 0) & (order[1] != 0)]
    return tuple(int(case.sum()) // 2 for case in cases)


@pytest.mark.parametrize("n", range(2, 9))
def test_ranking_counts_equal_enumeration(n):
    for n_pos in range(1, n):
        for cut in range(n + 1):
            assert metrics.ranking_counts(n_pos, n - n_pos, cut) == enumerated_counts(n_pos, n - n_pos, cut)


@pytest.mark.parametrize(
    "half, counts",
    {2: (9, 0, 5, 0), 3: (113, 1, 62, 4), 4: (1459, 34, 762, 52), 5: (19742, 766, 9416, 618)}.items(),
)
def test_ranking_counts_are_those_of_the_paper(half, counts):
    assert metrics.ranking_counts(half, half) == counts


def test_auc_is_consistent_and_more_discriminating():
    for n in range(3, 13):
        for n_pos, cut in product(range(1, n), range(1, n)):
            counts = metrics.ranking_counts(n_pos, n - n_pos, cut)
            assert counts.agree > counts.disagree
            assert counts.auc_only > counts.accuracy_only


def test_consistency_and_discriminancy():
    assert metrics.consistency(6, 6) == pytest.approx(0.951, abs=5e-4)
    assert metrics.discriminancy(6, 6) == pytest.approx(16.3, abs=0.05)
    assert metrics.discriminancy(2, 2) == np.inf
    assert np.isnan(metrics.consistency(3, 3, cut=0))
    assert np.isnan(metrics.discriminancy(1, 1))


def enumerated_aucs(n_pos, n_neg, errors):
    """AUC of every ranking and cut with this number of errors."""
    for won, places in enumerated(n_pos, n_neg):
        for cut in range(n_pos + n_neg + 1):
            tp = sum(place < cut for place in places)
            if (cut - tp) + (n_pos - tp) == errors:
                yield won / (n_pos * n_neg)


@pytest.mark.parametrize("n_pos, n_neg", [(4, 4), (2, 6), (5, 3), (1, 5)])
def test_expected_auc_equals_enumeration(n_pos, n_neg):
    for errors in range(min(n_pos, n_neg) + 1):
        mean = np.mean(list(enumerated_aucs(n_pos, n_neg, errors)))
        assert metrics.expected_auc(n_pos, n_neg, errors) == pytest.approx(mean, abs=1e-12)


def test_auc_varies_for_a_fixed_number_of_errors():
    assert np.std(list(enumerated_aucs(4, 4, 1))) == pytest.approx(0.088, abs=5e-4)
