"""The kernel ranker against the closed form in the span of all rows, brute-force refitting, and other libraries."""

import os
import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import check_estimator_sparse_tag

from aucmax import AUCClassifierCV
from aucmax.datasets import load
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.kernels import nystroem
from aucmax.kernels.functions import KERNELS, Coordinates
from aucmax.kernels.landmarks import choose_landmarks
from aucmax.kernels.metric import squared_slopes
from aucmax.kernels.nystroem import Nystroem
from aucmax.numerics import chunked_matrix, matrix
from aucmax.problem import Moments
from aucmax.problem.data import column_scale

METRICS = {"rbf": "sqeuclidean", "laplacian": "cityblock", "ranks": "cityblock"}
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
FORMS = [np.asarray, sparse.csr_array]


def rings(n=120, *, dim=2, rate=0.4, seed=0):
    """Positives near the origin, negatives around them; further columns are noise."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < rate * n, 1.0, -1.0)
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(y > 0, 0.6, 1.4) + 0.35 * rng.normal(size=n)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), rng.normal(size=(n, dim - 2))])
    return X, y, rng.uniform(0.2, 3.0, n)


def gram(kernel, gamma, A, Z, X, y, weight, *, standardize=True):
    """The kernel matrix by SciPy's distances."""
    if kernel == "ranks":
        X, A, Z = (column_ranks(X, weight, B) for B in (X, A, Z))
    scale = column_scale(Moments.of(X, y, weight)) if standardize else 1.0
    return np.exp(-gamma * cdist(A / scale, Z / scale, METRICS[kernel]))


def column_ranks(X, weight, B):
    """Weighted shares below plus half of the equal ones; for rows of X itself."""
    share = weight / weight.sum()
    return np.array([[share[x < b].sum() + share[x == b].sum() / 2 for x, b in zip(X.T, row)] for row in B])


def closed_form(K, K_new, y, weight, alpha):
    """Scores of new rows by the dual, w = Phi'c, through the kernel matrix (docs/mathematics.md, section 12).

    With r the weights within the classes, J centring at the class means and d = Phi'q the difference of means, the
    minimum over w = Phi'c of (w.S w + (1 - w.d)^2 + alpha |w|^2) / 2 solves (J'RJ K + q q'K + alpha I) c = q.
    """
    r = weight / np.where(y > 0, weight[y > 0].sum(), weight[y < 0].sum())
    q = r * y
    same = np.equal.outer(y, y)
    J = np.eye(y.size) - same * r[None, :]
    c = np.linalg.solve((J.T * r) @ J @ K + np.outer(q, q @ K) + alpha * np.eye(y.size), q)
    return K_new @ c


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("alpha", [1e-1, 1e-3])
def test_all_rows_as_landmarks_give_the_kernelised_closed_form(kernel, alpha):
    X, y, weight = rings()
    model = KernelAUCClassifier(kernel, 120, gamma=0.7, alphas=[alpha], cv=FOLDS).fit(X, y, weight)
    K = gram(kernel, 0.7, X, X, X, y, weight)
    expected = closed_form(K, K, y, weight, alpha)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores - scores[0], expected - expected[0], atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_curve_equals_refitting_in_the_span_of_the_landmarks(kernel):
    X, y, weight = rings()
    alphas = np.array([1.0, 0.1, 0.01])
    for alpha in alphas:
        model = KernelAUCClassifier(
            kernel, 30, gamma=0.5, alphas=[alpha], cv=FOLDS, relevance=False, random_state=0
        ).fit(X, y, weight)
        for k, (train, test) in enumerate(FOLDS.split(X, y)):
            Z = X[np.setdiff1d(model.landmarks_, test)]
            K_ZZ, K_XZ = (gram(kernel, 0.5, A, Z, X, y, weight) for A in (Z, X))
            K = K_XZ @ np.linalg.pinv(K_ZZ, rcond=1e-11, hermitian=True) @ K_XZ.T
            scores = closed_form(K[np.ix_(train, train)], K[np.ix_(test, train)], y[train], weight[train], alpha)
            expected = roc_auc_score(y[test], scores, sample_weight=weight[test])
            assert model.cv_auc_[0, k] == pytest.approx(expected, abs=1e-8)


