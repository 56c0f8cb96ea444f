"""Streams: exact ones equal a fit to all rows seen; all continue from a pickle and survive bad batches."""

import doctest
import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import aucmax
from aucmax.losses import find_loss
from aucmax.problem import ProblemSpec
from aucmax.solvers import OPAUC, SOLVERS, AdaOAM, Exact
from aucmax.streaming.stream import Stream
from aucmax.validation.inputs import LabeledData

# Zero midway between the class means: then the intercept too is that of a fit.
AUCClassifier = partial(aucmax.AUCClassifier, decision="balanced")
PAGE = Path(__file__).parents[2] / "docs" / "streams.md"
FORMS = {"dense": np.asarray, "csr": sparse.csr_array}
SETTINGS = [
    {},
    {"alpha": 0.05, "l1_ratio": 0.5},
    {"alpha": 0.05, "l1_ratio": 1.0},
    {"alpha": 0.1, "standardize": False},
    {"alpha": 0.0},
]
ONLINE = [name for name in SOLVERS if SOLVERS[name].online]


def stream_of(name, **settings):
    return AUCClassifier(solver=name, loss=SOLVERS[name].losses[0].name, random_state=0, **settings)


def assert_same_model(model, other, tolerance):
    for name in ("coef_", "intercept_", "alpha_"):
        expected = np.atleast_1d(getattr(other, name))
        np.testing.assert_allclose(getattr(model, name), expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_exact_stream_in_any_chunks_and_order_is_a_fit(table, settings, form):
    X, y, weight = table(200, 7, unscaled=True)
    fitted = AUCClassifier(solver="exact", **settings).fit(form(X), y, weight)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        cuts = np.sort(rng.integers(1, 200, size=6))
        model = AUCClassifier(solver="exact", **settings)
        for rows in np.split(rng.permutation(200), cuts):
            if rows.size:
                model.partial_fit(form(X[rows]), y[rows], classes=[-1.0, 1.0], sample_weight=weight[rows])
        assert_same_model(model, fitted, 1e-10)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_exact_stream_is_a_fit_after_every_batch(table, l1_ratio):
    X, y, _ = table(60, 5)
    y = np.sort(y)  # 42 rows of one class, then 18 of the other
    model = AUCClassifier(alpha=0.1, l1_ratio=l1_ratio, solver="exact")
    for last in range(10, 61, 10):
        model.partial_fit(X[last - 10 : last], y[last - 10 : last], classes=[-1.0, 1.0])
        if last < 50:
            assert not model.coef_.any() and np.isnan(model.gap_)
        else:
            fitted = clone(model).fit(X[:last], y[:last])
            assert_same_model(model, fitted, 1e-10)
            assert model.gap_ <= Exact().tol * model.objective_
            assert model.objective_ == pytest.approx(fitted.objective_, rel=1e-12)


def test_exact_stream_with_fewer_rows_than_columns_is_a_fit(table):
    X, y, _ = table(20, 45)
    model = AUCClassifier().partial_fit(X[:8], y[:8], classes=[-1.0, 1.0]).partial_fit(X[8:], y[8:])
    assert_same_model(model, AUCClassifier(solver="exact").fit(X, y), 1e-10)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_unlearning_is_never_having_seen(table, settings, form):
    X, y, weight = table(200, 7, unscaled=True)
    model = AUCClassifier(solver="exact", **settings)
    for rows in np.split(np.arange(200), [3, 90]):
        model.partial_fit(form(X[rows]), y[rows], classes=[-1.0, 1.0], sample_weight=weight[rows])
    gone = np.random.default_rng(0).permutation(200)[:150]
    for rows in np.split(gone, [1, 2, 70]):
        model.unlearn(form(X[rows]), y[rows], weight[rows])
    left = np.setdiff1d(np.arange(200), gone)
    assert_same_model(model, clone(model).fit(form(X[left]), y[left], weight[left]), 1e-8)


def test_a_column_that_varied_only_in_unlearned_rows_gets_no_weight(table):
    """Where rounding alone is left of a column, it must not be taken for a signal."""
    X, y, _ = table(120, 4)
    X[:, 1], X[:, 2] = 0.0, 1e6
    X[:40, 1:3] += np.random.default_rng(0).normal(size=(40, 2)) / 3
    model = AUCClassifier(solver="exact").partial_fit(X, y).unlearn(X[:40], y[:40])
    assert_same_model(model, AUCClassifier(solver="exact").fit(X[40:], y[40:]), 1e-8)


def test_a_class_can_be_unlearned_whole_and_learned_again(table):
    X, y, _ = table()
    model = AUCClassifier(solver="exact").partial_fit(X, y)
    model.unlearn(X[y > 0], y[y > 0])
    assert not model.coef_.any() and not model.intercept_.any()
    model.partial_fit(X[y > 0], y[y > 0])
    assert_same_model(model, AUCClassifier(solver="exact").fit(X, y), 1e-10)


def _more_rows(X, y, weight):
    return np.vstack([X, X]), np.append(y, y), np.append(weight, weight)


def _heavier(X, y, weight):
    return X[1:], y[1:], 50 * weight[1:]


def _lighter(X, y, weight):
    return X, y, weight / 2


def _foreign(X, y, weight):
    return X[:20] * 30.0, y[:20], weight[:20]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (_more_rows, r"36 positive rows to unlearn, but only 18 were seen"),
        (_heavier, r"unlearn rows with the weights they were learned with"),
        (_lighter, r"would leave 0 rows of weight"),
        (_foreign, r"were not all seen"),
    ],
)
def test_rows_that_were_not_learned_are_not_unlearned(table, rows, message):
    X, y, weight = table()
    model = AUCClassifier(solver="exact").partial_fit(X, y, sample_weight=weight)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.unlearn(*rows(X, y, weight))
    assert pickle.dumps(model) == before


