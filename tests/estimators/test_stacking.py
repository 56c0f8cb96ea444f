"""Stacks: no leaks, weights, calibration, parameters of members, and scikit-learn's contract."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold, PredefinedSplit, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from aucmax import AUCClassifier, AUCClassifierCV, AUCStackingClassifier, KernelAUCClassifier
from aucmax.estimators import stack_members
from aucmax.estimators.cross_fit import CrossFitClassifier, soft_logit
from aucmax.metrics import auc_interval
from aucmax.selection.splits import make_splits
from aucmax.validation.inputs import LabeledData


def table(n=300, seed=0, **settings):
    options = {"n_features": 8, "n_informative": 4, "weights": [0.8], "flip_y": 0.1} | settings
    return make_classification(n, random_state=seed, **options)


class Half(FunctionTransformer):
    """Some of the columns."""

    def __init__(self, columns=slice(None)):
        super().__init__()
        self.columns = columns

    def transform(self, X):
        return X[:, self.columns]


def linear_members():
    return [("linear", AUCClassifierCV(loss="squared")), ("bayes", GaussianNB()), ("logistic", LogisticRegression())]


def memorizing_members():
    """Members that rank their own training rows perfectly."""
    trees = ExtraTreesClassifier(60, bootstrap=True)
    return [("neighbor", KNeighborsClassifier(1)), ("trees", trees), ("bags", BaggingClassifier(n_estimators=50))]


@pytest.mark.parametrize("members", [None, memorizing_members()], ids=["default", "memorizing"])
def test_out_of_fold_scores_of_random_labels_rank_as_chance_does(members):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
    model = AUCStackingClassifier(members, random_state=0).fit(X, y)
    interval = auc_interval(y, model.oof_scores_)
    assert abs(interval.auc - 0.5) < 3 * interval.std_error
    assert roc_auc_score(y, model.decision_function(X)) > 0.6  # of the training rows


def random_labels(share, seed):
    """Rows of noise, some of which are positive."""
    y = (np.arange(400) < 400 * share).astype(int)
    return np.random.default_rng(seed).normal(size=(400, 5)), y


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.1, 0.03])
def test_members_of_one_setting_rank_rare_random_labels_as_chance_does(share):
    """With one setting nothing is chosen on the out-of-fold scores, so that no optimism is left."""
    kernel = KernelAUCClassifier("laplacian", 60, gamma=0.3, alphas=[0.1], relevance=False)
    boosting = HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=7, early_stopping=False)
    members = [
        ("kernel", kernel),
        ("trees", ExtraTreesClassifier(60, bootstrap=True)),
        ("boosted", CrossFitClassifier(boosting)),
    ]
    aucs = {name: [] for name, _ in members}
    for seed in range(20):
        X, y = random_labels(share, seed)
        for name, model in members:
            stack = AUCStackingClassifier([(name, model)], random_state=seed).fit(X, y)
            aucs[name].append(roc_auc_score(y, stack.oof_scores_))
    for name, found in aucs.items():
        error = np.std(found, ddof=1) / np.sqrt(len(found))
        assert abs(np.mean(found) - 0.5) < 3 * error, (name, np.mean(found), error)


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.1, 0.03])
def test_what_is_chosen_is_chosen_without_the_rows_that_it_scores(share):
    """With the weights of all rows, or those of the other folds' scores, the mean is above 1/2."""
    aucs = []
    for seed in range(16):
        X, y = random_labels(share, seed)
        model = KernelAUCClassifier(n_components=100, random_state=seed).fit(X, y)
        aucs.append((roc_auc_score(y, model.oof_scores_), model.cv_results_["mean_test_score"].max()))
    held_out, luckiest = np.mean(aucs, axis=0)
    error = np.std(aucs, axis=0, ddof=1)[0] / np.sqrt(len(aucs))
    assert abs(held_out - 0.5) < 2 * error, (held_out, error)
    assert luckiest > 0.5 + 3 * error


def test_out_of_fold_scores_are_those_of_scikit_learn():
    X, y = table()
    folds = make_splits(4, X, np.where(y > 0, 1.0, -1.0), np.ones(y.size), None, np.random.default_rng(0))
    model = AUCStackingClassifier([("bayes", GaussianNB())], cv=folds).fit(X, y)
    expected = soft_logit(cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba")[:, 1])
    scores = model.blend_(expected[:, None]) + model.intercept_
    np.testing.assert_allclose(model.oof_scores_, scores, atol=1e-12)


def test_rows_of_one_group_are_never_on_both_sides():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 4)), rng.integers(0, 2, 150)
    X, y, groups = np.repeat(X, 3, axis=0), np.repeat(y, 3), np.repeat(np.arange(150), 3)
    members = memorizing_members()[:2]
    leaking = AUCStackingClassifier(members, random_state=0).fit(X, y)
    for cv in (5, GroupKFold(5)):
        apart = AUCStackingClassifier(members, cv=cv, random_state=0).fit(X, y, groups=groups)
        assert roc_auc_score(y, leaking.oof_scores_) > 0.9 > 0.65 > roc_auc_score(y, apart.oof_scores_)