def test_linear_kernel_is_the_linear_classifier():
    X, y, weight = rings()
    X[y > 0] += 1.0
    ours = KernelAUCClassifier("linear", average=False, alphas=[0.1], cv=FOLDS).fit(X, y, weight)
    linear = AUCClassifierCV([0.1], loss="squared", cv=FOLDS).fit(X, y, weight)
    np.testing.assert_allclose(ours.cv_auc_, linear.cv_auc_)
    np.testing.assert_allclose(ours.decision_function(X), linear.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("relevance", [False, True])
@pytest.mark.parametrize("loss", ["squared", "squared_hinge"])
def test_csr_equals_dense(relevance, loss):
    X, y, weight = rings(dim=4)
    X[np.abs(X) < 0.3] = 0.0
    settings = {"kernel": ["linear", "rbf"], "n_components": 40, "loss": loss, "relevance": relevance}
    models = [KernelAUCClassifier(**settings, cv=FOLDS, random_state=0).fit(form(X), y, weight) for form in FORMS]
    # 1e-5: Newton's steps stop within a gap, and scores follow its root
    atol = 1e-7 if loss == "squared" else 1e-3
    np.testing.assert_allclose(models[1].decision_function(X), models[0].decision_function(X), atol=atol)


@pytest.mark.parametrize("loss", ["squared", "squared_hinge"])
def test_features_made_in_chunks_equal_those_kept(monkeypatch, loss):
    X, y, weight = rings(400)
    settings = {"kernel": "laplacian", "n_components": 20, "gamma": 0.5, "alphas": [0.01], "loss": loss}
    kept = KernelAUCClassifier(**settings, cv=FOLDS, random_state=0).fit(X, y, weight)
    monkeypatch.setattr(nystroem, "IN_MEMORY", 0)
    made = KernelAUCClassifier(**settings, cv=FOLDS, random_state=0).fit(X, y, weight)
    atol = 1e-10 if loss == "squared" else 1e-3
    np.testing.assert_allclose(made.decision_function(X), kept.decision_function(X), atol=atol)


def test_rows_made_when_asked_for_do_what_an_array_does(monkeypatch):
    monkeypatch.setattr(chunked_matrix, "CHUNK", 0)  # 256 rows at a time
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(600, 3)), np.where(np.arange(600) % 3, -1.0, 1.0), rng.random(600)
    made, whole = chunked_matrix.computed_rows(X, np.exp, 3), np.exp(X)
    index, w, c = rng.permutation(600)[:400], rng.normal(size=(3, 2)), rng.normal(size=600)
    np.testing.assert_array_equal(matrix.dot(made, w, index), matrix.dot(whole, w, index))
    np.testing.assert_allclose(matrix.transposed_dot(made, c), whole.T @ c)
    for full in (True, False):
        ours, expected = (Moments.of(table, y, weight, full=full, index=index) for table in (made, whole))
        np.testing.assert_allclose(ours.within, expected.within)
        np.testing.assert_allclose(ours.delta, expected.delta)


def test_splice_is_ranked_far_better_than_by_linear_models():
    if "AUCMAX_DATA" not in os.environ:
        pytest.skip("AUCMAX_DATA names no folder of benchmark sets")
    train, test = load("splice_scale"), load("splice_scale.t")
    model = KernelAUCClassifier(random_state=0).fit(train.X, train.y)
    assert roc_auc_score(test.y, model.decision_function(test.X)) > 0.98  # papers: .964 and .970, linear


