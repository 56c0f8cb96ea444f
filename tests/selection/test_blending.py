"""Weights of blends against exhaustive active sets and pairs, and the choice of a single member."""

from itertools import product

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from aucmax.metrics import auc_test
from aucmax.selection import blending
from aucmax.selection.blending import blend_weights, cross_fitted_scores, fit_blend


def scored_rows(n_pos=40, n_neg=90, m=4, seed=0):
    """Correlated scores of members of different quality, one of them useless; labels; weights."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], [n_pos, n_neg])
    quality = np.linspace(0.0, 1.5, m)
    scores = np.outer(y, quality) + rng.normal(size=(y.size, 1)) + rng.normal(size=(y.size, m))
    return scores, y, rng.uniform(0.2, 3.0, y.size)


def quadratic(scores, y, weight):
    """A and b of w'A w - 2 b'w, summed over all pairs of rows of different classes, with shrinkage to the mean."""
    m = scores.shape[1]
    pos, neg = y > 0, y < 0
    pairs = scores[pos][:, None, :] - scores[neg][None, :, :]
    share = np.outer(weight[pos] / weight[pos].sum(), weight[neg] / weight[neg].sum())
    S = np.einsum("ij,ijk,ijl->kl", share, pairs, pairs)
    d = np.einsum("ij,ijk->k", share, pairs)
    rare = min(max(weight[mine].sum(), mine.sum()) for mine in (pos, neg))
    ridge = min(1.0, 10.0 / rare) * np.trace(S) / m
    mean = np.full(m, 1.0 / m)
    c0 = (d @ mean) / (mean @ S @ mean)
    return S + ridge * np.eye(m), d + ridge * c0 * mean


def best_of_all_active_sets(A, b):
    """The minimiser over w >= 0: the best of the unconstrained minimisers of all subsets that are non-negative."""
    best, lowest = np.zeros(b.size), 0.0
    for chosen in product([False, True], repeat=b.size):
        kept = np.flatnonzero(chosen)
        w = np.zeros(b.size)
        w[kept] = np.linalg.solve(A[np.ix_(kept, kept)], b[kept])
        if (w >= 0).all() and (value := w @ A @ w - 2 * b @ w) < lowest:
            best, lowest = w, value
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_pos", [3, 40])
def test_weights_are_the_minimiser_over_all_active_sets(n_pos, seed):
    scores, y, weight = scored_rows(n_pos, seed=seed)
    w = blend_weights(scores, y, weight)
    np.testing.assert_allclose(w, best_of_all_active_sets(*quadratic(scores, y, weight)), atol=1e-8)


def test_members_that_misrank_have_no_weight():
    scores, y, weight = scored_rows(200, 300)
    w = blend_weights(np.column_stack([scores[:, -1], -scores[:, -2]]), y, weight)
    assert w[0] > 0 and w[1] == 0


def test_nothing_is_blended_from_members_that_all_misrank():
    scores, y, weight = scored_rows()
    assert not blend_weights(-scores[:, 2:], y, weight).any()
    assert fit_blend(-scores[:, 2:], y, weight).weights.sum() == pytest.approx(1.0)


def test_constant_scores_are_accepted():
    scores, y, weight = scored_rows()
    scores[:, 1] = 7.0
    assert np.isfinite(fit_blend(scores, y, weight).weights).all()
    assert fit_blend(np.ones((y.size, 2)), y, weight).weights.sum() == 1.0


def test_few_positives_shrink_the_weights_towards_equal_ones(monkeypatch):
    monkeypatch.setattr(blending, "_as_good_alone", lambda *rows: None)
    spreads = []
    for n_pos in (5, 50, 5000):
        weights = np.mean([fit_blend(*scored_rows(n_pos, 5000, seed=seed)).weights for seed in range(5)], axis=0)
        spreads.append(np.ptp(weights))
    assert spreads[0] < spreads[1] < spreads[2] and spreads[0] < 0.6 * spreads[2]


def test_a_weight_of_k_is_k_copies():
    scores, y, _ = scored_rows()
    k = np.random.default_rng(1).integers(1, 4, y.size)
    copies = (np.repeat(part, k, axis=0) for part in (scores, y, np.ones(y.size)))
    np.testing.assert_allclose(blend_weights(scores, y, k.astype(float)), blend_weights(*copies), atol=1e-12)


def test_the_choice_of_a_single_member_counts_a_weight_of_k_as_k_copies():
    """Near ties, where the standard error decides."""
    rng = np.random.default_rng(2)
    alone = []
    for _ in range(40):
        y = np.repeat([1.0, -1.0], [300, 600])
        first = 1.2 * y + rng.normal(size=y.size)
        scores = np.column_stack([first, first + 0.15 * rng.normal(size=y.size)])
        k = rng.integers(1, 4, y.size)
        copies = (np.repeat(part, k, axis=0) for part in (scores, y, np.ones(y.size)))
        weights = fit_blend(scores, y, k.astype(float)).weights
        np.testing.assert_allclose(weights, fit_blend(*copies).weights, atol=1e-9)
        alone.append(weights.max() == 1.0)
    assert 0 < sum(alone) < len(alone)


def test_swapped_labels_give_the_same_blend_of_negated_scores():
    scores, y, weight = scored_rows()
    np.testing.assert_allclose(blend_weights(scores, y, weight), blend_weights(-scores, -y, weight), atol=1e-12)


def test_a_member_that_is_as_good_is_used_alone():
    scores, y, _ = scored_rows(300, 600)
    noise = np.random.default_rng(5).normal(size=y.size)
    useless = np.column_stack([noise, scores[:, -1], scores[:, -1]])
    assert fit_blend(useless, y, np.ones(y.size)).weights.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(("n_pos", "known"), [(10, False), (100, False), (10_000, True)])
def test_a_member_is_used_alone_only_if_it_is_known_to_be_as_good(n_pos, known):
    rng = np.random.default_rng(0)
    y = np.repeat([1.0, -1.0], n_pos)
    first = y + rng.normal(size=y.size)
    scores = np.column_stack([first, first + 0.3 * rng.normal(size=y.size)])
    blend = fit_blend(scores, y, np.ones(y.size))
    assert (blend.weights[0] == 1.0) == known
    mixed = blend._replace(weights=blend_weights(blend.standardized(scores), y, np.ones(y.size)))
    found = auc_test(y, mixed(scores), first)
    assert (found.difference + found.std_error <= 0.001) == known


def test_a_blend_that_ranks_better_is_kept():
    rng = np.random.default_rng(0)
    y = np.repeat([1.0, -1.0], 400)
    scores = y[:, None] + 1.5 * rng.normal(size=(800, 2))
    blend = fit_blend(scores, y, np.ones(800))
    assert (blend.weights > 0.4).all()
    best = int(np.argmax([roc_auc_score(y, column) for column in scores.T]))
    assert auc_test(y, blend(scores), scores[:, best]).z > 2


def sets_of_rows(n, count, seed=0):
    """A random partition, as masks."""
    number = np.random.default_rng(seed).permutation(np.arange(n) % count)
    return [number == k for k in range(count)]


def test_cross_fitted_scores_do_not_depend_on_the_labels_of_their_test_set():
    scores, y, weight = scored_rows(m=3)
    tests = sets_of_rows(y.size, 4)
    before = cross_fitted_scores(fit_blend(scores, y, weight), scores, y, weight, tests)
    flipped = np.where(tests[1], -y, y)
    after = cross_fitted_scores(fit_blend(scores, flipped, weight), scores, flipped, weight, tests)
    ratios = after / before
    np.testing.assert_allclose(ratios[tests[1]], ratios[tests[1]][0], rtol=1e-9)  # all blends have another spread
    assert np.ptp(ratios[tests[0]]) > 1e-3


def test_cross_fitted_scores_are_those_of_blends_of_the_other_rows():
    scores, y, weight = scored_rows(m=3)
    tests = sets_of_rows(y.size, 4)
    found = cross_fitted_scores(fit_blend(scores, y, weight), scores, y, weight, tests)
    center = np.average(scores, axis=0, weights=weight)
    units = np.sqrt(np.average((scores - center) ** 2, axis=0, weights=weight))
    for test in tests:
        other = fit_blend(*(part[~test] for part in (scores, y, weight)))
        expected = (scores - center) / units @ other.weights
        assert np.corrcoef(found[test], expected[test])[0, 1] == pytest.approx(1.0, abs=1e-12)


def test_rows_in_several_test_sets_have_the_mean_score_and_those_in_none_have_none():
    scores, y, weight = scored_rows(m=3)
    tests = sets_of_rows(y.size, 4)
    blend = fit_blend(scores, y, weight)
    separate = [cross_fitted_scores(blend, scores, y, weight, [test]) for test in tests[:2]]
    both = cross_fitted_scores(blend, scores, y, weight, [tests[0], tests[0] | tests[1]])
    joint = cross_fitted_scores(blend, scores, y, weight, [tests[0] | tests[1]])
    np.testing.assert_allclose(both[tests[0]], (separate[0] + joint)[tests[0]] / 2)
    np.testing.assert_array_equal(np.isnan(separate[1]), ~tests[1])


def test_weights_of_all_rows_are_used_where_the_others_are_of_one_class():
    scores, y, weight = scored_rows(m=3)
    blend = fit_blend(scores, y, weight)
    found = cross_fitted_scores(blend, scores, y, weight, [y > 0])
    np.testing.assert_allclose(found[y > 0], blend(scores)[y > 0])


def test_scores_of_members_without_weight_are_ignored():
    scores, y, weight = scored_rows()
    blend = fit_blend(scores, y, weight)._replace(weights=np.array([0.0, 0.0, 0.5, 0.5]))
    expected = blend(scores)
    scores[:, :2] = np.nan
    np.testing.assert_array_equal(blend(scores), expected)
