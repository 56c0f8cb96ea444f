"""The line search: stored problems, rational arithmetic, properties, and the two methods against each other."""

import os
import subprocess
import sys
from pathlib import Path

import aum_oracle
import numpy as np
import pytest
from aum_problems import WHY_SKIPPED, random_problem, stored_problems

from aucmax.aum import ErrorFunctions, aum, error_auc, exact_line_search
from aucmax.aum.convex import _bisect, _quantile
from aucmax.aum.line_search import LinePenalty
from aucmax.aum.lines import threshold_lines
from aucmax.aum.walk import CrossingWalk

STORED = stored_problems()
MOVING = [problem for problem in STORED if problem.direction.any()]
STEPS = 1e-11  # relative: crossings that differ by rounding are one row


def searched(problem, **settings):
    return exact_line_search(problem.errors, problem.pred, problem.direction, **settings)


def methods(errors):
    """The methods that find the first minimum."""
    return ["walk", "auto"] if errors.monotone else ["walk"]


def rows_of(table):
    """The rows of a step table, as `aum_oracle` has them."""
    return list(zip(table.step, table.aum, table.slope_after, table.auc, table.auc_after))


def assert_interval(interval, expected, name=""):
    """The ends of an interval are as expected; the last is infinite, or None, if there is none."""
    for end, other in zip(interval, expected, strict=True):
        ours, truth = (np.inf if each is None else float(each) for each in (end, other))
        assert ours == pytest.approx(truth, rel=STEPS), name


class Tolerances:
    """The tolerances stated by the reference problems."""

    def __init__(self, problem):
        total, steepest = np.abs(problem.fp).sum(), np.abs(problem.direction).max()
        self.slope = 1e-9 * total * steepest
        self.auc = 1e-9
        self._aum, self._growth = 1e-9 * max(problem.stored["aum"], 1e-3 * self.slope), 1e-13 * total * steepest

    def aum(self, step):
        return self._aum + self._growth * step


@pytest.mark.skipif(not STORED, reason=WHY_SKIPPED)
def test_stored_problems_without_a_direction_are_refused():
    for problem in STORED:
        if not problem.direction.any():
            with pytest.raises(ValueError, match="direction is zero"):
                searched(problem)


@pytest.mark.parametrize("problem", [p for p in MOVING if p.stored.get("exact")], ids=lambda problem: problem.name)
def test_tables_of_stored_problems(problem):
    exact, found, near = problem.stored["exact"], searched(problem, until="all").table, Tolerances(problem)
    truth = {name: np.array(values, dtype=float) for name, values in exact["table"].items()}
    steps = truth["step_size"]
    kept = np.arange(steps.size) if exact["rows_kept"] == "all" else np.array(exact["rows_kept"])
    gap_after = np.append(steps[1:] > steps[:-1] * (1 + STEPS), kept[-1] == exact["total_rows"] - 1)
    gap_after[:-1] &= np.diff(kept) == 1
    gap_before = np.append(True, gap_after[:-1])
    row = np.searchsorted(found.step, steps * (1 + STEPS), side="right") - 1
    assert np.all(np.abs(found.step[row] - steps) <= STEPS * steps)
    assert len(found) <= exact["total_rows"]
    checks = [
        (found.aum, "aum", near.aum(steps), gap_after),
        (found.slope_after, "aum_slope_after", near.slope, gap_after),
        (found.auc_after, "auc_after", near.auc, gap_after),
        (found.auc, "auc", near.auc, gap_after & gap_before),
    ]
    for ours, name, tolerance, where in checks:
        error = np.abs(ours[row] - truth[name])
        assert np.all((error <= tolerance)[where]), name


@pytest.mark.parametrize("problem", [p for p in MOVING if p.stored.get("exact")], ids=lambda problem: problem.name)
def test_first_minimum_and_best_auc_of_stored_problems(problem):
    truth = problem.stored["exact"]["first_min"]
    for method in methods(problem.errors):
        found = searched(problem, method=method)
        last = None if truth["flat_to_infinity"] else truth["step_last"]
        assert_interval((found.first, found.last), (truth["step_first"], last), method)
        assert found.aum == pytest.approx(truth["aum"], abs=Tolerances(problem).aum(found.step))
    truth = problem.stored["exact"]["first_max_auc"]
    lowest = searched(problem, until="all")
    assert_interval(aum_oracle.max_auc(rows_of(lowest.table)), (truth["step_first"], truth["step_decrease"]))
    if "rounded" not in problem.name:  # there the largest holds for 1e-16 of a step
        largest = problem.stored["exact"]["global_max_auc_after"]["auc"]
        assert lowest.table.auc_after.max() == pytest.approx(largest, abs=1e-9)
    assert lowest.aum == pytest.approx(
        problem.stored["exact"]["global_min"]["aum"], abs=Tolerances(problem).aum(lowest.step)
    )