def test_unlearning_needs_a_stream_and_a_solver_that_keeps_all(table):
    X, y, _ = table()
    with pytest.raises(ValueError, match="no stream to remove rows from; call partial_fit first"):
        AUCClassifier(solver="exact").fit(X, y).unlearn(X, y)
    assert not hasattr(AUCClassifier(solver="spam"), "unlearn")
    assert not hasattr(AUCClassifier(solver=Exact(forgetting=0.9)), "unlearn")
    assert hasattr(AUCClassifier(), "unlearn")


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
@pytest.mark.parametrize("cuts", [[], [1, 2, 3, 60], [100, 101]], ids=str)
def test_forgetting_is_a_weight_that_falls_with_age(table, l1_ratio, cuts):
    X, y, weight = table(150, 5)
    weight[::10] = 0.0  # no rows at all: they make no other row older
    model = AUCClassifier(solver=Exact(forgetting=0.97), l1_ratio=l1_ratio)
    for rows in np.split(np.arange(150), cuts):
        model.partial_fit(X[rows], y[rows], classes=[-1.0, 1.0], sample_weight=weight[rows])
    age = np.cumsum((weight > 0)[::-1])[::-1] - 1
    fitted = AUCClassifier(solver="exact", l1_ratio=l1_ratio).fit(X, y, weight * 0.97**age)
    assert_same_model(model, fitted, 1e-10)


@pytest.mark.parametrize("size", [1, 7, 500])
def test_a_class_not_seen_for_long_is_not_lost(table, size):
    """0.1^400 is no number in double precision; ratios within the class still are.

    The weight of the forgotten class is too small to change the scale of the columns.
    """
    X, y, _ = table(40, 3)
    rare, common = X[y > 0], np.tile(X[y < 0], (15, 1))
    rows, labels = np.vstack([rare, common]), np.repeat([1.0, -1.0], [len(rare), len(common)])
    model = AUCClassifier(solver=Exact(forgetting=0.1), alpha=0.1)
    for start in range(0, labels.size, size):
        model.partial_fit(rows[start : start + size], labels[start : start + size], classes=[-1.0, 1.0])
    age = np.append(np.arange(len(rare))[::-1], np.arange(len(common))[::-1])
    weight = 0.1 ** np.minimum(age, 200) * np.where(labels > 0, 1e-100, 1.0)
    fitted = AUCClassifier(solver="exact", alpha=0.1).fit(rows, labels, weight)
    np.testing.assert_allclose(model.coef_, fitted.coef_, rtol=1e-9)


def test_forgetting_follows_a_stream_that_turns_round(table):
    X, y, _ = table(2000, 5)
    turned = np.where(np.arange(2000) < 1000, y, -y)
    aucs = {}
    for forgetting in (1.0, 0.99):
        model = AUCClassifier(solver=Exact(forgetting=forgetting))
        for rows in np.split(np.arange(2000), 20):
            model.partial_fit(X[rows], turned[rows])
        aucs[forgetting] = roc_auc_score(-y, model.decision_function(X))
    assert aucs[0.99] > aucs[1.0] + 0.1