def test_a_long_table_is_tuned_on_some_rows_and_fitted_to_all():
    X, y, weight = rings(600, rate=0.1)
    model = KernelAUCClassifier("rbf", 600, gamma=0.7, alphas=[0.01], tuning_rows=200, cv=FOLDS, random_state=0).fit(
        X, y, weight
    )
    assert np.isfinite(model.oof_scores_).sum() == 200
    assert np.isfinite(model.oof_scores_[y > 0]).all()  # 60 positives: fewer than half of 200
    K = gram("rbf", 0.7, X, X, X, y, weight)
    expected = closed_form(K, K, y, weight, 0.01)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores - scores[0], expected - expected[0], atol=1e-6)


def test_weight_two_equals_two_copies():
    X, y, _ = rings()
    weight = np.where(np.arange(120) % 3 == 0, 2.0, 1.0)
    twice = np.concatenate([np.arange(120), np.flatnonzero(weight == 2)])
    settings = {"kernel": "rbf", "n_components": 1000, "gamma": 0.7, "alphas": [0.01]}
    weighted = KernelAUCClassifier(**settings, cv=FOLDS).fit(X, y, weight)
    copied = KernelAUCClassifier(**settings, cv=FOLDS).fit(X[twice], y[twice])
    a, b = weighted.decision_function(X), copied.decision_function(X)
    np.testing.assert_allclose(a - a[0], b - b[0], atol=1e-7)


def test_weight_zero_is_a_row_left_out():
    X, y, _ = rings(150)
    weight = (np.arange(150) % 5 > 0).astype(float)
    settings = {"kernel": ["rbf", "ranks"], "n_components": 30, "cv": 3, "relevance": True, "random_state": 0}
    model = KernelAUCClassifier(**settings).fit(X, y, weight)
    without = KernelAUCClassifier(**settings).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(model.decision_function(X), without.decision_function(X), atol=1e-9)


def test_slopes_are_those_of_finite_differences():
    rng = np.random.default_rng(0)
    A, Z, dual, weight = rng.normal(size=(7, 3)), rng.normal(size=(5, 3)), rng.normal(size=5), rng.random(7)
    for kernel in KERNELS.values():
        slopes = np.empty((7, 3))
        for j, step in enumerate(1e-6 * np.eye(3)):
            above, below = (kernel.values(kernel.distances(A + s, Z), 0.8) @ dual for s in (step, -step))
            slopes[:, j] = (above - below) / 2e-6
        found = squared_slopes(kernel, 0.8, A, Z, dual, weight)
        np.testing.assert_allclose(found, weight @ slopes**2 / weight.sum(), rtol=1e-6)


@pytest.mark.parametrize(("n", "gamma", "magnifies"), [(200, 1.0, False), (200, 1e-3, True), (40, 1.0, False)])
def test_moments_of_features_are_those_of_the_features_computed(n, gamma, magnifies):
    X, y, weight = rings(n)
    made = Nystroem.of(KERNELS["rbf"], Coordinates(np.ones(X.shape[1])), X[:12], gamma)
    assert nystroem.magnifies(made.T) == magnifies
    found = made.moments(X, y, weight)
    expected = Moments.of(made(X), y, weight)
    np.testing.assert_allclose(found.within, expected.within, atol=1e-9 * np.abs(expected.within).max())
    np.testing.assert_allclose(found.delta, expected.delta, atol=1e-9 * np.abs(expected.delta).max())


@pytest.mark.parametrize("kernel", KERNELS)
def test_distances_are_those_of_scipy(kernel):
    rng = np.random.default_rng(0)
    A, Z = 3.0 + rng.normal(size=(9, 4)), 3.0 + rng.normal(size=(5, 4))
    expected = cdist(A, Z, METRICS[kernel])
    np.testing.assert_allclose(KERNELS[kernel].distances(A, Z), expected, rtol=1e-12)
    if KERNELS[kernel].norm == "l2":
        csr = KERNELS[kernel].distances(sparse.csr_array(A), sparse.csr_array(Z))
        np.testing.assert_allclose(csr, expected, rtol=1e-12)