@pytest.mark.parametrize("problem", [p for p in MOVING if not p.stored.get("exact")], ids=lambda p: p.name)
def test_large_stored_problems_agree_with_the_checked_tables(problem):
    found, truth = searched(problem, until="linear").table, problem.stored["r"]["linear"]
    near = Tolerances(problem)
    np.testing.assert_allclose(found.step, truth["step_size"], rtol=1e-9)
    np.testing.assert_allclose(found.slope_after, truth["aum_slope_after"], atol=near.slope)
    np.testing.assert_allclose(found.auc, truth["auc"], atol=near.auc)
    assert searched(problem).first == pytest.approx(truth_first(problem), rel=1e-9)


def truth_first(problem):
    return problem.stored["r"]["first_min"]["step_size"][0]


@pytest.mark.parametrize("seeds", [range(start, start + 200) for start in range(0, 2000, 200)])
def test_random_problems_against_rational_arithmetic(seeds):
    for problem in map(random_problem, seeds):
        rows = aum_oracle.clusters(aum_oracle.table(aum_oracle.exact_lines(*problem[1:7])))
        found = searched(problem, until="all")
        truth = np.array(rows, dtype=float).T
        ours = [found.table.step, found.table.aum, found.table.slope_after, found.table.auc, found.table.auc_after]
        np.testing.assert_allclose(ours[0], truth[0], rtol=STEPS, err_msg=problem.name)
        for column in range(1, 5):
            tolerance = 1e-11 * (1.0 + truth[0] * (column == 1))
            assert np.all(np.abs(ours[column] - truth[column]) <= tolerance), (problem.name, column)
        for method in methods(problem.errors):
            first_min = searched(problem, method=method)
            assert_interval((first_min.first, first_min.last), aum_oracle.first_min(rows), (problem.name, method))
        assert_interval(aum_oracle.max_auc(rows_of(found.table)), aum_oracle.max_auc(rows), problem.name)


@pytest.mark.thorough
@pytest.mark.parametrize("flag", ["NUMBA_OPT=0", "NUMBA_BOUNDSCHECK=1"])
def test_the_convex_method_does_not_depend_on_compiler_flags(flag, tmp_path):
    """Other flags fuse other multiplications with additions; machine code is cached without regard to them."""
    script = Path(__file__).with_name("flag_searches.py")
    folders = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    flags = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": folders, **dict([flag.split("=")])}
    run = subprocess.run([sys.executable, script], env=os.environ | flags, capture_output=True, text=True)
    exact, total = map(int, run.stdout.split())
    assert exact == total > 400, run.stderr


