"""compare: AUCs of the folds, paired tests and verdicts, named models, weights, groups, refused input, the plot."""

import json
import types
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm, t
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_circles, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aucmax
from aucmax.comparison import DEFAULT_MODELS, STANDARD_MODELS, compare
from aucmax.comparison.data import Splitting, make_comparison_data
from aucmax.comparison.out_of_fold import collect, fit_fold
from aucmax.comparison.standard_models import find_models
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
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


def run_of(model, shared):
    return collect([fit_fold(model, shared, fold) for fold in range(len(shared.folds))], shared)


def test_few_positives_reduce_the_folds(data):
    X, _ = data
    y = np.arange(300) < 5
    with pytest.warns(UserWarning, match="cv=5, but the rarer class has only 5 rows, .*; using 2 folds"):
        result = compare(X, y, columns(a=0))
    assert result.n_folds == 2


def test_a_model_that_wants_more_folds_than_its_training_rows_allow_says_so(data):
    X, _ = data
    y = np.arange(300) < 12
    with pytest.warns(UserWarning, match="cv=20, but one class has only"):
        compare(X, y, {"a": AUCClassifierCV(loss="squared", cv=20)}, cv=2)


def test_one_model_is_shown_without_differences(data):
    header, (row,) = compare(*data, columns(a=0), cv=2).cells()
    assert header == ("model", "AUC", "95 % interval", "s/fit", "tuned")
    assert len(row) == len(header)


@pytest.mark.parametrize("models", [Column, [Column], {"Column": Column}])
def test_a_class_in_place_of_a_classifier_is_named_in_the_error(data, models):
    with pytest.raises(TypeError, match=r"model 'Column' is a class.*; call it, as in Column\(\)"):
        compare(*data, models)


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
    folds = make_comparison_data(X, y, None, Splitting(4, random_state=3)).folds
    expected = [roc_auc_score(y[test], X[test, 0]) for _, test in folds]
    assert compare(X, y, columns(a=0), cv=4, random_state=3)["a"].aucs == pytest.approx(expected, abs=1e-15)


def test_folds_are_stratified_and_test_every_row_once(data):
    X, y = data
    folds = make_comparison_data(X, y, None, Splitting(5)).folds
    assert np.array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(300))
    assert [int(y[test].sum()) for _, test in folds] == [12] * 5


def test_out_of_fold_scores_are_in_the_order_of_the_rows(data):
    X, y = data
    run = run_of(Column(1), make_comparison_data(X, y, None, Splitting(5)))
    assert np.array_equal(run.scores, X[:, 1])


def test_the_same_model_twice_is_equivalent(data):
    row = compare(*data, columns(a=0, b=0))["b"]
    assert (row.difference, row.std_error, row.p_value, row.verdict) == (0.0, 0.0, 1.0, "equivalent")


def test_verdicts_find_real_differences(data):
    result = compare(*data, columns(good=0, noise=1, other=2), reference="good")
    assert [result[name].verdict for name in ("good", "noise", "other")] == ["reference", "worse", "undecided"]
    assert compare(*data, columns(good=0, noise=1), reference="noise")["good"].verdict == "better"


@pytest.mark.parametrize("repeats", [1, 3])
def test_standard_error_is_the_larger_of_delong_and_nadeau_bengio(data, repeats):
    X, y = data
    result = compare(X, y, columns(a=0, b=2), repeats=repeats)
    a, b = (np.array(result[name].aucs) for name in "ab")
    shared = make_comparison_data(X, y, None, Splitting(5, repeats))
    influence = [run_of(Column(j), shared).influence for j in (0, 2)]
    delong = np.linalg.norm(influence[1] - influence[0])
    resampled = np.sqrt((1 / a.size + 60 / 240) * np.var(b - a, ddof=1))
    assert result["b"].std_error == pytest.approx(max(delong, resampled), rel=1e-12)
    law = norm if delong > resampled else t(a.size - 1)
    p_value = 2 * law.sf(abs(result["b"].difference) / max(delong, resampled))
    assert result["b"].p_value == pytest.approx(p_value, rel=1e-9)


def test_p_values_of_several_models_are_corrected(data):
    X, y = data
    X = np.column_stack([X, X[:, 0] + np.random.default_rng(1).normal(size=300)])
    alone = {name: compare(X, y, columns(a=0, **{name: j}))[name].p_value for name, j in (("b", 2), ("c", 3))}
    together = compare(X, y, columns(a=0, b=2, c=3))
    smaller, larger = sorted(alone, key=alone.get)
    assert together[smaller].p_value == pytest.approx(min(2 * alone[smaller], 1.0))
    assert together[larger].p_value == pytest.approx(max(2 * alone[smaller], alone[larger]))


@pytest.mark.thorough
def test_false_positive_rate_is_close_to_nominal():
    """Two equally informative columns, at the 5 % level: more than 5 false positives in 40 have probability 1 %."""
    false_positives = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.arange(150) < 40
        row = compare(rng.normal(size=(150, 2)) + y[:, None], y, columns(a=0, b=1))["b"]
        false_positives += row.verdict in ("better", "worse")
    assert false_positives <= 5


