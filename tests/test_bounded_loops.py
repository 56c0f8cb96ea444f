"""Every compiled `while` ends: Ctrl-C does not reach it.

Each one counts: its condition bounds an index, and its body moves that index towards the bound by one step, on every
path. Where that is not so, write a `for` over a number of steps that is provably enough.
"""

import ast
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import aucmax
from aucmax.estimators.tree import LEAF, Nodes
from aucmax.penalties import project_l1, soft_threshold
from aucmax.solvers.pair_svrg import skipped_steps
from aucmax.solvers.published.rankopt import HALVINGS, LARGEST, SMALLEST
from aucmax.solvers.published.saddle_function import l1_threshold

ROOT = Path(aucmax.__file__).parent
LONGEST = 10.0  # seconds that a fit may take
FITS = """
import itertools
import signal
import numpy as np
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.losses import Squared
from aucmax.solvers import FSAUC, SOLAM

settings = itertools.product((0.01, 0.1, 0.5, 1.0), range(50))
for radius, seed in settings:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(40) % 3 == 0, 1.0, -1.0)
    X = (rng.random((40, 2 + seed % 7)) < 0.5).astype(float)
    data = Data.of(X, y, np.ones(40), standardize=False)
    problem = Problem(data, Squared(), ElasticNet(0.0, 0.1))
    zeta = (0.1, 1.0)[seed % 2]
    balls = [SOLAM(form=form, radius=radius, zeta=zeta, max_epochs=5, tol=0.0) for form in ("l1_ball", "l2_ball")]
    for solver in (FSAUC(radius=radius, max_epochs=5, tol=0.0), *balls):
        print(solver, seed, end=": ", flush=True)
        if seed > 0 or radius > 0.01:  # the first fits compile
            signal.setitimer(signal.ITIMER_REAL, LONGEST)  # the system ends the process, whatever loop it is in
        solver.solve(problem, rng=rng)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print("solved", flush=True)
"""
UPWARDS = (ast.Lt, ast.LtE)
DOWNWARDS = (ast.Gt, ast.GtE)


def is_compiled(function):
    return any("compiled" in ast.unparse(decorator) for decorator in function.decorator_list)


def compiled_whiles():
    for path in sorted(ROOT.rglob("*.py")):
        functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
        for function in filter(is_compiled, functions):
            for node in ast.walk(function):
                if isinstance(node, ast.While):
                    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                    yield pytest.param(node, id=f"{name}:{function.name}:{node.lineno}")


def conditions(test):
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def moves(loop, name):
    """The directions of the unconditional steps of an index: its other assignments in the body are None."""
    for node in ast.walk(loop):
        if isinstance(node, ast.AugAssign) and ast.unparse(node.target) == name:
            counted = node in loop.body and ast.unparse(node.value) in ("1", "1.0")
            yield type(node.op) if counted else None
        elif isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets):
            yield None