def test_ranks_are_those_of_scipy():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=90), rng.integers(0, 4, 90)])
    expected = (rankdata(X, axis=0) - 0.5) / 90
    np.testing.assert_allclose(Coordinates.of_ranks(X, np.ones(90))(X), expected)


def test_many_distinct_values_are_ranked_by_interpolation():
    X = np.random.default_rng(0).normal(size=(5000, 1))
    expected = (rankdata(X, axis=0) - 0.5) / 5000
    np.testing.assert_allclose(Coordinates.of_ranks(X, np.ones(5000))(X), expected, atol=1 / 250)


def test_ranks_are_blind_to_increasing_functions():
    X, y, _ = rings(200)
    settings = {"kernel": "ranks", "n_components": 50, "cv": FOLDS, "random_state": 0}
    plain = KernelAUCClassifier(**settings).fit(X, y)
    bent = KernelAUCClassifier(**settings).fit(np.exp(3 * X), y)
    np.testing.assert_allclose(bent.decision_function(np.exp(3 * X)), plain.decision_function(X), atol=1e-7)


def test_landmarks_are_distinct_and_half_from_each_class():
    _, y, _ = rings(400, rate=0.2)
    groups = (np.flatnonzero(y > 0), np.flatnonzero(y < 0))
    chosen = choose_landmarks(groups, 60, np.random.default_rng(0))
    assert np.unique(chosen).size == 60
    assert (y[chosen] > 0).sum() == 30 and (y[chosen[:20]] > 0).sum() == 10


def test_a_rare_class_gives_all_its_rows():
    _, y, _ = rings(400, rate=0.02)
    groups = (np.flatnonzero(y > 0), np.flatnonzero(y < 0))
    chosen = choose_landmarks(groups, 60, np.random.default_rng(0))
    assert (y[chosen] > 0).sum() == 8 and chosen.size == 60


def test_auto_finds_the_rings_and_records_every_setting():
    X, y, _ = rings(300)
    model = KernelAUCClassifier(cv=FOLDS, random_state=0).fit(X[::2], y[::2])
    assert roc_auc_score(y[1::2], model.decision_function(X[1::2])) > 0.9
    assert set(model.cv_results_["param_kernel"]) == {"linear", *KERNELS}
    rounds = model.cv_results_["param_round"]
    assert (rounds == 0).sum() == 17 * 11  # settings times alphas
    assert (rounds == 1).sum() == 2 * 11
    assert {len(column) for column in model.cv_results_.values()} == {rounds.size}


def test_relevance_finds_the_columns_that_matter():
    X, y, _ = rings(500, dim=12)
    train, test = slice(0, 500, 2), slice(1, 500, 2)
    plain, stretched = (
        KernelAUCClassifier("rbf", relevance=relevance, cv=FOLDS, random_state=0).fit(X[train], y[train])
        for relevance in (False, True)
    )
    aucs = [roc_auc_score(y[test], model.decision_function(X[test])) for model in (plain, stretched)]
    assert aucs[1] > aucs[0] + 0.01
    scale = stretched.score_.terms[0].coordinates.scale / plain.score_.terms[0].coordinates.scale
    assert scale[:2].max() < 0.5 * scale[2:].min()


def test_relevance_does_not_leak_the_labels_of_the_test_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 60)), np.repeat([-1.0, 1.0], 60)
    model = KernelAUCClassifier("laplacian", relevance=True, cv=5, random_state=0).fit(X, y)
    results = model.cv_results_
    scores = results["mean_test_score"][results["param_round"] > 0]
    # pure noise: 0.5 with a standard error of 0.05; metrics learned from all rows would give some 0.7
    assert scores.max() < 0.6
    assert 0.35 < roc_auc_score(y, model.oof_scores_) < 0.65  # three standard errors


