"""Cross-validation from fold statistics against brute-force refitting, and what is built on its scores."""

import pickle

import numpy as np
import pytest
from problems import make_data
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.estimators.platt_scaling import Calibration
from aucmax.selection import choice
from aucmax.selection.alpha_path import eigen_solutions, krylov_path, moment_path, row_path, shifted_solutions
from aucmax.selection.choice import choose_alpha
from aucmax.selection.splits import make_splits
from aucmax.solvers import CG

ALPHAS = np.array([3.0, 0.3, 0.01])
SPLITTERS = {
    "stratified": StratifiedKFold(4, shuffle=True, random_state=0),
    "unstratified": KFold(3),
    "two folds": StratifiedKFold(2, shuffle=True, random_state=1),
    "groups": GroupKFold(3),
    "overlapping": ShuffleSplit(4, test_size=0.4, random_state=0),
    "repeated": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
}


def brute_force(X, y, weight, folds, alphas, **options):
    """AUC of a fresh fit for every alpha and fold, by scikit-learn's own metric."""
    auc = np.empty((len(alphas), len(folds)))
    for k, (train, test) in enumerate(folds):
        for row, alpha in enumerate(alphas):
            model = AUCClassifier(alpha=alpha, **options).fit(X[train], y[train], weight[train])
            auc[row, k] = roc_auc_score(y[test], model.decision_function(X[test]), sample_weight=weight[test])
    return auc