@pytest.mark.parametrize("value", [0.0, -1.0, 1.5, np.nan])
def test_forgetting_is_above_zero_and_at_most_one(table, value):
    X, y, _ = table()
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        AUCClassifier(solver=Exact(forgetting=value)).partial_fit(X, y)


def test_hard_columns_and_a_long_start_with_one_class():
    rng = np.random.default_rng(0)
    y = np.concatenate([-np.ones(10_000), np.where(rng.random(1000) < 0.5, 1.0, -1.0)])
    X = rng.normal(size=(11_000, 5)) + 0.5 * y[:, None] + 3.0
    X[:, 1], X[::50], X[:, 2] = 7.0, 0.0, X[:, 2] * 1e12
    model = AUCClassifier(solver="exact")
    for rows in np.split(np.arange(11_000), [5000, 10_000, 10_500]):
        model.partial_fit(X[rows], y[rows], classes=[-1, 1])
    assert np.isfinite(model.coef_).all()
    assert roc_auc_score(y, model.decision_function(X)) > 0.85


def test_too_many_columns_for_an_exact_stream_are_refused():
    X = sparse.csr_array((2, 3001))
    with pytest.raises(ValueError, match=r"two 3001 x 3001 matrices .* above 3000 columns use 'spam'"):
        AUCClassifier(solver="exact").partial_fit(X, [0, 1])


def test_values_whose_squares_overflow_are_refused(table):
    X, y, _ = table()
    for solver in ("exact", "spam"):
        model = stream_of(solver).partial_fit(X, y)
        before = pickle.dumps(model)
        with pytest.raises(ValueError, match="squares overflow"):
            model.partial_fit(X * 1e200, y)
        assert pickle.dumps(model) == before


def test_auto_streams_where_the_loss_has_a_solver_that_does(table):
    X, y, _ = table()
    assert AUCClassifier().partial_fit(X, y).solver_ == "exact"
    assert AUCClassifier(loss="exponential", random_state=0).partial_fit(X, y).solver_ == "uniexp"
    assert not hasattr(AUCClassifier(loss="squared_hinge"), "partial_fit")


def test_solvers_that_do_not_stream_say_so(table):
    X, y, _ = table()
    with pytest.raises(AttributeError, match="partial_fit"):
        AUCClassifier(solver="cg").partial_fit(X, y)


def test_class_costs_count_or_are_refused(table):
    X, y, _ = table(n=200)
    fitted = AUCClassifier(class_weight={1: 5.0}).fit(X, y)
    streamed = AUCClassifier(class_weight={1: 5.0}).partial_fit(X, y)
    np.testing.assert_allclose(streamed.intercept_, fitted.intercept_)
    spam = AUCClassifier(solver="spam", class_weight={1: 5.0})
    with pytest.raises(ValueError, match="has no effect in a stream of solver 'spam'"):
        spam.partial_fit(X, y)
    assert not hasattr(spam, "coef_")
    assert AUCClassifier(solver="spam", class_weight={-1: 2.0, 1: 2.0}).partial_fit(X, y).n_iter_ == 1


def test_a_stream_keeps_to_its_solver(table):
    X, y, _ = table()
    model = AUCClassifier(solver="spam", random_state=0).partial_fit(X, y)
    with pytest.raises(
        ValueError, match=r"stream of SPAM\(\) cannot continue with Exact\(\); restore its settings, or"
    ):
        model.set_params(solver="exact").partial_fit(X, y)


@pytest.mark.parametrize(
    ("solver", "changed"),
    [
        (OPAUC(), {"covariance": "diagonal"}),
        (OPAUC(covariance="sketched"), {"covariance": "full"}),
        (OPAUC(covariance="sketched"), {"tau": 7}),
        (AdaOAM(), {"covariance": "diagonal"}),
        (Exact(forgetting=0.9), {"forgetting": 1.0}),
    ],
    ids=str,
)
def test_a_stream_keeps_to_what_its_state_was_made_for(table, solver, changed):
    X, y, _ = table()
    model = AUCClassifier(solver=solver, random_state=0).partial_fit(X, y)
    before = model.coef_
    model.set_params(**{f"solver__{name}": value for name, value in changed.items()})
    with pytest.raises(ValueError, match="cannot continue with"):
        model.partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, before)