def test_landmarks_do_not_leak_the_labels_of_the_test_rows():
    rng = np.random.default_rng(0)
    y = np.repeat([1.0, -1.0], [30, 270])
    settings = {"kernel": "laplacian", "n_components": 60, "gamma": 0.3, "alphas": [0.01], "relevance": False}
    aucs = []
    for seed in range(20):
        model = KernelAUCClassifier(**settings, random_state=seed).fit(rng.normal(size=(300, 5)), y)
        aucs.append(model.cv_auc_.mean())
    # pure noise: 0.5 with a standard error of 0.016; with landmarks among the test rows (all positives, few of the
    # negatives) it would be 0.25
    assert abs(np.mean(aucs) - 0.5) < 0.05


def test_a_fold_whose_test_rows_are_all_landmarks_is_accepted():
    X, y, _ = rings(40)
    model = KernelAUCClassifier("rbf", n_components=1, cv=2, random_state=0).fit(X, y)
    assert np.isfinite(model.cv_auc_).all()


def test_the_average_is_the_weighted_sum_of_models_fitted_one_by_one():
    X, y, weight = rings(200)
    settings = {"n_components": 40, "cv": FOLDS, "relevance": False, "random_state": 0}
    model = KernelAUCClassifier(["linear", "rbf", "ranks"], **settings).fit(X, y, weight)
    results = model.cv_results_
    mixed = np.flatnonzero(model.weights_)
    assert mixed.size > 20 and len(model.score_.terms) > 2
    np.testing.assert_allclose(model.weights_.sum(), 1.0)
    np.testing.assert_array_equal(results["weight"], model.weights_)
    total = np.zeros(200)
    spreads = []
    for k in mixed:
        kernel, gamma, alpha = (results[f"param_{name}"][k] for name in ("kernel", "gamma", "alpha"))
        one = KernelAUCClassifier(
            kernel, gamma=None if kernel == "linear" else gamma, alphas=[alpha], **settings
        ).fit(X, y, weight)
        spreads.append(np.sqrt(np.cov(one.oof_scores_, aweights=weight, ddof=0)))
        total += model.weights_[k] * (one.score_(X) - one.score_.intercept) / spreads[-1]
    expected = total * spreads[int(np.argmax(model.weights_[mixed]))]
    found = model.decision_function(X) - model.score_.intercept
    np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())


def test_weights_follow_the_errors_of_the_auc():
    """Brute force: DeLong's error from all pairs, the pooled AUC from scikit-learn."""
    X, y, _ = rings(150)
    folds = list(FOLDS.split(X, y))
    settings = {"n_components": 30, "gamma": 0.5, "cv": folds, "random_state": 0}
    model = KernelAUCClassifier("rbf", **settings).fit(X, y)
    quality, scores = [], []
    for alpha in model.alphas_:
        one = KernelAUCClassifier("rbf", alphas=[alpha], **settings).fit(X, y)
        scores.append(one.oof_scores_)
        quality.append((one.cv_auc_.mean() + roc_auc_score(y, one.oof_scores_)) / 2)
    best = scores[int(np.argmax(quality))]
    wins = (best[y > 0][:, None] > best[y < 0]).astype(float)
    error = np.sqrt(wins.mean(axis=1).var(ddof=1) / (y > 0).sum() + wins.mean(axis=0).var(ddof=1) / (y < 0).sum())
    expected = np.exp((np.array(quality) - max(quality)) / (error + 1e-4))
    np.testing.assert_allclose(model.weights_, expected / expected.sum(), rtol=1e-8)


def test_the_best_model_alone():
    X, y, _ = rings(200)
    model = KernelAUCClassifier(["rbf", "ranks"], 40, average=False, cv=FOLDS, random_state=0).fit(X, y)
    assert len(model.score_.terms) == 1 and np.sort(model.weights_)[-2:].tolist() == [0.0, 1.0]
    assert model.score_.terms[0].kernel == model.best_kernel_