def test_the_decision_function_is_the_weighted_sum_of_the_transformed_rows():
    X, y = table()
    model = AUCStackingClassifier(linear_members(), random_state=0).fit(X, y)
    np.testing.assert_allclose(model.transform(X) @ model.weights_ + model.intercept_, model.decision_function(X))
    assert model.weights_.sum() == pytest.approx(1.0) and (model.weights_ >= 0).all()
    assert model.get_feature_names_out().tolist() == ["linear", "bayes", "logistic"]
    frame = clone(model).set_output(transform="pandas").fit(X, y).transform(X)
    assert list(frame.columns) == ["linear", "bayes", "logistic"]


def test_members_are_fitted_to_all_rows():
    X, y = table()
    model = AUCStackingClassifier(linear_members(), random_state=0).fit(X, y)
    expected = GaussianNB().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.named_estimators_.bayes.predict_proba(X), expected)
    assert model.estimators_[1] is model.named_estimators_["bayes"]


def test_a_better_blend_than_each_member():
    X, y = make_classification(1500, n_features=6, n_informative=6, n_redundant=0, class_sep=0.8, random_state=0)
    members = [
        ("left", make_pipeline(Half(slice(0, 3)), GaussianNB())),
        ("right", make_pipeline(Half(slice(3, 6)), GaussianNB())),
    ]
    model = AUCStackingClassifier(members).fit(X[:1000], y[:1000])
    aucs = [roc_auc_score(y[1000:], column) for column in model.transform(X[1000:]).T]
    assert (model.weights_ > 0.2).all()
    assert roc_auc_score(y[1000:], model.decision_function(X[1000:])) > max(aucs) + 0.01


def test_a_single_member_is_used_where_it_is_as_good():
    X, y = table(600)
    linear = AUCClassifierCV(loss="squared", random_state=0)
    members = [("linear", linear), ("again", linear)]
    model = AUCStackingClassifier(members, random_state=0).fit(X, y)
    assert model.weights_.tolist() == [1.0, 0.0]


def test_probabilities_are_calibrated():
    X, y = table(6000, n_features=20)
    model = AUCStackingClassifier(linear_members(), random_state=0).fit(X[:3000], y[:3000])
    probability = model.predict_proba(X[3000:])
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    new = y[3000:]
    assert probability[:, 1].mean() == pytest.approx(new.mean(), abs=0.02)  # standard error .007
    for low in (0.0, 0.2, 0.5):
        inside = (probability[:, 1] >= low) & (probability[:, 1] < low + 0.3)
        assert new[inside].mean() == pytest.approx(probability[inside, 1].mean(), abs=0.08)


@pytest.mark.parametrize("decision", ["prior", "probability", "balanced"])
def test_zero_is_where_the_decision_says(decision):
    X, y = table(2000)
    model = AUCStackingClassifier(linear_members(), decision=decision, random_state=0).fit(X, y)
    scores = model.oof_scores_
    if decision == "prior":
        assert abs(np.sum(scores > 0) - y.sum()) <= 1
    elif decision == "probability":
        np.testing.assert_array_equal(model.predict(X), model.predict_proba(X)[:, 1] > 0.5)
    else:
        assert scores[y == 1].mean() == pytest.approx(-scores[y == 0].mean(), abs=1e-12)


def test_a_threshold_meets_its_rate_on_out_of_fold_scores():
    X, y = table(1000)
    model = AUCStackingClassifier(linear_members(), random_state=0).fit(X, y)
    threshold = model.threshold_at(fpr=0.1)
    assert 0.05 < np.mean(model.oof_scores_[y == 0] >= threshold) <= 0.1


def test_parameters_of_members_are_reached_by_name():
    model = AUCStackingClassifier(linear_members())
    assert model.get_params()["logistic__C"] == 1.0
    model.set_params(logistic__C=0.1, bayes="drop")
    assert model.get_params()["logistic"].C == 0.1
    X, y = table()
    assert list(model.fit(X, y).named_estimators_) == ["linear", "logistic"]
    search = GridSearchCV(
        AUCStackingClassifier(linear_members()), {"logistic__C": [1e-3, 1.0]}, cv=2, scoring="roc_auc"
    )
    assert search.fit(X, y).best_params_["logistic__C"] in (1e-3, 1.0)


