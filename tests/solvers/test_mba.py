"""MBA: the minimiser over the pairs drawn, how they are drawn, and the rate at which it nears that of all pairs."""

from functools import partial

import numpy as np
import pytest
from problems import EACH_FORM, make_problem
from problems import run_epochs as run_rounds
from sklearn.linear_model import ElasticNet as ScikitElasticNet
from sklearn.linear_model import Ridge

from aucmax import AUCClassifier
from aucmax.penalties import ElasticNet
from aucmax.solvers import Exact
from aucmax.solvers.published.mba import MBA, drawn_pairs

PENALTIES = {"l2": ElasticNet(0.0, 0.1), "elastic net": ElasticNet(0.05, 0.1), "l1": ElasticNet(0.1, 0.0)}
problem_of = partial(make_problem, standardize=True)


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
@EACH_FORM
def test_weights_are_those_of_scikit_learn_on_all_pairs_drawn(table, penalty, form):
    """The squared loss of pairs is least squares of the target 1 on their differences."""
    X, y, weight = table(200)
    problem = problem_of(form(X), y, weight, penalty)
    rng = np.random.default_rng(7)
    drawn = [drawn_pairs(problem.data, 50, rng) for _ in range(4)]
    d = np.vstack([X[pos] - X[neg] for pos, neg in drawn]) / problem.data.scale
    alpha = penalty.l1 + penalty.l2
    oracle = Ridge(alpha=200 * alpha, fit_intercept=False)
    if penalty.l1 > 0:
        settings = {"fit_intercept": False, "tol": 1e-14, "max_iter": 10**6}
        oracle = ScikitElasticNet(alpha=alpha, l1_ratio=penalty.l1 / alpha, **settings)
    oracle.fit(d, np.ones(200))
    found = run_rounds(MBA(pairs=50), problem, 4, seed=7).w
    np.testing.assert_allclose(found, oracle.coef_, atol=1e-6)  # sweeps end early


def test_pairs_are_of_both_classes_and_drawn_by_weight(table):
    X, y, weight = table(20)
    data = problem_of(X, y, weight, PENALTIES["l2"]).data
    for rows, side in zip(drawn_pairs(data, 100_000, np.random.default_rng(0)), (y > 0, y < 0), strict=True):
        share = np.where(side, weight, 0.0) / weight[side].sum()
        deviation = np.sqrt(share * (1.0 - share) / 100_000)
        assert (np.abs(np.bincount(rows, minlength=20) / 100_000 - share) <= 5.0 * deviation).all()


def test_error_falls_as_the_root_of_the_number_of_pairs(table):
    problem = problem_of(*table(500), ElasticNet(0.0, 0.2), full=True)
    best = Exact().solve(problem).coef
    pairs = np.array([100, 1000, 10_000])
    errors = [
        np.mean([np.linalg.norm(run_rounds(MBA(pairs=size // 5), problem, 5, seed).w - best) for seed in range(20)])
        for size in pairs
    ]
    slope = np.polyfit(np.log(pairs), np.log(errors), 1)[0]
    assert -0.6 < slope < -0.4  # the deviation of the slope over seeds is 0.03


def test_passes_count_two_rows_a_pair(table):
    assert run_rounds(MBA(pairs=30), problem_of(*table(60), PENALTIES["l2"]), 3).passes == 3.0


@pytest.mark.parametrize(
    ("solver", "dim", "message"),
    [
        (MBA(pairs=0), 2, "pairs=0; give an integer from 1 to 100000000$"),
        (MBA(pairs=10.5), 2, "pairs=10.5; give an integer"),
        (MBA(pairs=10**400), 2, "pairs=10{400}; give an integer"),
        (MBA(pairs=None), 2, "pairs=None; give an integer"),
        (MBA(), 3001, "keeps a 3001 x 3001 matrix"),
    ],
)
def test_invalid_settings_are_named(solver, dim, message):
    X, y = np.random.default_rng(0).normal(size=(6, dim)), np.tile([0, 1], 3)
    with pytest.raises(ValueError, match=message):
        AUCClassifier(solver=solver).fit(X, y)