def test_a_sample_with_more_of_the_rare_class_does_not_move_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12000, 2))
    y = (rng.random(12000) < 1.0 / (1.0 + np.exp(4.0 - X[:, 0] - 0.5 * X[:, 1] ** 2))).astype(int)
    settings = {"kernel": "rbf", "gamma": 0.1, "n_components": 40, "random_state": 0, "tuning_rows": 1000}
    model = KernelAUCClassifier(**settings).fit(X[:6000], y[:6000])
    assert model.predict_proba(X[6000:])[:, 1].mean() == pytest.approx(y[6000:].mean(), rel=0.2)
    called = model.decision_function(X[6000:]) >= model.threshold_at(precision=0.2)
    assert y[6000:][called].mean() > 0.15


def test_out_of_fold_scores_calibrate_and_give_thresholds():
    X, y, _ = rings(300)
    model = KernelAUCClassifier("rbf", 50, cv=FOLDS, decision="probability", random_state=0).fit(X, y)
    assert roc_auc_score(y, model.oof_scores_) == pytest.approx(model.cv_auc_.mean(axis=1).max(), abs=0.02)
    assert (model.oof_scores_[y < 0] >= model.threshold_at(fpr=0.1)).mean() <= 0.1
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(probability[:, 1] > 0.5, model.predict(X) > 0)
    assert model.plot_path().get_xlabel() == "alpha, strength of the penalty"


def test_squared_hinge_minimises_its_own_objective():
    X, y, _ = rings(200)
    settings = {"kernel": "rbf", "n_components": 30, "gamma": 0.5, "alphas": [0.01], "cv": FOLDS, "random_state": 0}
    hinge = KernelAUCClassifier(**settings, loss="squared_hinge").fit(X, y)
    squared = KernelAUCClassifier(**settings).fit(X, y)
    assert hinge.solver_ == "newton" and hinge.gap_ <= 1e-6 * hinge.objective_

    def objective(model):
        Z, dual = X[model.landmarks_], model.score_.terms[0].weights
        scores = model.decision_function(X)
        margins = scores[y > 0][:, None] - scores[y < 0]
        norm = dual @ gram("rbf", 0.5, Z, Z, X, y, np.ones(200)) @ dual
        return (np.maximum(1.0 - margins, 0.0) ** 2).mean() + 0.005 * norm

    assert objective(hinge) == pytest.approx(hinge.objective_, rel=1e-6)
    assert objective(hinge) < objective(squared)


