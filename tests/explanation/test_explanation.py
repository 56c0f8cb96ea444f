"""Explanations: standard errors against the bootstrap, importance against known effects, sums of contributions."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.inspection import permutation_importance
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aucmax
from aucmax.explanation.contributions import sampled_contributions
from aucmax.explanation.feature_model import LinearFit
from aucmax.explanation.weight_errors import weight_influence
from aucmax.plots import ImportanceDisplay


def skewed_table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 4 == 0).astype(int)
    X = rng.exponential(size=(n, 4)) * [1.0, 10.0, 0.1, 1.0] + np.outer(y, [0.5, 3.0, 0.0, 0.0])
    X[:, 3] += X[:, 0]
    return X, y


SETTINGS = [
    {"alpha": 0.01},
    {"alpha": 1.0},
    {"alpha": 0.05, "l1_ratio": 0.5},
    pytest.param({"alpha": 0.01, "loss": "logistic"}, marks=pytest.mark.thorough),
    pytest.param({"alpha": 0.1, "loss": "logistic", "standardize": False}, marks=pytest.mark.thorough),
    pytest.param({"alpha": 0.05, "loss": "squared_hinge"}, marks=pytest.mark.thorough),
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_standard_errors_are_those_of_the_bootstrap(settings):
    X, y = skewed_table()
    rng = np.random.default_rng(1)
    names = ["x0", "x1", "x2", "x3"]
    draws = []
    for _ in range(300):
        rows = rng.integers(0, y.size, y.size)
        found = aucmax.AUCClassifier(**settings).fit(X[rows], y[rows]).explain(X[rows])
        draws.append([found[name].importance for name in names])
    found = aucmax.AUCClassifier(**settings).fit(X, y).explain(X, y)
    for name, spread in zip(names, np.std(draws, axis=0)):
        if found[name].importance > 3 * spread:  # away from zero, where a deviation is not normal
            # 300 draws: a relative error of 4 %, and of the linear approximation of some more
            assert found[name].std_error == pytest.approx(spread, rel=0.2)
    assert found["x0"].importance > 3 * np.std(draws, axis=0)[0]


def test_the_influence_of_a_row_is_the_derivative_by_its_weight():
    """Finite differences of the solution in the weight of each row, from the moments alone."""
    X, y = skewed_table(60)
    sign = np.where(y == 1, 1.0, -1.0)
    l2 = 0.3

    def solution(weight):
        r = [weight[sign == side] / weight[sign == side].sum() for side in (1.0, -1.0)]
        means = [share @ X[sign == side] for share, side in zip(r, (1.0, -1.0))]
        delta = means[0] - means[1]
        S = sum(np.cov(X[sign == side], rowvar=False, aweights=weight[sign == side], ddof=0) for side in (1.0, -1.0))
        D2 = np.diag(np.cov(X, rowvar=False, aweights=weight, ddof=0))
        return np.linalg.solve(S + np.outer(delta, delta) + l2 * np.diag(D2), delta)

    weight = np.ones(60)
    influence = weight_influence(X, sign, weight, LinearFit(solution(weight), 0.0, 0.0, l2))
    for row in range(0, 60, 7):
        step = 1e-5
        more, less = weight.copy(), weight.copy()
        more[row] += step
        less[row] -= step
        derivative = (solution(more) - solution(less)) / (2 * step)
        np.testing.assert_allclose(influence[row], derivative, rtol=1e-5, atol=1e-9)


def pair_functions(loss):
    """f and f' of a pairwise loss."""
    if loss == "logistic":
        return lambda m: np.logaddexp(0.0, -m), lambda m: -1.0 / (1.0 + np.exp(m))
    return lambda m: np.maximum(1.0 - m, 0.0) ** 2, lambda m: -2.0 * np.maximum(1.0 - m, 0.0)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
@pytest.mark.parametrize("standardize", [True, False])
def test_the_influence_on_other_losses_is_the_derivative_by_the_weight(loss, standardize):
    """Finite differences of the minimum over all pairs, found by another solver."""
    X, y = skewed_table(60)
    X = X / [1.0, 10.0, 0.1, 1.0]
    f, slope = pair_functions(loss)
    pos, neg = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    pairs = (X[pos][:, None] - X[neg][None]).reshape(-1, 4)

    def solution(weight):
        r = np.outer(weight[pos] / weight[pos].sum(), weight[neg] / weight[neg].sum()).ravel()
        D2 = np.diag(np.cov(X, rowvar=False, aweights=weight, ddof=0)) if standardize else np.ones(4)

        def objective(w):
            m = pairs @ w
            return r @ f(m) + 0.15 * D2 @ w**2, (r * slope(m)) @ pairs + 0.3 * D2 * w

        return minimize(objective, np.zeros(4), jac=True, method="BFGS", options={"gtol": 1e-11, "maxiter": 500}).x

    weight = np.random.default_rng(2).uniform(0.5, 2.0, 60)
    fit = LinearFit(solution(weight), 0.0, 0.0, 0.3, standardize, loss)
    influence = weight_influence(X, np.where(y == 1, 1.0, -1.0), weight, fit) / weight[:, None]
    for row in range(0, 60, 7):
        step = np.zeros(60)
        step[row] = 1e-3
        derivative = (solution(weight + step) - solution(weight - step)) / 2e-3
        # solutions are right to about 1e-9; the squared hinge has kinks in f', which a step may cross
        np.testing.assert_allclose(influence[row], derivative, rtol=0, atol=1e-5 if loss == "logistic" else 2e-4)