@pytest.mark.parametrize("crossing", [5e-324, 1.0, 1e290])
@pytest.mark.parametrize("guess", [5e-324, 1.0, 1e299])
def test_a_bracket_reaches_any_crossing_from_any_guess(crossing, guess):
    """A false positive, and a false negative that approaches it from above, with all of their lines in the table."""
    table = np.array([[0.0, crossing], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    found = _bisect(table, 1.0, 0.0, 0.0, 0.0, guess, 1e300, False, np.zeros(6), np.empty((3, 2)))
    assert found[0] > 0 and found[2] == pytest.approx(crossing, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_a_bisection_over_all_magnitudes_ends_at_the_crossing(scale):
    """From a bracket of 2000 binary digits; the two lines cross at `scale`."""
    errors = ErrorFunctions.from_labels([0, 1])
    small = min(1.0, 1.0 / scale)
    for method in ("walk", "auto"):
        found = exact_line_search(errors, [small * scale, 0.0], [0.0, small], method=method)
        assert found.first == pytest.approx(scale, rel=1e-12)


def test_a_walk_swaps_every_pair_once_at_most():
    """However the intercepts are rounded: here they are equal, tiny, or huge."""
    for size in (0.0, 5e-324, 1.0, 1e300):
        rng = np.random.default_rng(0)
        pred = size * rng.integers(-1, 2, size=40)
        errors = ErrorFunctions.from_labels(np.arange(40) % 2)
        walk = CrossingWalk(threshold_lines(errors, pred, rng.integers(-3, 4, size=40).astype(float)))
        assert walk.next_rows(2000).shape[1] <= 40 * 39 / 2 + 1


@pytest.mark.parametrize(
    "values", [np.full(50, np.nan), np.r_[np.nan, np.arange(49.0)], np.zeros(50), np.arange(50.0)]
)
@pytest.mark.parametrize("target", [0.0, 25.0, 51.0, np.nan])
def test_a_quantile_of_anything_ends(values, target):
    _quantile(values.copy(), np.ones(50), 50, target)


def test_the_level_of_many_lines_is_found_where_a_sample_misleads():
    """All of the weight of the sampled lines, every eighth of 4096, is below that of the others."""
    n = 4096
    sampled = np.arange(n) % (n // 512) == 0
    pred = np.where(sampled, 1e3, 0.0) + np.random.default_rng(0).normal(size=n)
    errors = ErrorFunctions.from_labels(np.arange(n) % 16 < 8, np.where(sampled, 1e-3, 1.0))
    direction = np.random.default_rng(1).normal(size=n)
    walk, convex = (exact_line_search(errors, pred, direction, method=method) for method in ("walk", "auto"))
    assert convex.first == pytest.approx(walk.first, rel=1e-12)


def uneven(seed):
    """Labels whose weights differ by powers of ten, with ties: slopes of AUM are zero, or at least about 1e-6."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    y, weight = rng.permutation(np.arange(n) % 2 == 0), rng.choice([1e4, 3.0, 1.0, 1e-3, 7e-5, 1e-6], size=n)
    direction = rng.integers(-2, 3, size=n).astype(float)
    direction[0] = direction[0] or 1.0
    return ErrorFunctions.from_labels(y, weight), rng.integers(-3, 4, size=n).astype(float), direction


def test_flat_minima_of_uneven_weights_against_rational_arithmetic():
    for seed in range(400):
        errors, pred, direction = uneven(seed)
        lines = aum_oracle.exact_lines(errors.example, errors.v, errors.fp, errors.fn, pred, direction)
        rows = aum_oracle.table(lines)
        for method in ("walk", "auto"):
            found = exact_line_search(errors, pred, direction, method=method)
            assert_interval((found.first, found.last), aum_oracle.first_min(rows), (seed, method))
        walked = exact_line_search(errors, pred, direction, until="all").table
        np.testing.assert_array_equal(np.sign(walked.slope_after), [np.sign(float(row[2])) for row in rows])


def test_a_flat_minimum_beside_a_large_weight_is_found_to_its_end():
    errors = ErrorFunctions.from_labels([0, 1, 0, 1], [3.0, 1e-6, 1e-3, 1e-3])
    for method in ("walk", "auto"):
        found = exact_line_search(errors, [2.0, -1.0, -2.0, -1.0], [0.0, 2.0, 2.0, 0.0], method=method)
        assert (found.first, found.last) == (1.5, 2.0)


def binary(n, seed, weighted=False):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    errors = ErrorFunctions.from_labels(y, rng.random(n) if weighted else None)
    return errors, rng.normal(size=n) + 0.3 * y, rng.normal(size=n) + 0.5 * y


def changepoints(n, seed):
    """Errors that go up and down: four breakpoints per example."""
    rng = np.random.default_rng(seed)
    fp, fn = rng.integers(0, 3, size=(n, 5)), rng.integers(0, 3, size=(n, 5))
    fp[:, 0] = fn[:, -1] = 0
    fp[0, -1] = fn[0, 0] = 2
    v = np.sort(rng.normal(size=(n, 4)), axis=1)
    columns = (np.diff(fp, axis=1).ravel(), np.diff(fn, axis=1).ravel())
    errors = ErrorFunctions(np.repeat(np.arange(n), 4), v.ravel(), *columns)
    return errors, rng.normal(size=n), rng.normal(size=n)


PROBLEMS = [binary(80, 0), binary(80, 1, weighted=True), changepoints(25, 2)]


@pytest.mark.parametrize("errors, pred, direction", PROBLEMS)
def test_direct_evaluation_at_random_steps(errors, pred, direction):
    table = exact_line_search(errors, pred, direction, until="all").table
    rng = np.random.default_rng(0)
    for step in rng.choice(table.step, 100) * rng.uniform(0.5, 1.5, size=100):
        row = np.searchsorted(table.step, step, side="right") - 1
        moved = pred + step * direction
        expected = table.aum[row] + table.slope_after[row] * (step - table.step[row])
        assert aum(errors, moved).value == pytest.approx(expected, rel=1e-9)
        assert error_auc(errors, moved) == pytest.approx(table.auc_after[row], abs=1e-12)


@pytest.mark.parametrize("errors, pred, direction", PROBLEMS)
def test_auc_at_a_step_is_the_mean_of_before_and_after(errors, pred, direction):
    table = exact_line_search(errors, pred, direction, until="all").table
    np.testing.assert_allclose(table.auc[1:], (table.auc_after[1:] + table.auc_after[:-1]) / 2, rtol=1e-12)
    assert table.aum.min() >= 0.0


@pytest.mark.parametrize("errors, pred, direction", PROBLEMS[:2])
def test_slopes_of_monotone_errors_never_fall(errors, pred, direction):
    slopes = exact_line_search(errors, pred, direction, until="all").table.slope_after
    assert np.diff(slopes).min() >= -1e-12 * np.abs(slopes).max()


@pytest.mark.parametrize("errors, pred, direction", PROBLEMS)
@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e150])
def test_scale_does_not_matter(errors, pred, direction, scale):
    scaled = ErrorFunctions(errors.example, scale * errors.v, errors.fp, errors.fn)
    for until in ("first_min", "linear", "all"):
        pairs = ((errors, 1.0), (scaled, scale))
        plain, other = (exact_line_search(e, f * pred, f * direction, until) for e, f in pairs)
        assert other.step == pytest.approx(plain.step, rel=1e-9)
        assert other.aum == pytest.approx(scale * plain.aum, rel=1e-9)
        assert other.auc == plain.auc


@pytest.mark.parametrize("errors, pred, direction", PROBLEMS)
@pytest.mark.parametrize("power", [-660, 660])
def test_the_size_of_weights_does_not_matter(errors, pred, direction, power):
    scaled = ErrorFunctions(errors.example, errors.v, np.ldexp(errors.fp, power), np.ldexp(errors.fn, power))
    for method in methods(errors):
        plain, other = (exact_line_search(each, pred, direction, method=method) for each in (errors, scaled))
        assert (other.first, other.last, other.auc) == (plain.first, plain.last, plain.auc)
        assert other.aum == np.ldexp(plain.aum, power)
    plain, other = (exact_line_search(each, pred, direction, until="all").table for each in (errors, scaled))
    np.testing.assert_array_equal(other.auc, plain.auc)
    np.testing.assert_array_equal(other.slope_after, np.ldexp(plain.slope_after, power))


PENALTIES = [LinePenalty(0.3, 0.8), LinePenalty(-0.7, 0.2), LinePenalty(0.0, 3.0)]


def penalised(problem, penalty, step):
    return aum(problem.errors, problem.pred + step * problem.direction).value + penalty.value(step)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_penalised_search_of_all_steps_is_the_lowest_of_a_fine_grid(penalty):
    grid = np.linspace(0.0, 12.0, 120)
    for problem in map(random_problem, range(60)):
        step = searched(problem, until="all", penalty=penalty).step
        lowest = min(penalised(problem, penalty, other) for other in grid)
        assert penalised(problem, penalty, step) <= lowest + 1e-12


@pytest.mark.parametrize("penalty", PENALTIES)
def test_penalised_first_minimum_falls_before_it_and_rises_after_it(penalty):
    for problem in map(random_problem, range(200)):
        for method in methods(problem.errors):
            step = searched(problem, penalty=penalty, method=method).step
            before = [penalised(problem, penalty, share * step) for share in np.linspace(0.0, 1.0, 40)]
            assert (np.diff(before) <= 1e-12).all()
            assert penalised(problem, penalty, step + 1e-6) >= before[-1] - 1e-12


@pytest.mark.parametrize("errors, pred, direction", [binary(600, 3), binary(600, 4, weighted=True)])
@pytest.mark.parametrize("quadratic", [1e-6, 1.0, 100.0, 1e6])
def test_both_methods_find_the_same_penalised_minimum(errors, pred, direction, quadratic):
    slope = (errors.total_fp + errors.total_fn) * np.abs(direction).max()
    for linear in (-2.0 * slope, -0.1 * slope, 0.01 * slope):
        settings = {"penalty": LinePenalty(linear, quadratic)}
        walk, convex = (exact_line_search(errors, pred, direction, method=m, **settings) for m in ("walk", "auto"))
        assert walk.step == pytest.approx(convex.step, rel=1e-11)
        lowest = exact_line_search(errors, pred, direction, until="all", **settings)
        assert lowest.step == pytest.approx(convex.step, rel=1e-6)  # as flat as the parabola is there


def test_a_penalty_on_parallel_lines_has_its_own_minimum():
    errors, pred, _ = binary(30, 6)
    for settings in ({"method": "walk"}, {"method": "auto"}, {"until": "linear"}, {"until": "all"}):
        found = exact_line_search(errors, pred, np.full(30, 0.7), penalty=LinePenalty(-3.0, 2.0), **settings)
        assert found.step == 1.5


@pytest.mark.parametrize("seed", range(10))
def test_methods_agree_on_small_integers(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, size=(300, 3)), rng.random(300) < 0.5
    errors, pred, direction = ErrorFunctions.from_labels(y), X @ [1.0, 2.0, -1.0], X @ [-1.0, 1.0, 1.0]
    walk, convex = (exact_line_search(errors, pred, direction, method=m) for m in ("walk", "auto"))
    assert (convex.first, convex.last) == pytest.approx((walk.first, walk.last), rel=1e-12)
    assert (convex.aum, convex.auc) == pytest.approx((walk.aum, walk.auc), rel=1e-12)


@pytest.mark.parametrize("method", ["walk", "auto"])
def test_all_lines_meet_in_one_point(method):
    rng = np.random.default_rng(5)
    y, pred = rng.random(300) < 0.5, rng.normal(size=300)
    found = exact_line_search(ErrorFunctions.from_labels(y), pred, -pred / 2.0, method=method)
    assert found.step == 2.0
    assert found.aum == pytest.approx(0.0, abs=1e-9)
    assert found.auc == pytest.approx(0.5)


@pytest.mark.parametrize("method", ["walk", "auto"])
def test_parallel_lines_never_meet(method):
    errors, pred, _ = binary(30, 6)
    found = exact_line_search(errors, pred, np.full(30, 0.7), method=method)
    assert (found.step, found.first, found.last) == (0.0, 0.0, np.inf)
    assert found.auc == error_auc(errors, pred)


def test_a_start_at_zero_is_ordered_by_the_direction():
    y = np.array([0, 1, 0, 1, 1])
    found = exact_line_search(ErrorFunctions.from_labels(y), np.zeros(5), y * 1.0, until="all")
    assert found.table.auc_after.tolist() == [1.0]
    assert (found.step, found.first, found.last) == (0.0, 0.0, np.inf)


def test_a_validation_set_may_be_searched_along_a_training_direction():
    rng = np.random.default_rng(8)
    X, w = rng.normal(size=(120, 4)), rng.normal(size=4)
    y = X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=120) > 0
    train, test = slice(0, 80), slice(80, None)
    gradient = aum(ErrorFunctions.from_labels(y[train]), X[train] @ w)
    d = -X[train].T @ (gradient.left + gradient.right)
    errors = ErrorFunctions.from_labels(y[test])
    table = exact_line_search(errors, X[test] @ w, X[test] @ d, until="all").table
    best = int(np.argmax(table.auc_after[:-1]))
    step = 0.5 * (table.step[best] + table.step[best + 1])
    assert table.auc_after[best] > table.auc[0]
    assert table.auc_after[best] == pytest.approx(error_auc(errors, X[test] @ (w + step * d)))


def test_a_linear_walk_has_as_many_rows_as_thresholds():
    errors, pred, direction = binary(50, 9)
    everything = exact_line_search(errors, pred, direction, until="all").table
    linear = exact_line_search(errors, pred, direction, until="linear").table
    assert len(linear) == 50 < len(everything)
    np.testing.assert_array_equal(linear.aum, everything.aum[:50])
    assert exact_line_search(errors, pred, direction).table is None


def test_first_minimum_is_not_the_lowest_for_errors_that_are_not_monotone():
    gains = []
    for seed in range(20):
        errors, pred, direction = changepoints(15, seed)
        first, lowest = (exact_line_search(errors, pred, direction, until) for until in ("first_min", "all"))
        gains.append(first.aum - lowest.aum)
    assert min(gains) >= -1e-12
    assert max(gains) > 0.1


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"direction": np.zeros(2)}, "direction is zero"),
        ({"direction": [np.nan, 0.0]}, r"direction\[0\] is nan"),
        ({"pred": [0.0, np.inf]}, r"pred\[1\] is inf"),
        ({"pred": [0.0]}, "pred has shape"),
        ({"until": "first"}, "until='first'; give one of"),
        ({"until": 17}, "until=17; give one of"),
        ({"method": "convex"}, "method='convex'; give one of"),
    ],
)
def test_invalid_input_is_refused_with_the_reason(settings, message):
    errors = ErrorFunctions.from_labels([0, 1])
    with pytest.raises(ValueError, match=message):
        exact_line_search(**{"errors": errors, "pred": [0.0, 0.0], "direction": [1.0, 2.0], **settings})