def test_same_seed_same_answer():
    X, y, _ = rings()
    a, b = (KernelAUCClassifier(n_components=30, cv=3, random_state=7).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(a.decision_function(X), b.decision_function(X))


def test_survives_clone_and_pickle():
    X, y, _ = rings()
    model = KernelAUCClassifier("rbf", 30, cv=3, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(model).get_params() == model.get_params()


def test_dense_rows_can_be_scored_by_a_sparse_model_and_the_other_way_round():
    X, y, _ = rings()
    dense, csr = (KernelAUCClassifier("rbf", 30, cv=3, random_state=0).fit(form(X), y) for form in FORMS)
    np.testing.assert_allclose(dense.decision_function(sparse.csr_array(X)), csr.decision_function(X), atol=1e-7)


@pytest.mark.parametrize(
    "kernel", ["auto", "linear", "rbf", "laplacian", "ranks", ["linear", "rbf"], ["rbf", "ranks"]]
)
def test_the_tag_says_whether_a_sparse_table_can_be_fitted(kernel):
    model = KernelAUCClassifier(kernel, n_components=10, cv=3, random_state=0)
    check_estimator_sparse_tag("KernelAUCClassifier", model)


def test_landmarks_that_occur_twice_are_no_harm():
    X, y, _ = rings()
    X, y = np.repeat(X[:40], 3, axis=0), np.repeat(y[:40] * np.where(np.arange(40) % 2, 1, -1), 3)
    model = KernelAUCClassifier("rbf", 1000, gamma=0.7, alphas=[0.01], cv=FOLDS).fit(X, y)
    expected = closed_form(*2 * [gram("rbf", 0.7, X, X, X, y, np.ones(120))], y, np.ones(120), 0.01)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores - scores[0], expected - expected[0], atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_constant_columns_change_nothing(kernel):
    X, y, _ = rings()
    settings = {"kernel": kernel, "n_components": 30, "cv": 3, "relevance": False, "random_state": 0}
    plain = KernelAUCClassifier(**settings).fit(X, y)
    more = np.column_stack([X, np.full(120, 7.0)])
    wider = KernelAUCClassifier(**settings).fit(more, y)
    np.testing.assert_allclose(wider.decision_function(more), plain.decision_function(X), atol=1e-6)


def test_a_table_of_constant_columns_ranks_nothing():
    _, y, _ = rings()
    model = KernelAUCClassifier(cv=3, random_state=0).fit(np.ones((120, 2)), y)
    assert (model.cv_auc_ == 0.5).all()


def test_fewer_positives_than_folds_warns_and_works():
    X, y, _ = rings(60, rate=0.05)
    with pytest.warns(UserWarning, match="one class has only 3 rows; using 3 folds"):
        model = KernelAUCClassifier("rbf", cv=5, random_state=0).fit(X, y)
    assert model.cv_auc_.shape == (11, 3)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gamma": 0}, "gamma=0; give None or a finite number above 0"),
        ({"gamma": np.inf}, "gamma=inf; give None or a finite number"),
        ({"gamma": "scale"}, "gamma='scale'; give"),
        ({"alphas": [-1.0]}, r"alphas=\[-1.0\]; give"),
        ({"alphas": [0.0, 1.0], "kernel": "rbf"}, r"alphas=\[0.0, 1.0\] with kernel='rbf'; give numbers above 0"),
        ({"kernel": "cubic"}, "unknown kernel 'cubic'; choose 'auto', one of"),
        ({"kernel": []}, r"unknown kernel \[\]"),
        ({"n_components": 0}, "n_components=0; give 'auto' or"),
        ({"n_components": 2.5}, "n_components=2.5; give"),
        ({"tuning_rows": 3}, "tuning_rows=3; give"),
        ({"relevance": "often"}, "relevance='often'; give True"),
        ({"relevance": True, "kernel": "linear"}, "relevance=True learns a metric, which the kernel 'linear' lacks"),
        ({"average": "worst"}, "average='worst'; give True or False"),
        ({"cv": 1}, "cv=1; give an integer of 2 or more"),
        ({"loss": "cubic"}, "loss='cubic'; give one of"),
        ({"loss": "sigmoid"}, "no default solver that certifies"),
    ],
)
def test_bad_settings_are_named(settings, message):
    X, y, _ = rings()
    with pytest.raises(ValueError, match=message):
        KernelAUCClassifier(**settings).fit(X, y)


def test_a_kernel_named_twice_is_tried_once():
    X, y, _ = rings()
    once, twice = (KernelAUCClassifier(kernel, random_state=0).fit(X, y) for kernel in (["rbf"], ["rbf", "rbf"]))
    np.testing.assert_array_equal(twice.weights_, once.weights_)


@pytest.mark.parametrize("kernel", ["laplacian", "ranks"])
def test_dense_kernels_refuse_sparse_tables(kernel):
    X, y, _ = rings()
    with pytest.raises(ValueError, match="does not support sparse tables"):
        KernelAUCClassifier(kernel).fit(sparse.csr_array(X), y)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("form", FORMS, ids=["dense", "csr"])
def test_nan_and_infinity_are_refused(bad, form):
    X, y, _ = rings()
    X[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        KernelAUCClassifier().fit(form(X), y)