def test_same_seed_same_stack_after_clone_and_pickle():
    X, y = table()
    members = [("kernel", KernelAUCClassifier("rbf", 20)), ("trees", ExtraTreesClassifier(60, bootstrap=True))]
    model = AUCStackingClassifier(members, random_state=3).fit(X, y)
    scores = model.decision_function(X)
    np.testing.assert_array_equal(clone(model).fit(X, y).decision_function(X), scores)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), scores)
    assert model.estimators[0][1].random_state is None  # the members that were given are left as they were
    parallel = clone(model).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_allclose(parallel.decision_function(X), scores)


def test_a_weight_of_k_is_k_copies_in_the_same_folds():
    X, y = table(200)
    k = np.random.default_rng(0).integers(1, 4, y.size)
    fold = np.arange(y.size) % 4
    members = [("linear", AUCClassifier(0.01)), ("bayes", GaussianNB())]
    weighted = AUCStackingClassifier(members, cv=PredefinedSplit(fold)).fit(X, y, k)
    X_copied, y_copied, fold_copied = (np.repeat(part, k, axis=0) for part in (X, y, fold))
    copies = AUCStackingClassifier(members, cv=PredefinedSplit(fold_copied)).fit(X_copied, y_copied)
    np.testing.assert_allclose(weighted.weights_, copies.weights_, atol=1e-9)
    np.testing.assert_allclose(weighted.decision_function(X), copies.decision_function(X), atol=1e-7)


def test_rows_of_weight_zero_have_no_effect():
    X, y = table()
    weight = np.ones(y.size)
    weight[::5] = 0
    fold = np.arange(y.size) % 3
    with_zeros = AUCStackingClassifier(linear_members()[1:], cv=PredefinedSplit(fold)).fit(X, y, weight)
    kept = weight > 0
    without = AUCStackingClassifier(linear_members()[1:], cv=PredefinedSplit(fold[kept])).fit(X[kept], y[kept])
    np.testing.assert_allclose(with_zeros.decision_function(X), without.decision_function(X), atol=1e-9)
    assert np.isnan(with_zeros.oof_scores_[weight == 0]).all()
    pairs = [(np.flatnonzero(fold != j), np.flatnonzero(fold == j)) for j in range(3)]
    as_pairs = AUCStackingClassifier(linear_members()[1:], cv=pairs).fit(X, y, weight)
    np.testing.assert_array_equal(as_pairs.oof_scores_, with_zeros.oof_scores_)


@pytest.mark.parametrize(
    "settings",
    [
        {"estimators": [(1, LinearSVC())]},
        {"estimators": [("a", "passthrough")]},
        {"estimators": [("a", LinearSVC)]},
        {"cv": True},
        {"cv": 2.0},
        {"cv": "loo"},
        {"cv": 1},
        {"n_jobs": 0},
        {"n_jobs": 2.5},
        {"n_jobs": "a"},
    ],
)
def test_wrong_settings_are_named(settings):
    (name,) = settings
    with pytest.raises(ValueError, match=rf"{name}=.*; give|member 'a' is .*; give a classifier"):
        AUCStackingClassifier(**{"estimators": linear_members()} | settings).fit(*table())


def test_a_sparse_table_is_ranked_as_the_dense_one():
    X, y = table()
    X[np.abs(X) < 0.5] = 0.0
    members = [("linear", AUCClassifierCV(loss="squared")), ("svm", LinearSVC())]
    dense, csr = (
        AUCStackingClassifier(members, random_state=0).fit(form(X), y) for form in (np.asarray, sparse.csr_array)
    )
    np.testing.assert_allclose(csr.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-4)


@pytest.mark.thorough
def test_default_members_depend_on_size_and_sparseness(monkeypatch):
    monkeypatch.setattr(stack_members, "BOOSTING_ROWS", 200)
    X, y = table(250)
    names = {
        form: list(AUCStackingClassifier(random_state=0).fit(table, labels).named_estimators_)
        for form, table, labels in (("long", X, y), ("short", X[:150], y[:150]), ("sparse", sparse.csr_array(X), y))
    }
    assert names == {
        "long": ["kernel", "trees", "gradient_boosting"],
        "short": ["kernel", "trees"],
        "sparse": ["kernel", "trees"],
    }


