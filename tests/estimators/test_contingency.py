"""The multivariate SVM against brute force over all labellings, liblinear, and a general-purpose optimiser."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_info, threadpool_limits

from aucmax import ContingencySVMClassifier
from aucmax.solvers import bundle
from aucmax.solvers.multivariate_svm import ContingencyPlane, ErrorRate, FBeta, TopK, most_violated_table

MEASURES = ["f1", "fbeta", "break_even", "precision_at_k", "recall_at_k", "error_rate"]


def naive_loss(measure, y, labels):
    """The loss of a labelling, from the measure's textbook definition; None if the labelling is not allowed."""
    a = int(((labels > 0) & (y > 0)).sum())
    b = int(((labels > 0) & (y < 0)).sum())
    if isinstance(measure, ErrorRate):
        return float((labels != y).mean())
    if isinstance(measure, FBeta):
        precision, recall = a / max(a + b, 1), a / int((y > 0).sum())
        square = measure.beta**2
        return 1.0 - ((1.0 + square) * precision * recall / (square * precision + recall) if a else 0.0)
    return 1.0 - a / measure.total if a + b == measure.k else None


def all_planes(measure, y):
    """Height and coefficients of the planes of all allowed labellings."""
    for labels in product([-1.0, 1.0], repeat=y.size):
        labels = np.array(labels)
        height = naive_loss(measure, y, labels)
        if height is not None:
            yield height, np.where(labels != y, -y, 0.0) / y.size


def each_measure(y):
    n_pos = int((y > 0).sum())
    for k in {1, n_pos, max(1, y.size - 1)}:
        yield from (TopK(k, k), TopK(k, n_pos))
    yield from (FBeta(1.0), FBeta(0.5), FBeta(3.0), ErrorRate())


@pytest.mark.parametrize("n", [2, 3, 5, 8])
@pytest.mark.parametrize("kind", ["distinct", "ties", "large", "zero"])
def test_the_plane_is_the_highest_of_all_labellings(n, kind):
    rng = np.random.default_rng(n)
    for n_pos in {1, n // 2, n - 1} - {0}:
        y = rng.permutation(np.repeat([1.0, -1.0], [n_pos, n - n_pos]))
        factor = {"distinct": 1.0, "ties": 1.0, "large": 100.0, "zero": 0.0}[kind]
        scores = factor * rng.normal(size=n)
        scores = np.round(scores) if kind == "ties" else scores
        for measure in each_measure(y):
            best = max(height + c @ scores for height, c in all_planes(measure, y))
            plane = ContingencyPlane.at(measure, scores, y)
            assert plane.height + plane.c @ scores == pytest.approx(best, abs=1e-12 * max(1.0, factor))
            assert plane.value == pytest.approx(max(best, 0.0), abs=1e-12 * max(1.0, factor))


@pytest.mark.parametrize("n_pos", [1, 3, 6, 11])
def test_the_plane_is_the_highest_of_all_labellings_of_twelve_rows(n_pos):
    rng = np.random.default_rng(n_pos)
    y = rng.permutation(np.repeat([1.0, -1.0], [n_pos, 12 - n_pos]))
    labels = np.array(list(product([-1.0, 1.0], repeat=12)))
    a = ((labels > 0) & (y > 0)).sum(axis=1)
    b = ((labels > 0) & (y < 0)).sum(axis=1)
    for scores in (rng.normal(size=12), 0.1 * rng.normal(size=12), np.round(rng.normal(size=12))):
        margins = np.where(labels != y, -y, 0.0) @ scores / 12
        for measure in each_measure(y):
            values = measure.loss(a, b, n_pos, 12 - n_pos) + margins
            if isinstance(measure, TopK):
                values = values[a + b == measure.k]
            plane = ContingencyPlane.at(measure, scores, y)
            assert plane.height + plane.c @ scores == pytest.approx(values.max(), abs=1e-13)


@pytest.mark.parametrize("shape", [(1, 1), (1, 11), (11, 1), (4, 8), (6, 6), (40, 60)])
def test_the_table_is_the_best_of_all_tables(shape):
    rng = np.random.default_rng(sum(shape))
    for factor in (0.0, 0.01, 1.0, 30.0):
        pos, neg = (np.sort(factor * rng.normal(size=size))[::-1] for size in shape)
        for beta in (0.3, 1.0, 2.0):
            measure = FBeta(beta)

            def value(a, b, measure=measure, pos=pos, neg=neg):
                return measure.loss(a, b, pos.size, neg.size) + (neg[:b].sum() - pos[a:].sum()) / (
                    pos.size + neg.size
                )

            best = max(value(a, b) for a in range(pos.size + 1) for b in range(neg.size + 1))
            assert value(*most_violated_table(measure, pos, neg)) == pytest.approx(best, abs=1e-12 * max(1.0, factor))


def make_table(n=120, dim=4, seed=0, share=0.2):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    y[:2] = [0, 1]
    return rng.normal(size=(n, dim)) + y[:, None] * rng.normal(size=dim) + 5.0, y


def test_the_error_rate_gives_the_support_vector_machine_of_liblinear():
    X, y = make_table()
    alpha = 0.01
    model = ContingencySVMClassifier(measure="error_rate", alpha=alpha, standardize=False, tol=1e-6).fit(X, y)
    C = 1.0 / (alpha * y.size)
    other = LinearSVC(loss="hinge", C=C, intercept_scaling=10.0, tol=1e-9, max_iter=10**6, random_state=0)
    other.fit(X - X.mean(axis=0), y)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=2e-3)  # strong convexity: sqrt(2 gap / alpha)
    signs = np.where(y == 1, 1.0, -1.0)
    hinge = np.maximum(0.0, 1.0 - signs * other.decision_function(X - X.mean(axis=0))).mean()
    penalty = 0.5 * alpha * float((other.coef_**2).sum() + (other.intercept_[0] / 10.0) ** 2)
    assert model.objective_ == pytest.approx(hinge + penalty, rel=2e-6)