def test_nothing_of_a_fit_stays_in_a_stream(table):
    X, y, _ = table()
    for name in ("spam", "exact"):
        model = AUCClassifier(solver=name, random_state=0).fit(X, y)
        for _ in range(3):
            model.partial_fit(X[y > 0], y[y > 0], classes=[-1, 1])
        assert model.n_iter_ == 3
        assert np.isnan(model.objective_)
        assert np.isnan(model.gap_)
        assert not hasattr(model, "trace_")
        assert not hasattr(model, "alpha_")
        assert model.partial_fit(X, y).n_iter_ == 4


def test_a_first_batch_of_one_class_asks_for_the_classes(table):
    X, y, _ = table()
    with pytest.raises(ValueError, match=r"only the label 1.0 so far; pass both labels as classes=\[...\]"):
        AUCClassifier().partial_fit(X[y > 0], y[y > 0])
    model = AUCClassifier().partial_fit(X, (y > 0).astype(int))
    assert model.partial_fit(X, (y > 0).astype(int), classes=[False, True]).classes_.dtype.kind == "i"


@pytest.mark.parametrize("settings", [{"solver": "opauc"}, {"loss": "exponential"}])
def test_partial_fit_refuses_a_penalty_that_the_solver_does_not_support(settings):
    with pytest.raises(ValueError, match="not 'elastic net'"):
        AUCClassifier(**settings, l1_ratio=0.5).partial_fit([[0.0], [1.0]], [1, -1])


@pytest.mark.parametrize("name", ["spam", "solam", "opauc", "adaoam", "oam"])
def test_a_column_whose_spread_grows_does_no_harm(table, name):
    """Of the first 1000 rows, by a factor of 1000; it took the weight along, and ruined the ranking for good."""
    X, y, _ = table(4000)
    warming = X.copy()
    warming[:1000, 0] *= 1e-3
    loss, aucs = SOLVERS[name].losses[0].name, []
    for rows in (X, warming):
        model = AUCClassifier(solver=name, loss=loss, random_state=0)
        for start in range(0, 4000, 100):
            model.partial_fit(rows[start : start + 100], y[start : start + 100], classes=[-1, 1])
        aucs.append(roc_auc_score(y, model.decision_function(X)))
    assert aucs[1] > aucs[0] - 0.01


def test_lost_digits_are_told(table):
    X, y, _ = table(300)
    X[10, 0] = 1e8
    model = AUCClassifier().partial_fit(X, y)
    with pytest.warns(UserWarning, match="much larger in column 0 than the remaining ones"):
        model.unlearn(X[10:11], y[10:11])


@pytest.mark.parametrize("name", ONLINE)
def test_streams_reach_what_a_fit_reaches(table, name):
    """Batches of one class, then of both; a stream taken up from a pickle continues as if it had not stopped."""
    X, y, _ = table(3000)
    model = stream_of(name, alpha=0.2)
    start = np.flatnonzero(y < 0)[:200]
    model.partial_fit(X[start], y[start], classes=[-1.0, 1.0])
    assert not model.coef_.any()
    rest = np.setdiff1d(np.arange(3000), start)
    batches = np.array_split(rest, 20)
    for batch in batches[:10]:
        model.partial_fit(X[batch], y[batch])
    again = pickle.loads(pickle.dumps(model))
    for batch in batches[10:]:
        model.partial_fit(X[batch], y[batch])
        again.partial_fit(X[batch], y[batch])
    np.testing.assert_array_equal(model.coef_, again.coef_)
    exact = AUCClassifier(alpha=0.2).fit(X, y)
    aucs = [roc_auc_score(y, fitted.decision_function(X)) for fitted in (model, exact)]
    assert aucs[0] >= aucs[1] - 0.02


