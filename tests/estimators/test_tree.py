"""AUCTreeClassifier: splits against all thresholds, AUC of the leaves, weights, limits."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from aucmax.estimators.tree import LEAF, AUCTreeClassifier, best_split


def brute_split(X, y, weight, min_leaf):
    """The largest AUC of any allowed split, the better of its two orders taken."""
    best = 0.5
    for column in X.T:
        for threshold in np.unique(column)[:-1]:
            left = column <= threshold
            if min(weight[left].sum(), weight[~left].sum()) >= min_leaf:
                auc = roc_auc_score(y, left, sample_weight=weight)
                best = max(best, auc, 1.0 - auc)
    return best


def splitting(X, y, weight, min_leaf):
    return best_split(X, y, weight, np.arange(y.size), min_leaf)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("min_leaf", [0.5, 6.0, 15.0])
@pytest.mark.parametrize("seed", range(3))
def test_split_is_the_best_of_all_thresholds(table, ties, min_leaf, seed):
    X, y, weight = table(24, dim=3, seed=seed)
    X = np.round(X) if ties else X
    split = splitting(X, y, weight, min_leaf)
    assert 0.5 + split.distance / 2 == pytest.approx(brute_split(X, y, weight, min_leaf), rel=1e-12)
    if split.column != LEAF:
        left = X[:, split.column] <= split.threshold
        assert min(weight[left].sum(), weight[~left].sum()) >= min_leaf
        shares = [weight[left & (y == sign)].sum() / weight[y == sign].sum() for sign in (1.0, -1.0)]
        assert abs(shares[0] - shares[1]) == pytest.approx(split.distance, rel=1e-12)


def test_the_minimum_leaf_weight_does_not_exclude_a_column():
    """The best threshold leaves a single row on one side; the best allowed one is in the same column."""
    X = np.arange(10.0)[:, None]
    y = np.array([1, -1, 1, -1, -1, -1, -1, -1, -1, -1.0])
    assert splitting(X, y, np.ones(10), 1.0).threshold == 2.5
    y = np.array([1, -1, -1, -1, -1, -1, -1, -1, -1, -1.0])
    assert splitting(X, y, np.ones(10), 1.0).threshold == 0.5
    assert splitting(X, y, np.ones(10), 3.0).threshold == 2.5


def test_adjacent_floating_point_numbers_are_separated():
    X = np.array([1.0, np.nextafter(1.0, 2.0)])[:, None]
    model = AUCTreeClassifier(min_samples_leaf=1).fit(X, [0, 1])
    assert model.predict(X).tolist() == [0, 1]


def test_values_of_any_size_have_a_threshold_between_them():
    X = np.array([-1.5e308, 1.5e308])[:, None]
    model = AUCTreeClassifier(min_samples_leaf=1).fit(X, [0, 1])
    assert model.predict(X).tolist() == [0, 1]


def test_ranking_leaves_by_share_gives_the_auc_of_the_formula_and_the_largest_of_all_orders(table):
    X, y, _ = table(120, dim=3)
    model = AUCTreeClassifier(max_depth=3, min_samples_leaf=10).fit(X, y)
    leaves = model.nodes_.leaves(X)
    ends = np.unique(leaves)
    n, p = model.nodes_.weights[ends].T
    order = np.argsort(p / (p + n))
    below = np.cumsum(n[order]) - n[order]
    formula = np.sum(p[order] * (n[order] / 2 + below)) / (p.sum() * n.sum())
    place = np.empty(leaves.max() + 1)
    place[ends[order]] = np.arange(ends.size)
    assert roc_auc_score(y, place[leaves]) == pytest.approx(formula, rel=1e-12)
    assert 3 <= ends.size <= 7
    for other in permutations(range(ends.size)):
        assert _auc_of_order(p[list(other)], n[list(other)]) <= formula + 1e-12


def _auc_of_order(p, n):
    return np.sum(p * (n / 2 + np.cumsum(n) - n)) / (p.sum() * n.sum())


def test_weights_count_as_copies(table):
    X, y, _ = table(80)
    weight = np.random.default_rng(0).integers(0, 4, size=80)
    model = AUCTreeClassifier(max_depth=4)
    copies = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    weighted = clone(model).fit(X, y, weight)
    np.testing.assert_array_equal(weighted.decision_function(X), copies.decision_function(X))


def test_probabilities_are_laplace_estimates_and_scores_their_log_odds(table):
    X, y, weight = table(100)
    model = AUCTreeClassifier(max_depth=2, decision="probability").fit(X, y, weight)
    leaves, proba = model.nodes_.leaves(X), model.predict_proba(X)[:, 1]
    for leaf in np.unique(leaves):
        members = leaves == leaf
        p, total = weight[members & (y > 0)].sum(), weight[members].sum()
        np.testing.assert_allclose(proba[members], (p + 1.0) / (total + 2.0))
    np.testing.assert_allclose(np.log(proba / (1.0 - proba)), model.decision_function(X), atol=1e-12)
    np.testing.assert_array_equal(model.predict_log_proba(X), np.log(model.predict_proba(X)))


def test_limits_of_depth_and_leaf_weight_are_respected(table):
    X, y, _ = table(300)
    model = AUCTreeClassifier(max_depth=3, min_samples_leaf=20).fit(X, y)
    leaves = model.nodes_.column == LEAF
    assert model.nodes_.weights[leaves].sum(axis=1).min() >= 20
    assert leaves.sum() <= 8
    np.testing.assert_allclose(model.nodes_.weights[leaves].sum(axis=0), model.nodes_.weights[0])


def test_a_full_tree_ranks_the_training_rows_perfectly(table):
    X, y, _ = table(100)
    assert roc_auc_score(y, AUCTreeClassifier(min_samples_leaf=1).fit(X, y).decision_function(X)) == 1.0


def test_rules_name_columns_and_labels_may_be_strings(table):
    X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    model = AUCTreeClassifier(min_samples_leaf=1).fit(X, ["no", "no", "yes", "yes"])
    assert model.rules() == "column 0 <= 1.5: 0.25 (0 of 2)\ncolumn 0 > 1.5: 0.75 (2 of 2)"
    assert model.predict(X).tolist() == ["no", "no", "yes", "yes"]


@pytest.mark.parametrize(
    ("values", "threshold"),
    [
        (np.arange(1000001.0, 1000005.0), "1000002.5"),
        (np.array([0.1, 0.2, 0.4, 0.5]), "0.3"),
        (np.array([1.0, np.nextafter(1.0, 0.0), 2.0, 3.0]) / 3.0, "0.5"),
        (np.array([1.0, 1.0, np.nextafter(1.0, 2.0), 3.0]), "1.0"),
        (np.float32([0.1, 0.1, np.nextafter(np.float32(0.1), np.float32(1.0)), 3.0]), "0.100000005"),
    ],
)
def test_rules_show_enough_digits_to_separate_neighbours(values, threshold):
    model = AUCTreeClassifier(min_samples_leaf=1).fit(values[:, None], [0, 0, 1, 1])
    assert model.rules().startswith(f"column 0 <= {threshold}: ")
    np.testing.assert_array_equal(values <= float(threshold), model.predict(values[:, None]) == 0)


def test_a_small_pure_leaf_ranks_below_a_large_one():
    """6 of 6 below 95 of 100."""
    X = np.repeat([0.0, 1.0, 2.0], [6, 100, 20])[:, None]
    y = np.repeat([1, 1, 0, 0], [6, 95, 5, 20])
    scores = AUCTreeClassifier().fit(X, y).decision_function([[0.0], [1.0], [2.0]])
    assert scores[2] < scores[0] < scores[1]


def test_identical_rows_make_one_leaf():
    model = AUCTreeClassifier().fit(np.ones((20, 2)), np.tile([0, 1], 10))
    assert model.rules() == "all rows: 0.5 (10 of 20)"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_depth": 0}, "max_depth=0; give None or an integer of 1 or more"),
        ({"max_depth": True}, "max_depth=True"),
        ({"max_depth": 2.0}, "max_depth=2.0"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0; give a finite number above 0"),
        ({"min_samples_leaf": np.inf}, "min_samples_leaf=inf"),
        ({"min_samples_leaf": True}, "min_samples_leaf=True"),
    ],
)
def test_bad_parameters_are_refused(table, parameters, message):
    X, y, _ = table()
    with pytest.raises(ValueError, match=message):
        AUCTreeClassifier(**parameters).fit(X, y)