def test_equal_models_on_many_rows_are_equivalent_and_on_few_undecided():
    rng = np.random.default_rng(0)
    y = np.arange(40_000) < 20_000
    X = rng.normal(size=(40_000, 1)) + 1.5 * y[:, None] + 0.3 * rng.normal(size=(40_000, 2))
    assert compare(X, y, columns(a=0, b=1))["b"].verdict == "equivalent"
    few = compare(X[19_900:20_100], y[19_900:20_100], columns(a=0, b=1))["b"]
    assert few.verdict == "undecided" and few.rows_needed > 200


def test_repeats_split_the_rows_anew(data):
    result = compare(*data, columns(a=0), cv=4, repeats=3)
    assert (result.n_folds, result.n_repeats, len(result["a"].aucs)) == (4, 3, 12)
    assert len(set(result["a"].aucs)) > 8


def test_processes_give_the_same_result(data):
    one, two = (compare(*data, ["exact", "cg"], n_jobs=n_jobs) for n_jobs in (None, 2))
    assert [row.aucs for row in one.rows] == [row.aucs for row in two.rows]


class FailsOnOneFold(Column):
    def fit(self, X, y, sample_weight=None):
        if X[0, 0] == FailsOnOneFold.first:
            raise RuntimeError("no luck\nwith this fold")
        return super().fit(X, y)


def test_a_model_that_fails_on_a_fold_is_left_out_with_a_note(data):
    X, y = data
    train, _ = make_comparison_data(X, y, None, Splitting(5)).folds[3]
    FailsOnOneFold.first = X[train[0], 0]
    result = compare(X, y, {"a": Column(0), "bad": FailsOnOneFold(0)})
    assert [row.name for row in result.rows] == ["a"]
    assert result.notes[0].startswith("note: bad failed and is left out: fold ")
    assert result.notes[0].endswith("RuntimeError: no luck")
    with pytest.raises(ValueError, match=r"model 'bad' failed on fold . of 5: RuntimeError: no luck; 1 other"):
        compare(X, y, {"bad": FailsOnOneFold(0), "worse": FailsOnOneFold(1)})


def test_another_reference_takes_the_place_of_one_that_fails(data):
    X, y = data
    train, _ = make_comparison_data(X, y, None, Splitting(5)).folds[3]
    FailsOnOneFold.first = X[train[0], 0]
    models = {"logistic": FailsOnOneFold(0), "a": Column(0), "b": Column(1)}
    result = compare(X, y, models, reference="logistic")
    assert result.reference == "a" and result["a"].verdict == "reference"
    assert result.notes[1] == "note: the reference failed; the others are tested against a instead"
    expected = compare(X, y, {"a": Column(0), "b": Column(1)})
    assert result["b"].p_value == expected["b"].p_value


def test_rows_are_sorted_by_decreasing_auc(data):
    result = compare(*data, columns(noise=1, good=0))
    assert result.best == result.rows[0].name == "good"
    assert result.rows[0].auc > result.rows[1].auc


def test_summary_is_on_the_best_model_of_aucmax():
    X, y = make_circles(200, noise=0.1, factor=0.5, random_state=0)
    models = {
        "aucmax": AUCClassifierCV(cv=2),
        "other": KNeighborsClassifier(),
        "ours": make_pipeline(StandardScaler(), KernelAUCClassifier("rbf", cv=2, random_state=0)),
        "logistic": LogisticRegression(),
    }
    result = compare(X, y, models, cv=2)
    assert {row.name for row in result.rows if row.own} == {"aucmax", "ours"}
    assert result.summary == result.sentence("ours") and result.summary.startswith("better: ours 0.9")
    assert result.sentence("aucmax").split(": ")[1].startswith("aucmax 0.")
    assert result.sentence("logistic").startswith("logistic 0.")
    others = {name: models[name] for name in ("other", "logistic")}
    assert compare(X, y, others, cv=2).summary.startswith("better: other")


def test_summary_is_a_sentence_with_the_verdict(data):
    assert compare(*data, columns(noise=1, good=0)).summary.startswith("better: good 0.8")
    assert "less" not in compare(*data, columns(good=0, noise=1)).summary
    assert compare(*data, columns(good=0, other=2)).summary.startswith("undecided: other")
    assert compare(*data, columns(good=0, other=2), rope=0.5).summary.startswith("equivalent: other")
    assert "95 % interval" in compare(*data, columns(good=0)).summary


def test_the_same_seed_gives_the_same_result(data):
    first, again, other = (compare(*data, ["aucmax", "cg"], random_state=seed).rows[0] for seed in (1, 1, 2))
    assert (first.aucs, first.p_value) == (again.aucs, again.p_value)
    assert first.aucs != other.aucs


def test_standard_models_run_dense_and_sparse_without_a_warning():
    X, y = make_classification(200, 6, weights=[0.8], random_state=0)
    dense, csr = compare(X, y, cv=3), compare(sparse.csr_array(X), y, cv=3)
    assert {row.name for row in dense.rows} == set(DEFAULT_MODELS)
    assert dense.reference == "logistic"
    for name in DEFAULT_MODELS:
        assert csr[name].auc == pytest.approx(dense[name].auc, abs=0.02)  # logistic centres only dense columns