@pytest.mark.parametrize("name", ONLINE)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_batch_leaves_the_stream_as_it_was(table, name, bad):
    X, y, _ = table(300)
    model = stream_of(name).partial_fit(X, y)
    before = pickle.dumps(model)
    spoiled = X.copy()
    spoiled[5, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.partial_fit(spoiled, y)
    with pytest.raises(ValueError, match="must have the same two"):
        model.partial_fit(X, np.where(y > 0, 3.0, -1.0))
    assert pickle.dumps(model) == before


# the automatic batches of fsauc depend on the number of columns
FIXED = {"fsauc": {"batch_size": 1}}
GROWING = [*((name, FIXED.get(name, {})) for name in ONLINE), ("opauc", {"covariance": "sketched", "tau": 4})]


@pytest.mark.parametrize(("name", "settings"), GROWING, ids=str)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_columns_that_come_later_were_zero_before(table, name, settings, form):
    """The stream of a table whose last columns are zero at first is that of a table that has them from the start."""
    X, y, weight = table(120, 8)
    X[:80, 4:] = 0.0
    solver, rng = SOLVERS[name](**settings), np.random.default_rng(0)
    spec = ProblemSpec(find_loss(solver.losses[0].name), 0.1, 0.0, True)
    narrow, wide = (Stream.start(dim, solver, np.random.default_rng(rng.integers(1))) for dim in (4, 8))
    for rows, dim in ((np.flatnonzero(y[:20] < 0), 4), (np.arange(20, 80), 4), (np.arange(80, 120), 8)):
        narrow = narrow.advance(LabeledData(form(X[rows][:, :dim]), y[rows], weight[rows]), spec, solver)
        wide = wide.advance(LabeledData(form(X[rows]), y[rows], weight[rows]), spec, solver)
    np.testing.assert_allclose(narrow.coef, wide.coef, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("forgotten", [0, 12])
def test_columns_far_from_zero_lose_no_digits_in_a_stream(table, form, forgotten):
    """The stream of rows plus 2^20 is a fit to the rows, which are rounded so that the sums are exact."""
    X, y, weight = table(48, 5)
    X[:, 1] = X[:, 0] + 0.01 * X[:, 1]
    X = np.round(X * 2.0**20) / 2.0**20
    model = stream_of("exact", alpha=1e-4)
    for rows in np.array_split(np.arange(48), 12):
        model.partial_fit(form(X[rows] + 2.0**20), y[rows], classes=[-1.0, 1.0], sample_weight=weight[rows])
    if forgotten:
        model.unlearn(form(X[:forgotten] + 2.0**20), y[:forgotten], sample_weight=weight[:forgotten])
    rest = slice(forgotten, None)
    expected = AUCClassifier(alpha=1e-4).fit(X[rest], y[rest], sample_weight=weight[rest])
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)


def test_columns_added_to_a_shifted_stream_were_zero_before(table):
    X, y, _ = table(60, 4)
    X[:30, 2:] = 0.0
    solver = SOLVERS["exact"]()
    spec = ProblemSpec(find_loss("squared"), 0.1, 0.0, True)
    stream = Stream.start(2, solver, np.random.default_rng(0))
    for rows, dim in ((slice(0, 30), 2), (slice(30, 60), 4)):
        stream = stream.advance(LabeledData(X[rows, :dim] + 1e4, y[rows], np.ones(30)), spec, solver)
    X[30:, 2:] += 1e4
    X[:, :2] += 1e4
    expected = AUCClassifier(alpha=0.1, solver="exact").fit(X, y).coef_[0]
    np.testing.assert_allclose(stream.coef / stream.problem.data.scale, expected, rtol=1e-9)


@pytest.mark.parametrize("zero", [[-1.0], [1.0], [-1.0, 1.0]], ids=str)
def test_unlearning_with_a_column_of_zeros(table, zero):
    X, y, _ = table(60, 4)
    X[np.isin(y, zero), 1] = 0.0
    model = stream_of("exact", alpha=0.1).partial_fit(X, y).unlearn(X[:20], y[:20])
    np.testing.assert_allclose(model.coef_, AUCClassifier(alpha=0.1).fit(X[20:], y[20:]).coef_, rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_columns_constant_within_classes_in_weighted_batches(seed):
    """All variance within the classes is rounding error: alpha is 1, and w = delta / (1 + |delta|^2)."""
    y = np.tile([-1.0, 1.0], 10)
    X = np.column_stack([np.where(y > 0, 0.3, 0.1), np.where(y > 0, 0.7, -0.1)])
    weight = np.random.default_rng(seed).uniform(0.1, 3.0, size=20)
    model = stream_of("exact", alpha="auto")
    for rows in np.array_split(np.arange(20), 4):
        model.partial_fit(X[rows], y[rows], classes=[-1.0, 1.0], sample_weight=weight[rows])
    assert model.alpha_ == 1.0
    share = weight[y > 0].sum() / weight.sum()
    deviations = np.sqrt(share * (1.0 - share)) * np.array([0.2, 0.8])
    delta = np.array([0.2, 0.8]) / deviations
    np.testing.assert_allclose(model.coef_[0] * deviations, delta / (1.0 + delta @ delta), rtol=1e-12)


def test_the_examples_of_the_page_run():
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0
