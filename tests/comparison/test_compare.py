"""compare: AUCs of the folds, paired tests and verdicts, named models, weights, groups, refused input, the plot."""

import json
import types

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

import aucmax
from aucmax.comparison import STANDARD_MODELS, compare
from aucmax.comparison.out_of_fold import make_comparison_data, out_of_fold_scores
from aucmax.comparison.standard_models import find_models
from aucmax.plots.comparison import plot_comparison


class Column(ClassifierMixin, BaseEstimator):
    """Ranks by one column; records the weights it is fitted with."""

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


def columns(**places):
    return {name: Column(j) for name, j in places.items()}


def test_few_positives_reduce_the_folds(data):
    X, _ = data
    y = np.arange(300) < 5
    with pytest.warns(UserWarning, match="cv=5, but the rarer class has only 5 rows; using 2 folds"):
        result = compare(X, y, columns(a=0))
    assert result.n_folds == 2


@pytest.mark.parametrize("models", [{"a": Column()}, [Column()], Column(), ["aucmax"], "aucmax"], ids=str)
def test_models_in_the_place_of_the_table_are_named_in_the_error(data, models):
    X, y = data
    kind = ValueError if models == ["aucmax"] else TypeError  # a list of strings may be labels or a table
    with pytest.raises(kind):
        compare(models, X, y)
    if kind is TypeError:
        with pytest.raises(TypeError, match=r"X is .*, not data; call compare\(X, y, models\)"):
            compare(models, X, y)
        with pytest.raises(TypeError, match=r"y is .*, not data; call compare\(X, y, models\)"):
            compare(X, models, y)


def test_a_list_of_classifiers_is_called_after_their_classes(data):
    models = [Column(0), Column(1), make_pipeline(StandardScaler(), GaussianNB()), "exact"]
    result = compare(*data, models, cv=3)
    assert sorted(row.name for row in result.rows) == ["Column", "Column 2", "GaussianNB", "exact"]
    assert result["Column"].auc > result["Column 2"].auc


def test_the_package_is_a_module_and_compare_a_function():
    assert isinstance(aucmax.comparison, types.ModuleType)
    assert aucmax.compare is compare


def test_auc_of_every_fold_is_that_of_scikit_learn(data):
    X, y = data
    folds = make_comparison_data(X, y, 4, None, None, 3).folds
    expected = [roc_auc_score(y[test], X[test, 0]) for _, test in folds]
    assert compare(X, y, columns(a=0), cv=4, random_state=3)["a"].aucs == pytest.approx(expected, abs=1e-15)


def test_folds_are_stratified_and_test_every_row_once(data):
    X, y = data
    folds = make_comparison_data(X, y, 5, None, None, 0).folds
    assert np.array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(300))
    assert [int(y[test].sum()) for _, test in folds] == [12] * 5


def test_out_of_fold_scores_are_in_the_order_of_the_rows(data):
    X, y = data
    run = out_of_fold_scores(Column(1), make_comparison_data(X, y, 5, None, None, 0))
    assert np.array_equal(run.scores, X[:, 1])


def test_the_same_model_twice_is_a_tie(data):
    row = compare(*data, columns(a=0, b=0))["b"]
    assert (row.difference, row.std_error, row.p_value, row.verdict) == (0.0, 0.0, 1.0, "tie")


def test_verdicts_find_real_differences(data):
    result = compare(*data, columns(good=0, noise=1, other=2), reference="good")
    assert [result[name].verdict for name in ("good", "noise", "other")] == ["reference", "worse", "tie"]
    assert compare(*data, columns(good=0, noise=1), reference="noise")["good"].verdict == "better"


def test_standard_error_is_the_larger_of_delong_and_nadeau_bengio(data):
    X, y = data
    result = compare(X, y, columns(a=0, b=2))
    a, b = (np.array(result[name].aucs) for name in "ab")
    shared = make_comparison_data(X, y, 5, None, None, 0)
    influence = [out_of_fold_scores(Column(j), shared).influence for j in (0, 2)]
    delong = np.linalg.norm(influence[1] - influence[0]) / 5
    resampled = np.sqrt((1 / 5 + 60 / 240) * np.var(b - a, ddof=1))
    assert result["b"].std_error == pytest.approx(max(delong, resampled), rel=1e-12)
    p_value = 2 * norm.sf(abs(result["b"].difference) / max(delong, resampled))
    assert result["b"].p_value == pytest.approx(p_value, rel=1e-9)


def test_false_positive_rate_is_close_to_nominal():
    """Two equally informative columns, at the 5 % level: more than 5 false positives in 40 have probability 1 %."""
    false_positives = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.arange(150) < 40
        false_positives += compare(rng.normal(size=(150, 2)) + y[:, None], y, columns(a=0, b=1))["b"].verdict != "tie"
    assert false_positives <= 5


def test_rows_are_sorted_by_decreasing_auc(data):
    result = compare(*data, columns(noise=1, good=0))
    assert result.best == result.rows[0].name == "good"
    assert result.rows[0].auc > result.rows[1].auc


def test_summary_is_a_sentence_with_the_verdict(data):
    assert compare(*data, columns(noise=1, good=0)).summary.startswith("better: good 0.8")
    assert "less" not in compare(*data, columns(good=0, noise=1)).summary
    assert compare(*data, columns(good=0, other=2)).summary.startswith("tie: other")
    assert "95 % interval" in compare(*data, columns(good=0)).summary