@pytest.mark.parametrize(
    ("n", "d", "landmarks", "tuning_rows"),
    [
        (900, 8, 500, 2000),
        (1000, 8, 200, 1000),
        (3000, 16, 200, 1000),
        (4000, 16, 500, 2000),
        (8000, 4, 200, 1000),
        (8000, 60, 300, 2000),
    ],
)
def test_the_kernel_of_a_stack_is_cheap_where_boosting_is(n, d, landmarks, tuning_rows):
    rows = LabeledData(np.zeros((n, d)), np.ones(n), np.ones(n))
    kernel = stack_members.default_members(rows, "none", [], True, 0)[0].estimator
    assert (kernel.n_components, kernel.tuning_rows) == (landmarks, tuning_rows)


@pytest.mark.parametrize(("d", "tried"), [(1, 1), (2, 1), (8, 2), (30, 10), (60, 20), (100, 20), (900, 30)])
def test_extra_trees_try_a_third_of_the_columns_if_these_are_not_too_many(d, tried):
    rows = LabeledData(np.zeros((200, d)), np.ones(200), np.ones(200))
    assert stack_members.default_members(rows, "none", [], True, 0)[1].estimator.max_features == tried


@pytest.mark.thorough
@pytest.mark.parametrize("boosting", ["histogram", "lightgbm", "none"])
def test_the_boosting_can_be_chosen(boosting):
    if boosting == "lightgbm":
        pytest.importorskip("lightgbm")
    X, y = table(150)
    model = AUCStackingClassifier(boosting=boosting, random_state=0).fit(X, y)
    assert ("gradient_boosting" in model.named_estimators_) == (boosting != "none")
    if boosting != "none":
        kind = type(model.named_estimators_.gradient_boosting.estimators_[0]).__name__
        assert kind == {"histogram": "HistGradientBoostingClassifier", "lightgbm": "LGBMClassifier"}[boosting]
    assert np.isfinite(model.decision_function(X)).all()


def test_cross_fitted_models_score_rows_that_they_have_not_seen():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    model = CrossFitClassifier(HistGradientBoostingClassifier(max_iter=30), random_state=0).fit(X, y)
    assert (
        abs(roc_auc_score(y, model.oof_scores_) - 0.5)
        < 0.1
        < 0.2
        < roc_auc_score(y, model.decision_function(X)) - 0.5
    )


def test_the_first_fold_finds_the_deepest_candidate_that_helps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = np.where(X[:, 0] * (X[:, 1] > 0.3) > 0.0, 1.0, -1.0)
    depths = [1, 3, 12, 1]  # the last would be fitted only if the third ranked better than the second
    candidates = [DecisionTreeClassifier(max_depth=depth, min_samples_leaf=5, random_state=0) for depth in depths]
    y = np.where(rng.random(400) < 0.2, -y, y)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    model = CrossFitClassifier(candidates, folds).fit(X, y)
    train, test = folds[0]
    proba = [one.fit(X[train], y[train]).predict_proba(X[test])[:, 1] for one in candidates]
    aucs = [roc_auc_score(y[test], one) for one in proba]
    assert aucs[0] < aucs[1] > aucs[2]
    assert [one.max_depth for one in model.estimators_] == [3, 3, 3]
    np.testing.assert_allclose(model.oof_scores_[test], soft_logit(proba[1]))
    expected = cross_val_predict(candidates[1], X, y, cv=folds, method="predict_proba")[:, 1]
    np.testing.assert_allclose(model.oof_scores_, soft_logit(expected))


def test_boosting_has_fewer_trees_where_columns_are_many():
    setting = stack_members.Boosting(7, 300, 0.06)
    assert setting.for_columns(40) == setting
    assert setting.for_columns(160) == (7, 75, 0.12)
    assert setting.for_columns(4000) == (7, 3, 0.2)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([], "give None or a list"),
        ([("one", GaussianNB()), ("one", GaussianNB())], "not unique"),
        ([("a", "drop")], "at least one classifier"),
        ([("a", StandardScaler())], "give a classifier"),
        ("kernel", "give None or a list"),
    ],
)
def test_lists_of_members_are_validated(members, message):
    with pytest.raises(ValueError, match=message):
        AUCStackingClassifier(members).fit(*table())


def test_weights_need_members_that_support_them():
    X, y = table()
    with pytest.raises(ValueError, match="KNeighborsClassifier does not support sample_weight"):
        AUCStackingClassifier([("near", KNeighborsClassifier())]).fit(X, y, np.ones(y.size))
    piped = [("piped", make_pipeline(StandardScaler(), LogisticRegression()))]
    AUCStackingClassifier(piped).fit(X, y, np.ones(y.size))