@pytest.mark.parametrize("name", [name for name in STANDARD_MODELS if name not in DEFAULT_MODELS])
def test_named_peers_run_without_a_warning(name):
    if name == "lightgbm":
        pytest.importorskip("lightgbm")
    X, y = make_classification(120, 6, weights=[0.7], random_state=0)
    assert compare(X, y, [name], cv=2)[name].auc > 0.6


def test_what_is_tuned_is_said(data):
    search = GridSearchCV(Column(0), {"j": [0]}, cv=2, scoring="roc_auc")
    result = compare(*data, {"logistic": "logistic", "aucmax": "aucmax", "exact": "exact", "mine": search}, cv=2)
    assert {row.name: row.tuned for row in result.rows} == {
        "logistic": "C",
        "aucmax": "alpha, loss",
        "exact": "no",
        "mine": "yes",
    }


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
    folds = make_comparison_data(X, y, weight, Splitting(5)).folds
    assert all(np.array_equal(seen, weight[train]) for seen, (train, _) in zip(Column.seen, folds))
    assert result.notes == ("note: fitted without sample weights, which they do not support: near",)
    expected = [roc_auc_score(y[test], X[test, 0], sample_weight=weight[test]) for _, test in folds]
    assert result["a"].aucs == pytest.approx(expected, abs=1e-12)


def test_weights_pass_through_grid_search_and_metadata_routing(data):
    X, y = data
    weight = np.random.default_rng(0).integers(1, 4, 300).astype(float)
    folds = make_comparison_data(X, y, weight, Splitting(5)).folds

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
    for train, test in make_comparison_data(*data, None, Splitting(3, groups=groups)).folds:
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
    assert "<0.001" in str(compare(*data, columns(good=0, noise=1), repeats=5))


def test_times_and_non_zero_weights_have_ranges(data):
    result = compare(*data, {"linear": "exact", "column": Column(0)}, cv=3)
    row = result["linear"].to_dict()
    for name in ("fit_seconds", "score_seconds", "nonzeros"):
        assert 0 < row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    assert "nonzeros_low" not in result["column"].to_dict()


def test_a_comparison_becomes_a_data_frame_and_html(data):
    pytest.importorskip("pandas")
    result = compare(*data, columns(good=0, noise=1))
    frame = result.to_frame()
    assert frame.loc["good", "auc"] == result["good"].auc
    assert frame.loc["noise", "recall_at_fpr_5_low"] == result["noise"].measures["recall_at_fpr_5"].low
    hostile = compare(*data, {"<b>": Column(0), "a": Column(1)})
    assert "<td>&lt;b&gt;</td>" in hostile._repr_html_()


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
        ({"models": ["spm"]}, r"unknown model 'spm'; choose from \['aucmax', 'kernel', 'stack', 'logistic'"),
        ({"models": []}, "no models"),
        ({"models": {"scaler": StandardScaler()}}, "give a classifier with decision_function or predict_proba"),
        ({"reference": "lda"}, "unknown reference 'lda'"),
        ({"repeats": 0}, "repeats=0; give an integer of 1 or more"),
        ({"repeats": 2, "cv": [(np.arange(150), np.arange(150, 300))]}, "repeats=2 with a splitter"),
        ({"rope": -0.1}, "rope=-0.1; give a number from 0 to 1"),
        ({"sample_weight": -np.ones(300)}, "give 0, or a number from 1e-100 to"),
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
    shared = make_comparison_data(*data, None, Splitting(5))
    found = find_models({"mine": Column(0), "theirs": "logistic"}, shared, 0)
    assert list(found) == ["mine", "theirs"] and hasattr(found["theirs"], "predict_proba")


def test_plot_has_the_best_on_top_and_the_reference_at_zero(data):
    result = compare(*data, columns(noise=1, good=0))
    ax = plot_comparison(result)
    labels = {tick.get_text(): place for tick, place in zip(ax.get_yticklabels(), ax.get_yticks())}
    assert labels["good"] > labels["noise"]
    points = {line.get_ydata()[0]: line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"}
    assert points[labels["noise"]] == 0.0
    assert points[labels["good"]] == pytest.approx(result["good"].auc - result["noise"].auc)


def test_plot_does_not_magnify_small_differences(data):
    X, y = data
    X[:, 0] = y  # a perfect ranking on every fold
    low, high = plot_comparison(compare(X, y, columns(a=0, b=0))).get_xlim()
    assert high - low >= 0.02


def test_a_frequent_positive_string_is_warned_of_once():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(200) < 0.2, "fraud", "legit")
    X = rng.normal(size=(200, 2)) + (y == "fraud")[:, None]
    with pytest.warns(UserWarning, match="the positive class is 'legit'") as caught:
        compare(X, y, {"a": AUCClassifierCV(cv=2), "b": AUCClassifierCV(cv=2)}, cv=3)
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name]
