"""Every fast path against the slow way to the same result: sums over pairs, folds, paths, threads, streams."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import make_data
from properties.ranked_rows import few, fewer, tables

from aucmax import AUCClassifier
from aucmax.losses import LOSSES
from aucmax.numerics.threads import in_threads
from aucmax.problem import Moments
from aucmax.problem import moments as moments_module
from aucmax.selection.alpha_path import alpha_path, eigen_solutions, krylov_path, shifted_solutions
from aucmax.selection.cross_validation import moments_by_fold, training_moments
from aucmax.solvers import Exact

MARGIN_LOSSES = {
    "squared": lambda m: 0.5 * (1.0 - m) ** 2,
    "squared_hinge": lambda m: np.maximum(1.0 - m, 0.0) ** 2,
    "hinge": lambda m: np.maximum(1.0 - m, 0.0),
    "exponential": lambda m: np.exp(-m),
    "logistic": lambda m: np.logaddexp(0.0, -m),
    "sigmoid": lambda m: 1.0 / (1.0 + np.exp(m)),
}


def assert_same_moments(found, expected, tolerance=1e-9):
    for side in ("pos", "neg"):
        for name in ("count", "weight", "mean", "scatter"):
            values = [np.asarray(getattr(getattr(part, side), name)) for part in (found, expected)]
            np.testing.assert_allclose(*values, rtol=tolerance, atol=tolerance)


def pair_differences(X, y, weight):
    pos, neg = y > 0, y < 0
    differences = (X[pos][:, None] - X[neg]).reshape(-1, X.shape[1])
    shares = np.outer(weight[pos], weight[neg]).ravel()
    return differences, shares / shares.sum()


@pytest.mark.parametrize("name", MARGIN_LOSSES)
@fewer
@given(tables(), st.floats(0.01, 30))
def test_sums_over_sorted_scores_and_boxes_are_sums_over_pairs(name, rows, size):
    X, y, weight = rows
    data = make_data(X, y, weight)
    w = size * np.array([1.0, -0.5, 0.25])
    differences, shares = pair_differences(X, y, weight)
    value, gradient = LOSSES[name]().value_and_gradient(data, w)
    expected = shares @ MARGIN_LOSSES[name](differences @ w)
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)
    step = 1e-6
    ahead, behind = (shares @ MARGIN_LOSSES[name](differences @ (w + s * w)) for s in (step, -step))
    slope = (ahead - behind) / (2 * step)
    if name != "hinge":  # which has kinks, where finite differences are no gradient
        assert gradient @ w == pytest.approx(slope, rel=1e-4, abs=1e-6 * (1 + expected))


@few
@given(tables(most=40), st.integers(2, 4), st.randoms(use_true_random=False))
def test_moments_of_folds_are_those_of_their_rows(rows, n_folds, random):
    X, y, weight = rows
    order = np.array(random.sample(range(len(y)), len(y)))
    tests = np.array_split(order, n_folds)
    folds = [(np.setdiff1d(order, test), test) for test in tests]
    whole, of_folds = training_moments(X, y, weight, folds)
    assert_same_moments(whole, Moments.of(X, y, weight))
    for (train, _), found in zip(folds, of_folds, strict=True):
        assert_same_moments(found, Moments.of(X[train], y[train], weight[train]))


@few
@given(tables(most=40), st.integers(3, 7), st.randoms(use_true_random=False))
def test_moments_without_up_to_two_folds_are_those_of_the_other_rows(rows, n_folds, random):
    X, y, weight = rows
    tests = np.array_split(random.sample(range(len(y)), len(y)), n_folds)
    sums = moments_by_fold(X, y, weight, [(np.array([], dtype=int), test) for test in tests])
    for count in range(3):
        left_out = random.sample(range(n_folds), count)
        others = np.concatenate([tests[k] for k in range(n_folds) if k not in left_out])
        assert_same_moments(sums.without(*left_out), Moments.of(X[others], y[others], weight[others]))


@few
@given(tables(most=40), st.integers(0, 40))
def test_merged_is_whole_and_unlearned_is_never_seen(rows, cut):
    X, y, weight = rows
    cut = min(cut, len(y))
    first, last = Moments.of(X[:cut], y[:cut], weight[:cut]), Moments.of(X[cut:], y[cut:], weight[cut:])
    whole = Moments.of(X, y, weight)
    assert_same_moments(first + last, whole)
    if min(first.pos.count, first.neg.count) > 0:
        assert_same_moments(whole - last, first, 1e-7)  # what is subtracted leaves its rounding errors


@fewer
@given(tables(), st.integers(2, 5))
def test_threads_compute_what_one_thread_does(rows, n_threads):
    X, y, weight = rows
    one = Moments.of(X, y, weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moments_module, "SHARE", 1)
        patch.setattr(moments_module, "workers_for", lambda size: n_threads)
        assert_same_moments(Moments.of(X, y, weight), one)
    assert in_threads(lambda part: part.sum(), np.split(np.arange(12), 3)) == [6, 22, 38]


@few
@given(tables(), st.integers(1, 5))
def test_the_path_is_a_solution_for_each_alpha(rows, n_alphas):
    X, y, weight = rows
    alphas = np.geomspace(1.0, 1e-3, n_alphas)
    data = make_data(X, y, weight, full=True)
    differences, shares = pair_differences(X, y, weight)
    slow = [
        np.linalg.solve(differences.T @ (shares[:, None] * differences) + alpha * np.eye(3), differences.T @ shares)
        for alpha in alphas
    ]
    np.testing.assert_allclose(alpha_path(data, LOSSES["squared"](), alphas, 0.0, Exact()).T, slow, atol=1e-8)
    np.testing.assert_allclose(krylov_path(data, alphas).T, slow, atol=1e-4)
    fast, eigen = (solve(data.within, data.delta, alphas) for solve in (shifted_solutions, eigen_solutions))
    np.testing.assert_allclose(fast, eigen, atol=1e-8 * (1 + np.abs(eigen).max()))


@fewer
@given(tables(most=40), st.integers(1, 13))
def test_a_stream_is_a_fit_and_unlearning_is_never_having_seen(rows, size):
    X, y, weight = rows
    settings = {"alpha": 0.1, "solver": "exact", "decision": "balanced"}
    stream = AUCClassifier(**settings)
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        stream.partial_fit(X[part], y[part], classes=[-1.0, 1.0], sample_weight=weight[part])
    whole = AUCClassifier(**settings).fit(X, y, weight)
    np.testing.assert_allclose(stream.coef_, whole.coef_, atol=1e-8)
    np.testing.assert_allclose(stream.intercept_, whole.intercept_, atol=1e-8)
    stream.unlearn(X[4:], y[4:], weight[4:])
    fitted = AUCClassifier(**settings).fit(X[:4], y[:4], weight[:4])
    np.testing.assert_allclose(stream.coef_, fitted.coef_, atol=1e-6)


@fewer
@given(tables())
def test_fits_do_not_depend_on_the_order_or_on_how_weights_are_written(rows):
    X, y, weight = rows
    copies = weight.astype(int)
    settings = {"alpha": 0.1, "decision": "balanced"}
    for loss in ("squared", "logistic", "squared_hinge"):
        fitted = AUCClassifier(loss=loss, **settings).fit(X, y, weight)
        order = np.arange(len(y))[::-1]
        others = {
            "permuted": AUCClassifier(loss=loss, **settings).fit(X[order], y[order], weight[order]),
            "copied": AUCClassifier(loss=loss, **settings, standardize=True).fit(
                np.repeat(X, copies, axis=0), np.repeat(y, copies)
            ),
        }
        flipped = AUCClassifier(loss=loss, **settings).fit(X, -y, weight)
        size = 1e-2 * (1 + np.abs(fitted.coef_).max())  # of weights whose objective has a relative gap of 1e-6
        for other in others.values():
            np.testing.assert_allclose(other.coef_, fitted.coef_, atol=size)
            assert other.objective_ == pytest.approx(fitted.objective_, rel=1e-5)
        np.testing.assert_allclose(flipped.coef_, -fitted.coef_, atol=size)
