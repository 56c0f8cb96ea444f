import json

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax.comparison import STANDARD, compare
from aucmax.comparison.baselines import find_models
from aucmax.comparison.trial import make_trial, out_of_fold
from aucmax.metrics import auc_influence, auc_interval, auc_limits, auc_test
from aucmax.plots.comparison import plot_comparison


class Column(ClassifierMixin, BaseEstimator):
    """Ranks by one column; remembers the weights it was given."""

    seen: list = []  # noqa: RUF012

    def __init__(self, j=0):
        self.j = j

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        Column.seen.append(sample_weight)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, self.j]


@pytest.fixture
def data():
    """Column 0 ranks well, column 1 at random, column 2 as well as column 0."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [240, 60])
    X = rng.normal(size=(300, 3))
    X[:, [0, 2]] += 1.5 * y[:, None]
    return X, y


@pytest.fixture
def scored():
    rng = np.random.default_rng(1)
    y = rng.random(80) < 0.3
    return y, np.round(rng.normal(size=80) + y, 1), np.round(rng.normal(size=80) + y, 1)


def columns(**places):
    return {name: Column(j) for name, j in places.items()}


def test_squared_influences_are_the_delong_variance(scored):
    y, score, _ = scored
    phi = auc_influence(y, score, np.ones(80))
    assert np.linalg.norm(phi) == pytest.approx(auc_interval(y, score).std_error, rel=1e-12)


def test_squared_differences_of_influence_are_the_paired_variance(scored):
    y, a, b = scored
    ones = np.ones(80)
    found = np.linalg.norm(auc_influence(y, a, ones) - auc_influence(y, b, ones))
    assert found == pytest.approx(auc_test(y, a, b).std_error, rel=1e-12)


def test_influence_does_not_depend_on_the_unit_of_the_weights(scored):
    y, score, _ = scored
    weight = np.arange(1.0, 81.0)
    assert auc_influence(y, score, 7 * weight) == pytest.approx(auc_influence(y, score, weight), rel=1e-12)


def test_weighted_influence_is_the_derivative_of_the_auc(scored):
    y, score, _ = scored
    weight = np.linspace(1.0, 2.0, 80)
    phi = auc_influence(y, score, weight)
    i = int(np.flatnonzero(y)[3])
    step = np.zeros(80)
    step[i] = 1e-6 * weight[i]
    change = roc_auc_score(y, score, sample_weight=weight + step) - roc_auc_score(y, score, sample_weight=weight)
    share = weight[y] / weight[y].sum()
    assert phi[i] * np.sqrt(1 - share @ share) == pytest.approx(change / 1e-6, rel=1e-3)  # of a difference quotient


def test_limits_are_those_of_the_metrics(scored):
    y, score, _ = scored
    auc, low, high, std_error = auc_interval(y, score)
    assert auc_limits(auc, std_error, int(y.sum())) == pytest.approx((low, high), rel=1e-12)


def test_a_perfect_ranking_has_an_interval_all_the_same():
    low, high = auc_limits(1.0, 0.0, 20)
    assert (low, high) == (pytest.approx(0.05 ** (1 / 20)), 1.0)


def test_auc_of_every_fold_is_that_of_scikit_learn(data):
    X, y = data
    trial = make_trial(X, y, 4, None, None, 3)
    expected = [roc_auc_score(y[test], X[test, 0]) for _, test in trial.folds]
    assert compare(X, y, columns(a=0), cv=4, random_state=3)["a"].aucs == pytest.approx(expected, abs=1e-15)


def test_folds_are_stratified_and_test_every_row_once(data):
    X, y = data
    folds = make_trial(X, y, 5, None, None, 0).folds
    assert np.array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(300))
    assert [int(y[test].sum()) for _, test in folds] == [12] * 5


def test_out_of_fold_scores_are_in_the_order_of_the_rows(data):
    X, y = data
    assert np.array_equal(out_of_fold(Column(1), make_trial(X, y, 5, None, None, 0)).scores, X[:, 1])


def test_the_same_model_twice_is_a_tie_without_doubt(data):
    row = compare(*data, columns(a=0, b=0))["b"]
    assert (row.difference, row.std_error, row.p_value, row.verdict) == (0.0, 0.0, 1.0, "tie")


def test_verdicts_see_what_is_there(data):
    result = compare(*data, columns(good=0, noise=1, other=2), reference="good")
    assert [result[name].verdict for name in ("good", "noise", "other")] == ["reference", "worse", "tie"]
    assert compare(*data, columns(good=0, noise=1), reference="noise")["good"].verdict == "better"


def test_error_of_a_difference_is_the_larger_of_two(data):
    X, y = data
    result = compare(X, y, columns(a=0, b=2))
    a, b = (np.array(result[name].aucs) for name in "ab")
    trial = make_trial(X, y, 5, None, None, 0)
    runs = [out_of_fold(Column(j), trial).influence for j in (0, 2)]
    delong = np.linalg.norm(runs[1] - runs[0]) / 5
    resampled = np.sqrt((1 / 5 + 60 / 240) * np.var(b - a, ddof=1))
    assert result["b"].std_error == pytest.approx(max(delong, resampled), rel=1e-12)
    p_value = 2 * norm.sf(abs(result["b"].difference) / max(delong, resampled))
    assert result["b"].p_value == pytest.approx(p_value, rel=1e-9)


def test_a_tie_is_seldom_missed():
    """Two columns of the same worth: at the 5 % level at most 5 of 40 verdicts may say otherwise (chance 5 %)."""
    missed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.arange(150) < 40
        missed += compare(rng.normal(size=(150, 2)) + y[:, None], y, columns(a=0, b=1))["b"].verdict != "tie"
    assert missed <= 5


def test_rows_are_sorted_and_the_first_is_best(data):
    result = compare(*data, columns(noise=1, good=0))
    assert result.best == result.rows[0].name == "good"
    assert result.rows[0].auc > result.rows[1].auc


def test_summary_says_which_is_better_in_words(data):
    assert compare(*data, columns(noise=1, good=0)).summary.startswith("better: good 0.8")
    assert "less" not in compare(*data, columns(good=0, noise=1)).summary
    assert compare(*data, columns(good=0, other=2)).summary.startswith("tie: other")
    assert "95 % interval" in compare(*data, columns(good=0)).summary


def test_the_same_seed_gives_the_same_answer(data):
    first, again, other = (compare(*data, ["aucmax", "cg"], random_state=seed).rows[0] for seed in (1, 1, 2))
    assert (first.aucs, first.p_value) == (again.aucs, again.p_value)
    assert first.aucs != other.aucs


def test_standard_models_run_dense_and_sparse_without_a_warning():
    X, y = make_classification(200, 6, weights=[0.8], random_state=0)
    dense, csr = compare(X, y, cv=3), compare(sparse.csr_array(X), y, cv=3)
    assert {row.name for row in dense.rows} == set(STANDARD)
    assert dense.reference == "logistic"
    for name in STANDARD:
        assert csr[name].auc == pytest.approx(dense[name].auc, abs=0.02)  # logistic centres only dense columns


def test_names_of_solvers_are_models(data):
    result = compare(*data, ["exact", "cg"])
    assert result["cg"].auc == pytest.approx(result["exact"].auc, abs=1e-4)  # cg stops at a gap


def test_classifiers_with_probabilities_only_and_any_labels(data):
    X, y = data
    result = compare(X, np.where(y, "yes", "no"), {"bayes": GaussianNB(), "logistic": LogisticRegression()})
    assert result["bayes"].auc > 0.8


def test_data_frames_reach_the_models_as_they_are(data):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data[0], columns=["a", "b", "c"])
    assert compare(frame, data[1], ["exact"]).best == "exact"


def test_weights_reach_those_models_that_take_them_and_the_others_are_named(data):
    X, y = data
    weight = np.random.default_rng(0).integers(1, 4, 300).astype(float)
    Column.seen.clear()
    models = {
        "a": Column(0),
        "pipe": make_pipeline(StandardScaler(), LogisticRegression()),
        "near": KNeighborsClassifier(),
    }
    result = compare(X, y, models, sample_weight=weight)
    folds = make_trial(X, y, 5, weight, None, 0).folds
    assert all(np.array_equal(seen, weight[train]) for seen, (train, _) in zip(Column.seen, folds))
    assert result.notes == ("note: fitted without the weights, which they do not take: near",)
    expected = [roc_auc_score(y[test], X[test, 0], sample_weight=weight[test]) for _, test in folds]
    assert result["a"].aucs == pytest.approx(expected, abs=1e-12)


def test_weights_pass_through_a_search_and_by_routing(data):
    X, y = data
    weight = np.random.default_rng(0).integers(1, 4, 300).astype(float)
    folds = make_trial(X, y, 5, weight, None, 0).folds

    def weights_seen(model):
        Column.seen.clear()
        assert compare(X, y, {"a": model}, sample_weight=weight).notes == ()
        return Column.seen

    found = weights_seen(GridSearchCV(Column(0), {"j": [0]}, cv=2, scoring="roc_auc"))
    assert all(np.array_equal(found[3 * k + 2], weight[train]) for k, (train, _) in enumerate(folds))
    with config_context(enable_metadata_routing=True):
        asking = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), Column(0).set_fit_request(sample_weight=True)
        )
        assert all(np.array_equal(seen, weight[train]) for seen, (train, _) in zip(weights_seen(asking), folds))


def test_rows_without_weight_do_not_matter(data):
    X, y = data
    weight = np.ones(300)
    weight[::10] = 0.0
    changed = X.copy()
    changed[::10] = 1e6
    assert compare(changed, y, ["exact"], sample_weight=weight).rows[0].aucs == pytest.approx(
        compare(X, y, ["exact"], sample_weight=weight).rows[0].aucs
    )


def test_groups_stay_together(data):
    groups = np.arange(300) % 30
    for train, test in make_trial(*data, 3, None, groups, 0).folds:
        assert not set(groups[train]) & set(groups[test])


def test_progress_counts_all_fits(data):
    seen = []
    compare(*data, columns(a=0, b=1), cv=3, progress=lambda *step: seen.append(step))
    assert seen == [(k, 6, "a" if k <= 3 else "b") for k in range(1, 7)]


def test_a_comparison_is_plain_json_and_a_table(data):
    result = compare(*data, columns(good=0, noise=1))
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert [row["name"] for row in plain["rows"]] == ["good", "noise"]
    assert plain["summary"] == result.summary
    assert len(str(result).splitlines()) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.zeros(300)}, "two classes but has 1"),
        ({"y": np.arange(300) % 3}, "two classes but has 3"),
        ({"y": np.arange(300) == 0}, "the rarer class has 1 rows"),
        ({"y": np.arange(300) < 7}, "cv=5, but the rarer class has 7 rows; lower cv to 3"),
        ({"y": np.ones(10)}, "two classes"),
        ({"X": np.ones((10, 3))}, "inconsistent numbers of samples"),
        ({"cv": 1}, "at least 2 folds"),
        ({"models": ["spm"]}, r"unknown model 'spm'; choose from \['aucmax', 'kernel', 'logistic'"),
        ({"models": []}, "no models"),
        ({"models": {"scaler": StandardScaler()}}, "a classifier that scores rows"),
        ({"reference": "lda"}, "unknown reference 'lda'"),
        ({"sample_weight": -np.ones(300)}, "weights must be zero or positive"),
        ({"sample_weight": np.zeros(300)}, "weights of the positive class are zero"),
        ({"groups": np.repeat([0, 1], [240, 60]), "cv": 2}, "of one class only"),
        ({"X": np.full((300, 3), np.nan)}, "NaN"),
    ],
)
def test_bad_input_is_named(data, change, message):
    arguments = {"X": data[0], "y": data[1], "models": ["exact"], **change}
    with pytest.raises(ValueError, match=message):
        compare(arguments.pop("X"), arguments.pop("y"), **arguments)


def test_names_and_classifiers_can_be_mixed(data):
    trial = make_trial(*data, 5, None, None, 0)
    found = find_models({"mine": Column(0), "theirs": "logistic"}, trial, 0)
    assert list(found) == ["mine", "theirs"] and hasattr(found["theirs"], "predict_proba")


def test_picture_has_the_best_on_top_and_ends_at_one(data):
    ax = plot_comparison(compare(*data, columns(noise=1, good=0)))
    labels = {tick.get_text(): place for tick, place in zip(ax.get_yticklabels(), ax.get_yticks())}
    assert labels["good"] > labels["noise"]
    assert 0.0 <= ax.get_xlim()[0] < ax.get_xlim()[1] <= 1.0


def test_picture_does_not_blow_up_small_differences(data):
    X, y = data
    X[:, 0] = y  # a perfect ranking on every fold
    low, high = plot_comparison(compare(X, y, columns(a=0, b=0))).get_xlim()
    assert high - low >= 0.02