def test_the_same_seed_gives_the_same_result(data):
    first, again, other = (compare(*data, ["aucmax", "cg"], random_state=seed).rows[0] for seed in (1, 1, 2))
    assert (first.aucs, first.p_value) == (again.aucs, again.p_value)
    assert first.aucs != other.aucs


def test_standard_models_run_dense_and_sparse_without_a_warning():
    X, y = make_classification(200, 6, weights=[0.8], random_state=0)
    dense, csr = compare(X, y, cv=3), compare(sparse.csr_array(X), y, cv=3)
    assert {row.name for row in dense.rows} == set(STANDARD_MODELS)
    assert dense.reference == "logistic"
    for name in STANDARD_MODELS:
        assert csr[name].auc == pytest.approx(dense[name].auc, abs=0.02)  # logistic centres only dense columns


def test_names_of_solvers_are_models(data):
    result = compare(*data, ["exact", "cg"])
    assert result["cg"].auc == pytest.approx(result["exact"].auc, abs=1e-4)  # cg stops at a gap


def test_classifiers_with_probabilities_only_and_any_labels(data):
    X, y = data
    result = compare(X, np.where(y, "yes", "no"), {"bayes": GaussianNB(), "logistic": LogisticRegression()})
    assert result["bayes"].auc > 0.8


def test_data_frames_are_passed_to_the_models(data):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data[0], columns=["a", "b", "c"])
    assert compare(frame, data[1], ["exact"]).best == "exact"


def test_weights_are_passed_to_the_models_that_support_them_and_the_others_are_named(data):
    X, y = data
    weight = np.random.default_rng(0).integers(1, 4, 300).astype(float)
    Column.seen.clear()
    models = {
        "a": Column(0),
        "pipe": make_pipeline(StandardScaler(), LogisticRegression()),
        "near": KNeighborsClassifier(),
    }
    result = compare(X, y, models, sample_weight=weight)
    folds = make_comparison_data(X, y, 5, weight, None, 0).folds
    assert all(np.array_equal(seen, weight[train]) for seen, (train, _) in zip(Column.seen, folds))
    assert result.notes == ("note: fitted without sample weights, which they do not support: near",)
    expected = [roc_auc_score(y[test], X[test, 0], sample_weight=weight[test]) for _, test in folds]
    assert result["a"].aucs == pytest.approx(expected, abs=1e-12)


def test_weights_pass_through_grid_search_and_metadata_routing(data):
    X, y = data
    weight = np.random.default_rng(0).integers(1, 4, 300).astype(float)
    folds = make_comparison_data(X, y, 5, weight, None, 0).folds

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


def test_rows_of_weight_zero_are_ignored(data):
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
    for train, test in make_comparison_data(*data, 3, None, groups, 0).folds:
        assert not set(groups[train]) & set(groups[test])


def test_progress_counts_all_fits(data):
    seen = []
    compare(*data, columns(a=0, b=1), cv=3, progress=lambda *step: seen.append(step))
    assert seen == [(k, 6, "a" if k <= 3 else "b") for k in range(1, 7)]


def test_a_comparison_is_json_serialisable_and_prints_a_table(data):
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
        ({"y": np.ones(10)}, "two classes"),
        ({"X": np.ones((10, 3))}, "inconsistent numbers of samples"),
        ({"cv": 1}, "cv=1; give an integer of 2 or more"),
        ({"cv": True}, "cv=True; give an integer of 2 or more"),
        ({"models": ["spm"]}, r"unknown model 'spm'; choose from \['aucmax', 'kernel', 'logistic'"),
        ({"models": []}, "no models"),
        ({"models": {"scaler": StandardScaler()}}, "give a classifier with decision_function or predict_proba"),
        ({"reference": "lda"}, "unknown reference 'lda'"),
        ({"sample_weight": -np.ones(300)}, "weights must be zero or positive"),
        ({"sample_weight": np.zeros(300)}, "weights of the positive class are zero"),
        ({"groups": np.repeat([0, 1], [240, 60]), "cv": 2}, "rows of fold 0 .* one class"),
        ({"X": np.full((300, 3), np.nan)}, "NaN"),
    ],
)
def test_bad_input_is_refused(data, change, message):
    arguments = {"X": data[0], "y": data[1], "models": ["exact"], **change}
    with pytest.raises(ValueError, match=message):
        compare(arguments.pop("X"), arguments.pop("y"), **arguments)


def test_names_and_classifiers_can_be_mixed(data):
    shared = make_comparison_data(*data, 5, None, None, 0)
    found = find_models({"mine": Column(0), "theirs": "logistic"}, shared, 0)
    assert list(found) == ["mine", "theirs"] and hasattr(found["theirs"], "predict_proba")


def test_plot_has_the_best_on_top_and_ends_at_one(data):
    ax = plot_comparison(compare(*data, columns(noise=1, good=0)))
    labels = {tick.get_text(): place for tick, place in zip(ax.get_yticklabels(), ax.get_yticks())}
    assert labels["good"] > labels["noise"]
    assert 0.0 <= ax.get_xlim()[0] < ax.get_xlim()[1] <= 1.0


def test_plot_does_not_magnify_small_differences(data):
    X, y = data
    X[:, 0] = y  # a perfect ranking on every fold
    low, high = plot_comparison(compare(X, y, columns(a=0, b=0))).get_xlim()
    assert high - low >= 0.02