def test_an_explanation_says_why_it_has_no_standard_errors():
    X, y = skewed_table()
    fitted = aucmax.AUCClassifier(0.1, loss="exponential").fit(X, y)
    assert "not for exponential" in fitted.explain(X, y).note and "not for exponential" in str(fitted.explain(X, y))
    assert aucmax.AUCClassifier(0.1).fit(X, y).explain(X).note == "no standard errors: they need labels"
    assert aucmax.AUCClassifier(0.1, loss="logistic").fit(X, y).explain(X, y).note == ""


MODELS = {
    "linear": aucmax.AUCClassifier(),
    "cv": aucmax.AUCClassifierCV(cv=3, random_state=0),
    "kernel": aucmax.KernelAUCClassifier("rbf", 30, cv=3, random_state=0),
    "tree": aucmax.AUCTreeClassifier(max_depth=4),
    "aum": aucmax.AUMClassifier(max_epochs=3, random_state=0),
    "contingency": aucmax.ContingencySVMClassifier(max_epochs=50, tol=0.1),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_contributions_add_up_to_the_score(model):
    X, y = skewed_table()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model.fit(frame, y)
    for explanation in (model.explain(frame, y, n_repeats=2), aucmax.explain(model, frame, y, n_repeats=2)):
        rows = explanation.contributions(frame[:20])
        assert rows.values.shape == (20, 4) and set(rows.names) == set("abcd")
        np.testing.assert_allclose(rows.scores, model.decision_function(frame[:20]), rtol=0, atol=1e-12)


def test_sampled_contributions_of_a_sum_are_its_parts():
    rng = np.random.default_rng(0)
    X, background = rng.normal(size=(5, 3)), rng.normal(size=(8, 3))
    parts = [np.sin, np.square, np.exp]
    found = sampled_contributions(
        lambda rows: sum(part(rows[:, j]) for j, part in enumerate(parts)), X, background, [[0], [1], [2]], rng
    )
    for j, part in enumerate(parts):
        np.testing.assert_allclose(found[:, j], part(X[:, j]) - part(background[:, j]).mean(), atol=1e-12)


def test_permutation_importance_agrees_with_scikit_learn():
    X, y = skewed_table(1000)
    model = aucmax.AUCTreeClassifier(max_depth=4).fit(X, y)
    found = model.explain(X, y, n_repeats=30)
    theirs = permutation_importance(model, X, y, scoring="roc_auc", n_repeats=30, random_state=0)
    for j, mean in enumerate(theirs.importances_mean):
        assert found[f"x{j}"].importance == pytest.approx(mean, abs=0.01)
        assert found[f"x{j}"].low <= mean <= found[f"x{j}"].high
    with pytest.raises(ValueError, match="needs labels"):
        model.explain(X)


def test_intervals_of_permutation_importance_cover_that_of_new_rows():
    X, y = skewed_table(600)
    model = aucmax.AUCTreeClassifier(max_depth=3).fit(X, y)
    large = model.explain(*skewed_table(20_000, seed=99), n_repeats=3)["x1"].importance
    hits = 0
    for seed in range(40):
        column = model.explain(*skewed_table(400, seed=seed), n_repeats=5)["x1"]
        hits += column.low <= large <= column.high
    assert hits >= 33  # 38 expected of 40; fewer than 33 has a probability of 0.2 % at 95 % coverage


def test_correlated_columns_are_named_and_features_of_a_column_summed():
    rng = np.random.default_rng(0)
    n = 300
    y = np.arange(n) % 3 == 0
    size = rng.normal(size=n) + y
    frame = pd.DataFrame(
        {
            "length": size,
            "width": 2.0 * size + 0.1 * rng.normal(size=n),
            "town": np.where(rng.random(n) < 0.3 + 0.4 * y, "Rome", np.where(rng.random(n) < 0.5, "Oslo", "Bonn")),
            "noise": rng.normal(size=n),
        }
    )
    model = make_pipeline(aucmax.TableEncoder(), StandardScaler(), aucmax.AUCClassifier()).fit(frame, y)
    found = aucmax.explain(model, frame, y)
    assert found.groups == (("length", "width"),)
    assert {column.name for column in found.columns} == {"length", "width", "town", "noise"}
    assert found.columns[-1].name == "noise"
    assert found["town"].direction is None and found["length"].direction > 0
    np.testing.assert_allclose(
        found.contributions(frame[:9]).scores, model.decision_function(frame[:9]), rtol=0, atol=1e-12
    )


def test_the_display_shows_what_the_explanation_says():
    X, y = skewed_table()
    model = aucmax.AUCClassifier().fit(X, y)
    display = ImportanceDisplay.from_estimator(model, X, y, max_columns=3)
    explanation = model.explain(X, y)
    assert display.names == [column.name for column in explanation.columns[:3]]
    assert [bar.get_width() for bar in display.bars_] == [column.importance for column in explanation.columns[:3]]
    assert display.figure_ is display.ax_.figure
    assert "95 % intervals" in display.ax_.get_xlabel()
    assert "95 % intervals" not in model.explain(X).plot().ax_.get_xlabel()
    assert str(explanation).splitlines()[0].split() == ["column", "importance", "95", "%", "interval"]


def test_names_of_columns_cannot_move_the_cursor():
    X, y = skewed_table()
    names = ["a\x1b[2J", "b\x07"] + [f"c{k}" for k in range(X.shape[1] - 2)]
    table = pd.DataFrame(X, columns=names)
    shown = str(aucmax.explain(aucmax.AUCClassifier().fit(table, y), table))
    assert shown.replace("\n", "").isprintable() and r"a\x1b[2J" in shown