@pytest.mark.parametrize("cv", SPLITTERS.values(), ids=SPLITTERS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_l2_curve_equals_refitting(table, cv, form):
    X, y, weight = table(150, 6)
    groups = np.arange(150) // 5 if isinstance(cv, GroupKFold) else None
    model = AUCClassifierCV(ALPHAS, loss="squared", cv=cv).fit(form(X), y, weight, groups=groups)
    expected = brute_force(form(X), y, weight, list(cv.split(X, y, groups)), ALPHAS)
    np.testing.assert_allclose(model.cv_auc_, expected, atol=1e-8)


@pytest.mark.parametrize("unscaled", [False, True])
@pytest.mark.parametrize("standardize", [False, True])
def test_curve_with_unscaled_columns_equals_refitting(table, unscaled, standardize):
    X, y, weight = table(150, 6, unscaled=unscaled)
    cv = SPLITTERS["stratified"]
    model = AUCClassifierCV(ALPHAS, loss="squared", cv=cv, standardize=standardize).fit(X, y, weight)
    expected = brute_force(X, y, weight, list(cv.split(X, y)), ALPHAS, standardize=standardize)
    np.testing.assert_allclose(model.cv_auc_, expected, atol=1e-8)


def test_curve_with_columns_that_live_in_one_fold_equals_refitting(table):
    """All the spread of a column may be in one row: outside its fold nothing but rounding would be left of it."""
    X, y, weight = table(150, 6)
    X[:, 1] = 0.0
    X[7, 1] = 1.3
    X[:, 2] = 3.7
    X[11, 2] = 1e9
    cv = SPLITTERS["stratified"]
    model = AUCClassifierCV(ALPHAS, loss="squared", cv=cv).fit(X, y, weight)
    expected = brute_force(X, y, weight, list(cv.split(X, y)), ALPHAS)
    np.testing.assert_allclose(model.cv_auc_, expected, atol=1e-8)


def test_curve_with_tied_scores_equals_refitting(table):
    X, y, _ = table(200, 4)
    X = np.sign(X)  # few distinct rows: many ties, which rounding must not break
    cv = SPLITTERS["stratified"]
    model = AUCClassifierCV(ALPHAS, loss="squared", cv=cv).fit(X, y)
    expected = brute_force(X, y, np.ones(200), list(cv.split(X, y)), ALPHAS)
    np.testing.assert_allclose(model.cv_auc_, expected, atol=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_curve_with_more_columns_than_rows_equals_refitting(table, form):
    X, y, weight = table(60, 90)
    cv = SPLITTERS["stratified"]
    model = AUCClassifierCV(ALPHAS, loss="squared", cv=cv).fit(form(X), y, weight)
    expected = brute_force(form(X), y, weight, list(cv.split(X, y)), ALPHAS)
    np.testing.assert_allclose(model.cv_auc_, expected, atol=1e-8)


def test_elastic_net_curve_equals_refitting(table):
    X, y, weight = table(150, 6)
    cv = SPLITTERS["stratified"]
    model = AUCClassifierCV([0.3, 0.1, 0.02], l1_ratio=0.5, loss="squared", cv=cv).fit(X, y, weight)
    expected = brute_force(X, y, weight, list(cv.split(X, y)), model.alphas_, l1_ratio=0.5)
    np.testing.assert_allclose(model.cv_auc_, expected, atol=1e-8)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic"])
def test_other_losses_equal_refitting(table, loss):
    X, y, weight = table(150, 6)
    cv = SPLITTERS["stratified"]
    model = AUCClassifierCV(ALPHAS, loss=loss, cv=cv).fit(X, y, weight)
    expected = brute_force(X, y, weight, list(cv.split(X, y)), ALPHAS, loss=loss)
    # both runs stop within their own gap of the optimum: a pair of rows or two may change places
    np.testing.assert_allclose(model.cv_auc_, expected, atol=5e-3)


def test_the_best_of_several_losses_is_taken(table):
    X, y, weight = table(150, 6)
    model = AUCClassifierCV(loss=["squared", "squared_hinge"], cv=3, random_state=0).fit(X, y, weight)
    results = model.cv_results_
    names = results["param_loss"]
    means = {loss: results["mean_test_score"][names == loss].max() for loss in set(names)}
    assert model.loss_ == max(means, key=means.get)
    scores = np.column_stack([results[f"split{k}_test_score"] for k in range(model.cv_auc_.shape[1])])
    np.testing.assert_array_equal(model.cv_auc_, scores[names == model.loss_])
    plain = AUCClassifier(alpha=model.alpha_, loss=model.loss_).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-3)


def test_cv_results_are_those_of_a_grid_search(table):
    X, y, _ = table(150, 6)
    cv = SPLITTERS["stratified"]
    alphas = np.sort(ALPHAS)[::-1]
    ours = AUCClassifierCV(alphas, loss="squared", cv=cv).fit(X, y).cv_results_
    search = GridSearchCV(AUCClassifier(), {"alpha": alphas}, cv=cv, scoring="roc_auc").fit(X, y)
    theirs = {key: value for key, value in search.cv_results_.items() if not key.endswith("_time")}
    assert set(ours) == {*theirs, "param_loss"}
    assert ours["params"] == [{"loss": "squared", **params} for params in theirs.pop("params")]
    for key, expected in theirs.items():
        assert ours[key].dtype == expected.dtype
        np.testing.assert_allclose(ours[key], expected, atol=1e-12)


def test_all_ways_to_a_path_agree(table, pairs):
    X, y, weight = table(40, 25)
    full = make_data(X, y, weight, standardize=True, full=True)
    rows = make_data(X, y, weight, standardize=True)
    expected = np.column_stack([pairs(X / full.scale, y, weight).ridge(alpha) for alpha in ALPHAS])
    for weights in (moment_path(full.within, full.delta, ALPHAS), row_path(rows, ALPHAS), krylov_path(rows, ALPHAS)):
        np.testing.assert_allclose(weights, expected, atol=1e-8)


@pytest.mark.parametrize("dim", [1, 2, 7])
@pytest.mark.parametrize("solutions", [shifted_solutions, eigen_solutions])
def test_shifted_solutions_are_those_of_numpy(dim, solutions):
    rng = np.random.default_rng(0)
    A, v = rng.normal(size=(dim, dim)), rng.normal(size=dim)
    S = A @ A.T
    expected = np.column_stack([np.linalg.solve(S + alpha * np.eye(dim), v) for alpha in ALPHAS])
    np.testing.assert_allclose(solutions(S, v, ALPHAS), expected, rtol=1e-9)


def test_a_shift_lost_in_rounding_is_solved_by_eigenvectors():
    S = np.diag([1e20, 1.0, 0.0])
    S[1, 2] = S[2, 1] = 1e-9  # not positive, by rounding
    u = shifted_solutions(S, np.ones(3), np.array([1e-18]))
    assert np.isfinite(u).all()


def test_large_sparse_tables_take_the_krylov_path(table):
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.03, size=(400, 3000)).astype(float))
    y = np.where(X[:, :40].sum(axis=1) + rng.normal(size=400) > 1.5, 1, 0)
    cv = SPLITTERS["stratified"]
    model = AUCClassifierCV([300.0, 30.0], loss="squared", cv=cv).fit(X, y)
    assert model.solver_ == "cg"
    folds = list(cv.split(X, y))
    expected = brute_force(X, y, np.ones(400), folds, model.alphas_, solver=CG(tol=1e-13))
    np.testing.assert_allclose(model.cv_auc_, expected, atol=1e-8)