@pytest.mark.parametrize("measure", [FBeta(1.0), FBeta(2.0), TopK(3, 3), TopK(2, 3), ErrorRate()])
def test_the_certificate_contains_the_optimum_of_a_general_optimiser(measure):
    rng = np.random.default_rng(4)
    y = np.array([1, 1, 1, -1, -1, -1, -1, -1.0])
    X = rng.normal(size=(8, 2)) + 0.5 * y[:, None]
    name = {FBeta: "fbeta", TopK: "recall_at_k", ErrorRate: "error_rate"}[type(measure)]
    settings = {"beta": getattr(measure, "beta", 1.0), "k": getattr(measure, "k", None)}
    model = ContingencySVMClassifier(name, alpha=0.1, standardize=False, tol=1e-7, **settings).fit(X, y)
    scaling = 0.0 if name == "recall_at_k" else 10.0
    features = np.column_stack([X - X.mean(axis=0), np.full(8, scaling)])
    planes = list(all_planes(measure, y))
    A = np.array([c @ features for _, c in planes])
    heights = np.array([height for height, _ in planes])
    rules = [
        {"type": "ineq", "fun": lambda t: t[3] - A @ t[:3] - heights},
        {"type": "ineq", "fun": lambda t: t[3]},
    ]
    start = np.array([0.0, 0.0, 0.0, 1.0])
    best = minimize(lambda t: t[3] + 0.05 * t[:3] @ t[:3], start, constraints=rules, options={"ftol": 1e-13}).fun
    assert model.objective_ - model.gap_ <= best + 1e-8
    assert model.objective_ == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("measure", MEASURES)
def test_dense_and_sparse_agree_and_converge(measure):
    X, y = make_table()
    dense = ContingencySVMClassifier(measure, alpha=0.01, tol=1e-5, k=20).fit(X, y)
    other = ContingencySVMClassifier(measure, alpha=0.01, tol=1e-5, k=20).fit(sparse.csr_array(X), y)
    assert 0 <= dense.gap_ <= 1e-5 * dense.objective_
    assert other.objective_ == pytest.approx(dense.objective_, rel=2e-5)


def test_the_objective_bounds_the_training_loss():
    for seed in range(10):
        X, y = make_table(seed=seed)
        model = ContingencySVMClassifier("f1").fit(X, y)
        assert 1.0 - f1_score(y, model.predict(X)) <= model.objective_


@pytest.mark.parametrize("k", [1, 7, 0.25, 120, None])
def test_k_training_rows_are_predicted_positive(k):
    X, y = make_table()
    model = ContingencySVMClassifier("precision_at_k", k=k, alpha=0.01).fit(X, y)
    expected = {None: int(y.sum()), 0.25: 30}.get(k, k)
    assert model.predict(X).sum() == expected


def test_an_imbalanced_table_has_a_better_f1_than_the_error_rate():
    X, y = make_table(n=400, dim=3, seed=1, share=0.05)
    f1, error = (f1_score(y, ContingencySVMClassifier(m).fit(X, y).predict(X)) for m in ("f1", "error_rate"))
    assert f1 > error


def test_invalid_parameters_are_rejected():
    X, y = make_table()
    for settings in ({"measure": "auc"}, {"beta": 0}, {"k": 1.5}, {"k": 0}, {"alpha": 0}, {"max_epochs": 0}):
        with pytest.raises(ValueError, match="; give "):
            ContingencySVMClassifier(**settings).fit(X, y)
    with pytest.raises(ValueError, match="k=121 is more than the 120 rows"):
        ContingencySVMClassifier("recall_at_k", k=121).fit(X, y)


def test_an_unfinished_run_warns(monkeypatch):
    X, y = make_table()
    with pytest.warns(ConvergenceWarning, match="stopped after 2"):
        ContingencySVMClassifier(max_epochs=2).fit(X, y)
    monkeypatch.setattr(bundle, "MODEL_WORK", -1e9)
    with pytest.warns(ConvergenceWarning, match="stopped after 1"):
        ContingencySVMClassifier().fit(X, y)


def test_the_many_small_systems_are_solved_by_one_thread(monkeypatch):
    X, y = make_table(n=200, dim=10)
    solve = bundle._stationary_shares
    threads = set()

    def watched(*args):
        threads.update(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")
        return solve(*args)

    monkeypatch.setattr(bundle, "_stationary_shares", watched)
    with threadpool_limits(2, user_api="blas"):
        ContingencySVMClassifier(alpha=1e-4).fit(X, y)
    assert threads == {1}


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("measure", MEASURES)
def test_columns_far_from_zero_do_not_change_the_predictions(measure, form):
    X, y = make_table()
    near = ContingencySVMClassifier(measure).fit(form(X), y)
    far = ContingencySVMClassifier(measure).fit(form(X + 1024.0), y)
    np.testing.assert_allclose(far.decision_function(form(X + 1024.0)), near.decision_function(form(X)), atol=1e-4)
    assert 0 < far.predict(form(X + 1024.0)).sum() < y.size


@pytest.mark.parametrize("beta", [1e-170, 1e170])
def test_extreme_weights_of_recall_are_rejected(beta):
    with pytest.raises(ValueError, match=r"beta=.*; give a number from 1e-06 to 1e\+06"):
        ContingencySVMClassifier("fbeta", beta=beta).fit(*make_table())