def is_place(node):
    """Whether it is a variable, or an entry of an array with a fixed index."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant))


def counts_to_a_bound(loop, condition):
    """Whether the condition is `index < bound` and every step is `index += 1`, or the same downwards."""
    if not (isinstance(condition, ast.Compare) and len(condition.ops) == 1 and is_place(condition.left)):
        return False
    bound = {node.id for node in ast.walk(condition.comparators[0]) if isinstance(node, ast.Name)}
    if any(True for other in bound for _ in moves(loop, other)):
        return False  # the bound moves too
    found = set(moves(loop, ast.unparse(condition.left)))
    upwards = isinstance(condition.ops[0], UPWARDS) and found == {ast.Add}
    downwards = isinstance(condition.ops[0], DOWNWARDS) and found == {ast.Sub}
    return upwards or downwards


@pytest.mark.parametrize("loop", list(compiled_whiles()))
def test_a_compiled_while_counts_to_a_bound(loop):
    assert not any(isinstance(node, ast.Continue) for node in ast.walk(loop))
    assert any(counts_to_a_bound(loop, condition) for condition in conditions(loop.test)), ast.unparse(loop)


def test_an_entry_at_the_threshold_up_to_rounding():
    """The count of the entries above the threshold alternated for ever."""
    assert l1_threshold(np.array([0.1, 0.3]), 2, 0.2) == pytest.approx(0.1)


def test_thresholds_of_few_distinct_values_are_those_of_sorting():
    rng = np.random.default_rng(0)
    for _ in range(5_000):
        dim = int(rng.integers(1, 9))
        v = rng.integers(-4, 5, size=dim) * rng.choice([0.1, 1 / 3, 0.7, 1e-9, 1e9])
        radius = float(rng.choice([0.1, 0.2, 0.3, 0.7, 1.0, 3.0])) * max(np.abs(v).max(), 0.1)
        found = soft_threshold(v, l1_threshold(v, dim, radius))
        np.testing.assert_allclose(found, project_l1(v, radius), atol=1e-14 * np.abs(v).max(initial=1.0))


@pytest.mark.parametrize(
    "v", [[np.nan, 1.0], [np.inf, 1.0], [np.inf, np.inf], [np.nan] * 3, [1e308] * 4, [5e-324] * 4]
)
def test_thresholds_of_extreme_entries_end(v):
    with np.errstate(over="ignore"):  # with NUMBA_DISABLE_JIT=1 the sum is NumPy's, which warns
        l1_threshold(np.array(v), len(v), 0.5)


def test_threshold_with_magnitudes_of_all_sizes():
    """The radius is lost in rounding: nothing remains of it, and project_l1 had no entry above its threshold."""
    v = 2.0 ** np.arange(-1000.0, 1000.0)
    np.testing.assert_array_equal(soft_threshold(v, l1_threshold(v, v.size, 1.0)), 0.0)
    np.testing.assert_array_equal(project_l1(v, 1.0), 0.0)


def test_the_angle_of_rankopt_reaches_its_smallest_in_the_halvings_allowed():
    assert LARGEST * 0.5**HALVINGS <= SMALLEST


@pytest.mark.parametrize("mu", [0.02, -0.02, 1e-12, 0.3])
def test_skipped_steps_are_the_steps_one_by_one(mu):
    k = 4097
    d = 0.999
    powers = d ** np.arange(k + 1.0)
    sums = np.concatenate([[0.0], np.cumsum(powers[1:])])
    w = 1.0
    for _ in range(k):
        w = soft_threshold(np.array(w - mu), 0.01) * d
    assert skipped_steps(1.0, k, mu, 0.01, powers, sums) == pytest.approx(float(w), abs=1e-10)


def test_a_tree_with_a_cycle_is_left():
    """As a damaged file might hold."""
    cycle = np.array([[1, 1], [0, 0]])
    nodes = Nodes(np.array([0, 0]), np.zeros(2), np.zeros(2), cycle, np.ones((2, 2)))
    assert nodes.leaves(np.zeros((3, 1))).shape == (3,)
    alone = Nodes(np.array([LEAF]), np.zeros(1), np.zeros(1), np.array([[LEAF, LEAF]]), np.ones((1, 2)))
    np.testing.assert_array_equal(alone.leaves(np.zeros((2, 1))), 0)


@pytest.mark.parametrize("package", ["aum", "changepoint", "losses", "metrics", "tables"])
def test_the_loops_of_each_package_are_found(package):
    assert any(loop.id.startswith(f"{package}.") for loop in compiled_whiles())


def run_fits(longest):
    """Run the fits in a process of their own, which the alarm ends if one takes longer."""
    command = [sys.executable, "-c", f"LONGEST = {longest}\n{FITS}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.thorough
def test_six_hundred_fits_of_binary_columns_in_a_ball_take_ten_seconds_each_at_most():
    """In a process of its own, since a loop that does not end could not be interrupted."""
    run = run_fits(LONGEST)
    assert run.returncode == 0, run.stdout[-500:] + run.stderr
    assert run.stdout.count("solved") == 600


@pytest.mark.thorough
def test_a_fit_that_takes_too_long_would_be_noticed():
    run = run_fits(1e-5)
    assert run.returncode == -signal.SIGALRM
    assert run.stdout.endswith(": ")  # after the name of the fit that took too long