def test_refit_is_the_plain_fit_at_the_chosen_alpha(table):
    X, y, weight = table(150, 6)
    model = AUCClassifierCV(cv=3, random_state=0).fit(X, y, weight)
    plain = AUCClassifier(alpha=model.alpha_).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)
    assert model.gap_ <= 1e-8 * model.objective_


def test_default_alphas_surround_the_automatic_one(table):
    X, y, _ = table(150, 6)
    model = AUCClassifierCV(random_state=0).fit(X, y)
    automatic = AUCClassifier().fit(X, y).alpha_
    assert model.alphas_.size == 11
    np.testing.assert_allclose([model.alphas_[0], model.alphas_[-1]], [100 * automatic, 1e-3 * automatic])


def test_one_standard_error_takes_a_larger_alpha():
    auc = np.array([[0.70, 0.70], [0.79, 0.83], [0.80, 0.84], [0.75, 0.85]])  # means .70 .81 .82 .80
    assert choose_alpha(auc, "best") == 2
    assert choose_alpha(auc, "one_se") == 1  # the error of the best is .02


def test_out_of_fold_scores_come_from_models_that_have_not_seen_the_row(table):
    X, y, weight = table(150, 6)
    cv = SPLITTERS["stratified"]
    model = AUCClassifierCV([0.1], loss="squared", cv=cv).fit(X, y, weight)
    for train, test in cv.split(X, y):
        fold = AUCClassifier(alpha=0.1).fit(X[train], y[train], weight[train])
        shift = model.oof_scores_[test] - fold.decision_function(X[test])
        np.testing.assert_allclose(shift, shift[0], atol=1e-9)


def test_rows_in_no_test_set_have_no_score(table):
    X, y, _ = table(150, 6)
    cv = ShuffleSplit(1, test_size=0.3, random_state=0)
    model = AUCClassifierCV([0.1], loss="squared", cv=cv).fit(X, y)
    assert np.isnan(model.oof_scores_).sum() == 105
    assert np.isfinite(model.predict_proba(X)).all()


def test_weight_zero_is_a_row_left_out(table):
    X, y, _ = table(150, 6)
    weight = (np.arange(150) < 120).astype(float)
    model = AUCClassifierCV(random_state=0).fit(X, y, weight)
    without = AUCClassifierCV(random_state=0).fit(X[:120], y[:120])
    np.testing.assert_allclose(model.cv_auc_, without.cv_auc_)
    np.testing.assert_allclose(model.coef_, without.coef_)


