"""Error functions, AUM and its derivatives, ROC curves of error functions."""

import aum_oracle
import numpy as np
import pytest
from aum_problems import WHY_SKIPPED, random_problem, stored_problems
from sklearn.metrics import roc_auc_score

from aucmax.aum import ErrorFunctions, aum, error_auc, error_roc_curve

STORED = stored_problems()
TOLERANCE = 1e-9  # that of the reference problems; relative


def exact(problem):
    return aum_oracle.exact_lines(*problem[1:7])


@pytest.mark.skipif(not STORED, reason=WHY_SKIPPED)
def test_all_stored_problems_are_found():
    assert len(STORED) == 126


@pytest.mark.parametrize("problem", STORED, ids=lambda problem: problem.name)
def test_value_and_derivatives_of_stored_problems(problem):
    found = aum(problem.errors, problem.pred)
    sides = [problem.stored["derivative_left"], problem.stored["derivative_right"]]
    if "derivative" in problem.stored.get("what_disagrees", {}):  # the stored values are those of R
        sides = aum_oracle.derivatives(exact(problem), problem.example, problem.pred.size)
    assert found.value == pytest.approx(problem.stored["aum"], rel=TOLERANCE)
    np.testing.assert_allclose(found.left, sides[0], atol=TOLERANCE * problem.errors.total_fp)
    np.testing.assert_allclose(found.right, sides[1], atol=TOLERANCE * problem.errors.total_fp)


@pytest.mark.parametrize("seeds", [range(start, start + 100) for start in range(0, 400, 100)])
def test_value_derivatives_and_auc_are_the_exact_ones(seeds):
    for problem in map(random_problem, seeds):
        lines = exact(problem)
        value, auc = aum_oracle.at(lines, 0)
        left, right = aum_oracle.derivatives(lines, problem.example, problem.pred.size)
        found = aum(problem.errors, problem.pred)
        assert found.value == pytest.approx(float(value), abs=1e-12)
        np.testing.assert_allclose(found.left, left, atol=1e-12, err_msg=problem.name)
        np.testing.assert_allclose(found.right, right, atol=1e-12, err_msg=problem.name)
        assert error_auc(problem.errors, problem.pred) == pytest.approx(float(auc), abs=1e-12)


def test_breakpoints_of_one_example_at_one_value_move_together():
    found = aum(ErrorFunctions([0, 0, 1], [0, 0, 0], [1, 1, 0], [0, 0, -1]), [0.0, 0.0])
    assert found.right.tolist() == [1.0, 0.0]
    assert found.left.tolist() == [0.0, -1.0]


def test_auc_of_labels_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, weight = rng.random(200) < 0.3, rng.random(200)
    score = np.round(rng.normal(size=200) + y, 1)
    assert error_auc(ErrorFunctions.from_labels(y), score) == pytest.approx(roc_auc_score(y, score), rel=1e-14)
    errors = ErrorFunctions.from_labels(y, weight)
    assert error_auc(errors, score) == pytest.approx(roc_auc_score(y, score, sample_weight=weight), rel=1e-13)


def test_a_weight_of_two_is_two_copies():
    y, pred = np.array([0, 1, 0, 1, 1]), np.array([0.5, 0.1, -0.2, 0.5, 0.9])
    weight = np.array([2, 1, 1, 2, 1])
    weighted = aum(ErrorFunctions.from_labels(y, weight), pred)
    copied = aum(ErrorFunctions.from_labels(np.repeat(y, weight)), np.repeat(pred, weight))
    assert weighted.value == pytest.approx(copied.value, rel=1e-14)


def test_aum_is_not_negative_and_zero_for_a_perfect_ranking():
    rng = np.random.default_rng(1)
    y = rng.random(50) < 0.5
    errors = ErrorFunctions.from_labels(y)
    assert all(aum(errors, rng.normal(size=50)).value >= 0.0 for _ in range(20))
    assert aum(errors, np.where(y, 2.0, 1.0)).value == 0.0