def test_sigmoid_is_the_likelihood_optimum():
    """Against scikit-learn's unpenalised logistic regression on the softened labels as weights."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.2, 1, -1)
    scores, weight = rng.normal(size=300) + y, rng.uniform(0.5, 2.0, size=300)
    pos, neg = weight[y > 0].sum(), weight[y < 0].sum()
    soft = np.where(y > 0, (pos + 1) / (pos + 2), 1 / (neg + 2))
    oracle = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(
        np.tile(scores, 2)[:, None], np.repeat([1, 0], 300), np.concatenate([weight * soft, weight * (1 - soft)])
    )
    sigmoid = Calibration.fit(scores, y, weight)
    assert sigmoid.slope == pytest.approx(oracle.coef_[0, 0], rel=1e-5)
    assert sigmoid.intercept == pytest.approx(oracle.intercept_[0], rel=1e-5)


def test_log_probabilities_are_exact_in_the_tails():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=400) > 1).astype(int)
    model = AUCClassifierCV(decision="probability", random_state=0).fit(X, y)
    far = np.array([[-1e3, 0.0, 0.0], [0.0, 0.0, 0.0], [1e3, 0.0, 0.0]])
    log_odds = model.calibration_.slope * model.decision_function(far)
    logs = model.predict_log_proba(far)
    np.testing.assert_allclose(np.exp(logs), model.predict_proba(far), atol=1e-15)
    np.testing.assert_allclose(logs[0], [0.0, log_odds[0]], rtol=1e-12)  # where the probability underflows
    np.testing.assert_allclose(logs[2], [-log_odds[2], 0.0], rtol=1e-12)


def test_probabilities_are_calibrated_on_new_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 5))
    y = (rng.random(20000) < 1 / (1 + np.exp(3 - X @ np.array([1.0, -1.0, 0.5, 0.0, 0.0])))).astype(int)
    model = AUCClassifierCV(random_state=0).fit(X[:5000], y[:5000])
    probability = model.predict_proba(X[5000:])[:, 1]
    order = np.argsort(probability)
    for part in np.array_split(order, 5):
        # 3000 rows a part: a standard error of 0.008 at most
        assert probability[part].mean() == pytest.approx(y[5000:][part].mean(), abs=0.025)


@pytest.mark.parametrize("size", [1e-95, 1e-6, 1.0 / 400.0])
def test_small_weights_do_not_flatten_probabilities(table, size):
    X, y, _ = table(400)
    expected = AUCClassifierCV(cv=3, random_state=0).fit(X, y).predict_proba(X)
    found = AUCClassifierCV(cv=3, random_state=0).fit(X, y, sample_weight=np.full(400, size)).predict_proba(X)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_groups_stay_together(table):
    X, y, _ = table(300)
    groups = np.arange(300) // 10
    for train, test in make_splits(3, X, y, np.ones(300), groups, np.random.default_rng(0)):
        assert not set(groups[train]) & set(groups[test])
    copies = np.repeat(X, 2, axis=0), np.repeat(y, 2), np.repeat(np.arange(300), 2)
    model = AUCClassifierCV(cv=3, random_state=0).fit(*copies[:2], groups=copies[2])
    np.testing.assert_array_equal(model.oof_scores_[::2], model.oof_scores_[1::2])  # copies are scored by one model
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        AUCClassifierCV().fit(X, y, groups=groups[:5])


def test_separable_scores_and_useless_scores_give_finite_probabilities(table):
    _, y, _ = table(60)
    rng = np.random.default_rng(0)
    for X in (y[:, None] * np.ones((60, 2)), rng.normal(size=(60, 2)), np.ones((60, 2))):
        probability = AUCClassifierCV(cv=3, random_state=0).fit(X, y).predict_proba(X)
        assert np.isfinite(probability).all()


def test_threshold_keeps_the_rate_on_out_of_fold_scores(table):
    X, y, _ = table(400, 6)
    model = AUCClassifierCV(random_state=0).fit(X, y)
    scores = model.oof_scores_
    assert (scores[y < 0] >= model.threshold_at(fpr=0.1)).mean() <= 0.1
    assert (scores[y > 0] >= model.threshold_at(tpr=0.8)).mean() >= 0.8
    called = scores >= model.threshold_at(precision=0.7)
    assert (y[called] > 0).mean() >= 0.7


def test_path_picture_shows_curve_band_and_both_choices(table):
    X, y, _ = table(150, 6)
    model = AUCClassifierCV(random_state=0).fit(X, y)
    ax = model.plot_path()
    labels = ax.get_legend_handles_labels()[1]
    assert any("mean" in label for label in labels) and any("best" in label for label in labels)
    assert any("one standard error" in label for label in labels)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), model.cv_auc_.mean(axis=1))


def test_survives_clone_and_pickle(table):
    X, y, _ = table(80, 4)
    model = AUCClassifierCV(cv=3, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": 1}, "cv=1; give an integer of 2 or more"),
        ({"cv": True}, "cv=True; give an integer of 2 or more or a scikit-learn splitter"),
        ({"cv": 2.0}, "cv=2.0; give an integer of 2 or more or a scikit-learn splitter"),
        ({"cv": "loo"}, "cv='loo'; give an integer of 2 or more, .* or 'leave_pair_out'"),
        ({"n_jobs": 0}, "n_jobs=0; give None, an integer of 1 or more or an integer of -1 or less"),
        ({"choice": "worst"}, "choice='worst'; give one of"),
        ({"alphas": [-1.0]}, "finite numbers of 0 or more"),
        ({"alphas": []}, "how many to try, or None"),
        ({"alphas": 0}, "how many to try, or None"),
        ({"l1_ratio": 2}, "l1_ratio=2"),
        ({"loss": "cubic"}, "loss='cubic'; give one of"),
        ({"loss": ["squared", "cubic"]}, "loss='cubic'; give one of"),
        ({"loss": "hinge", "l1_ratio": 0.5}, r"not 'elastic net' \(l1_ratio=0.5\); change alpha or l1_ratio$"),
        ({"loss": "hinge", "alphas": [1.0, 0.0]}, r"not 'none' \(alpha=0\); change alpha or l1_ratio, or .*'oam'"),
        ({"loss": "squared_hinge", "alphas": [0.0]}, "not 'none'.*alpha=0"),
        ({"loss": []}, "give a name or a non-empty list of names"),
        ({"loss": None}, "give a name or a non-empty list of names"),
        ({"loss": [["hinge"]]}, r"loss=\['hinge'\]; give one of"),
        ({"alphas": True}, "alphas=True; give a list of"),
        ({"alphas": "auto"}, "alphas='auto'; give a list of"),
        ({"loss": "sigmoid"}, "no default solver that certifies"),
    ],
)
def test_bad_settings_are_named(table, options, message):
    X, y, _ = table()
    with pytest.raises(ValueError, match=message):
        AUCClassifierCV(**options).fit(X, y)


def test_one_class_folds_are_named(table):
    X, y, _ = table()
    order = np.argsort(y)
    with pytest.raises(ValueError, match="fold 0 are all of one class"):
        AUCClassifierCV(cv=KFold(6)).fit(X[order], y[order])


def test_fewer_rows_of_a_class_than_folds_warns_and_works(table):
    X, y, _ = table(30, 3, rate=0.1)
    with pytest.warns(UserWarning, match="one class has only 3 rows; using 3 folds"):
        model = AUCClassifierCV(cv=5, random_state=0).fit(X, y)
    assert model.cv_auc_.shape == (11, 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_refused(table, bad):
    X, y, _ = table()
    X[3, 2] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        AUCClassifierCV().fit(X, y)


def test_auto_is_the_squared_loss_unless_another_is_better_by_more_than_its_error(table):
    """The rule, with paired DeLong errors from all pairs of the out-of-fold scores of models fitted one by one."""
    chosen = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.standard_t(2.0, size=(150, 4))
        y = np.where(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=150) > 0.5, 1.0, -1.0)
        folds = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y))
        aucs, wins = {}, {}
        for name in ("squared", "squared_hinge", "logistic"):
            scores = AUCClassifierCV(loss=name, cv=folds).fit(X, y).oof_scores_
            wins[name] = (scores[y > 0][:, None] > scores[y < 0]).astype(float)
            aucs[name] = wins[name].mean()
        better = ["squared"]
        for name in ("squared_hinge", "logistic"):
            d = wins[name] - wins["squared"]
            variance = d.mean(axis=1).var(ddof=1) / d.shape[0] + d.mean(axis=0).var(ddof=1) / d.shape[1]
            if aucs[name] - aucs["squared"] > np.sqrt(variance):
                better.append(name)
        model = AUCClassifierCV(cv=folds).fit(X, y)
        assert model.loss_ == max(better, key=aucs.get)
        assert set(model.cv_results_["param_loss"]) == {"squared", "squared_hinge", "logistic"}
        chosen.add(model.loss_)
    assert len(chosen) > 1


def test_auto_compares_losses_on_a_subsample_of_a_long_table(table, monkeypatch):
    X, y, _ = table(1200, 5)
    whole = AUCClassifierCV(loss="squared", random_state=0).fit(X, y)
    monkeypatch.setattr(choice, "NUMBERS", 3000)
    monkeypatch.setattr(choice, "MARGIN", 1e9)
    model = AUCClassifierCV(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.coef_, whole.coef_)
    np.testing.assert_array_equal(model.cv_auc_, whole.cv_auc_)
    assert np.isfinite(model.oof_scores_).all()
    assert not np.array_equal(model.cv_results_["split0_test_score"][:11], whole.cv_auc_[:, 0])


def test_auto_compares_only_losses_that_support_the_penalty(table):
    X, y, _ = table(200, 5)
    model = AUCClassifierCV([0.0, 0.1], random_state=0).fit(X, y)
    assert set(model.cv_results_["param_loss"]) == {"squared"}
    with pytest.raises(ValueError, match="alpha=0"):
        AUCClassifierCV([0.0, 0.1], loss="logistic", random_state=0).fit(X, y)


def test_threads_do_not_change_the_choice(table):
    X, y, _ = table(300, 5)
    one = AUCClassifierCV(random_state=0).fit(X, y)
    for n_jobs in (2, -1):
        several = AUCClassifierCV(n_jobs=n_jobs, random_state=0).fit(X, y)
        np.testing.assert_array_equal(one.coef_, several.coef_)
        assert one.loss_ == several.loss_