def test_aum_of_labels_is_homogeneous_and_invariant_to_constants():
    rng = np.random.default_rng(2)
    errors, pred = ErrorFunctions.from_labels(rng.random(60) < 0.4, rng.random(60)), rng.normal(size=60)
    value = aum(errors, pred).value
    assert aum(errors, 7.0 * pred).value == pytest.approx(7.0 * value, rel=1e-12)
    assert aum(errors, pred + 3.0).value == pytest.approx(value, rel=1e-12)


def test_aum_is_convex_for_monotone_errors():
    rng = np.random.default_rng(3)
    errors = ErrorFunctions.from_labels(rng.random(40) < 0.4, rng.random(40))
    for _ in range(50):
        a, b, share = rng.normal(size=40), rng.normal(size=40), rng.random()
        between = aum(errors, share * a + (1 - share) * b).value
        assert between <= share * aum(errors, a).value + (1 - share) * aum(errors, b).value + 1e-12


def test_gradient_agrees_with_finite_differences_without_ties():
    rng = np.random.default_rng(4)
    errors, pred = ErrorFunctions.from_labels(rng.random(30) < 0.5), rng.normal(size=30)
    here = aum(errors, pred)
    moved = [aum(errors, pred + 1e-7 * unit).value for unit in np.eye(30)]
    np.testing.assert_array_equal(here.left, here.right)
    np.testing.assert_allclose((np.array(moved) - here.value) / 1e-7, here.left, atol=1e-6)


def test_curve_with_loops_has_an_area_above_one():
    errors = ErrorFunctions([0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], [0, 0, 0, 1, -1, 1], [-1, 1, -1, 0, 0, 0])
    pred = [0.0, -0.5]
    curve = error_roc_curve(errors, pred)
    assert error_auc(errors, pred) == 2.0
    assert np.trapezoid(curve.tpr, curve.fpr) == 2.0
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize("weight", [1e-100, 1e100])
def test_the_size_of_weights_does_not_matter_to_auc(weight):
    y, pred = [0, 1, 0, 1, 1], [0.5, 0.1, -0.2, 0.5, 0.9]
    tiny_and_large = ErrorFunctions.from_labels(y, np.where(y, weight, 1.0 / weight))
    for errors in (ErrorFunctions.from_labels(y, np.full(5, weight)), tiny_and_large):
        assert error_auc(errors, pred) == roc_auc_score(y, pred)


LABELS = ErrorFunctions.from_labels([0, 1])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ErrorFunctions([0, 2], [0, 0], [1, 0], [0, -1]), "example 1 has no breakpoint"),
        (lambda: ErrorFunctions([0, 0, 1], [0, 1, 0], [-1, 2, 0], [0, 0, -1]), "-1 false positives"),
        (lambda: ErrorFunctions([0, 1, 1], [0, 0, 1], [1, 0, 0], [0, -2, 1]), "-1 false negatives"),
        (lambda: ErrorFunctions([0, 1], [0, np.nan], [1, 0], [0, -1]), r"v\[1\] is nan"),
        (lambda: ErrorFunctions([0, 1], [0, 0], [np.inf, 0], [0, -1]), r"fp\[0\] is inf"),
        (lambda: ErrorFunctions([0, 1], [0, 0], [1, 1], [0, 0]), "0 false negatives"),
        (lambda: ErrorFunctions([0.5, 1.0], [0, 0], [1, 0], [0, -1]), "must hold integers"),
        (lambda: ErrorFunctions([-1, 0], [0, 0], [1, 0], [0, -1]), "within 0"),
        (lambda: ErrorFunctions([0, 1], [0, 0, 0], [1, 0], [0, -1]), "rows"),
        (lambda: ErrorFunctions([], [], [], []), "is empty"),
        (lambda: ErrorFunctions.from_labels([1, 1]), "two classes"),
        (lambda: ErrorFunctions.from_labels([0, 1], [1.0, -1.0]), "give 0, or a number from"),
        (lambda: aum(LABELS, [0.0, np.nan]), r"pred\[1\] is nan"),
        (lambda: error_auc(LABELS, [0.0, np.inf]), r"pred\[1\] is inf"),
        (lambda: error_roc_curve(LABELS, [0.0, 1.0, 2.0]), "pred has shape"),
    ],
)
def test_invalid_input_is_refused_with_the_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()
