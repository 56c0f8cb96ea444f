"""Convergence rates on digits (and a9a, w8a, splice if available), linear where theory says so, and their plot."""

import os

import numpy as np
import pytest

from aucmax import AUCClassifier, datasets
from aucmax.aum import Descent, ErrorFunctions, descend
from aucmax.losses import Squared
from aucmax.numerics import compiled, compiler
from aucmax.penalties import ElasticNet
from aucmax.plots.convergence import plot_convergence
from aucmax.problem import Data, Problem, automatic_alpha
from aucmax.solvers import SDCA, SPDAM, VRSPAM

WITH_FILES = pytest.mark.skipif("AUCMAX_DATA" not in os.environ, reason="AUCMAX_DATA is not set")
SETS = ["digits", *(pytest.param(name, marks=WITH_FILES) for name in ("a9a", "w8a", "splice_scale"))]


def make(name, *, standardize=False):
    dataset = datasets.load(name)
    y = dataset.y.astype(float)
    data = Data.of(dataset.X, y, np.ones(y.size), standardize=standardize)
    return Problem(data, Squared(), ElasticNet(0.0, automatic_alpha(data)))


@pytest.mark.thorough
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("solver", [VRSPAM, SDCA, SPDAM])
def test_reaches_1e_10_linearly(name, solver):
    solution = solver(tol=1e-10, max_epochs=400).solve(make(name), rng=np.random.default_rng(0))
    assert solution.converged
    passes, logs = solution.trace["passes"], np.log(solution.trace["gap"])
    assert np.corrcoef(passes, logs)[0, 1] < -0.98  # a straight line, downwards


@pytest.mark.parametrize("name", SETS)
def test_standardised_rare_columns_do_not_stop_sdca(name):
    """They make outlier rows, which importance sampling of the rows copes with."""
    solution = SDCA(tol=1e-10, max_epochs=100).solve(make(name, standardize=True), rng=np.random.default_rng(0))
    assert solution.converged


def test_monitor_and_plot_of_several_runs():
    digits = datasets.load("digits")
    X, y = digits.X, digits.y
    half = np.arange(y.size) % 2 == 0
    records = []
    runs = {
        solver: AUCClassifier(solver=solver, random_state=0)
        .fit(X[half], y[half], validation=(X[~half], y[~half]), callback=records.append)
        .trace_
        for solver in ("sdca", "vrspam")
    }
    for trace in runs.values():
        assert np.isfinite(trace["auc"]).all() and np.isfinite(trace["validation_auc"]).all()
        assert (np.diff(trace["seconds"]) >= 0).all() and (np.diff(trace["passes"]) > 0).all()
    assert len(records) == sum(len(trace) for trace in runs.values())
    axes = plot_convergence(runs).axes
    assert len(axes) == 4 and axes[0].get_yscale() == "log"
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["sdca", "vrspam"]


def test_a_validation_set_of_other_labels_is_refused(table):
    X, y, _ = table()
    with pytest.raises(ValueError, match="the validation set has labels"):
        AUCClassifier().fit(X, y, validation=(X, y + 1))


class SlowCompiler:
    """A clock that only moves, by an hour, when Numba compiles something."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def compile(self):
        compiler.event.start_event("numba:compiler_lock")
        compiler.event.start_event("numba:compiler_lock")  # a helper, compiled within its caller
        self.now += 3600.0
        compiler.event.end_event("numba:compiler_lock")
        compiler.event.end_event("numba:compiler_lock")


@pytest.fixture
def slow_compiler(monkeypatch):
    clock = SlowCompiler()
    monkeypatch.setattr("aucmax.numerics.compiled.perf_counter", clock)
    return clock


def test_compilation_is_not_in_the_seconds_of_a_solver(slow_compiler, monkeypatch):
    epoch = SDCA.epoch

    def compiling(self, *args):
        slow_compiler.compile()
        return epoch(self, *args)

    monkeypatch.setattr(SDCA, "epoch", compiling)
    solution = SDCA(max_epochs=3, tol=0.0).solve(make("digits"), rng=np.random.default_rng(0))
    assert slow_compiler.now == 3 * 3600.0
    assert (np.abs(solution.trace["seconds"]) < 1e-9).all()  # rounding: the clock may be far from zero


def test_compilation_is_not_in_the_seconds_of_a_descent(slow_compiler, monkeypatch):
    step = Descent.step

    def compiling(self, *args):
        slow_compiler.compile()
        return step(self, *args)

    monkeypatch.setattr(Descent, "step", compiling)
    X = np.random.default_rng(0).normal(size=(20, 3))
    errors = ErrorFunctions.from_labels(np.arange(20) % 2)
    found = descend(errors, X, np.ones(3), settings=Descent(max_epochs=2))
    assert slow_compiler.now >= 3600.0
    assert (np.abs(found.trace["seconds"]) < 1e-9).all()


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="nothing is compiled")
def test_numba_reports_its_compilations_to_the_clock():
    before = compiled.compile_timer.seconds
    numba_function = compiled.compiled(lambda x: 2.0 * x)
    assert numba_function(1.0) == 2.0 and compiled.compile_timer.seconds > before
    after = compiled.compile_timer.seconds
    assert numba_function(2.0) == 4.0 and compiled.compile_timer.seconds == after


def test_pyplot_saves_the_current_plot(tmp_path):
    from matplotlib import pyplot as plt

    trace = SDCA().solve(make("digits"), rng=np.random.default_rng(0)).trace
    figure = plot_convergence({"sdca": trace})
    assert plt.gcf() is figure
    plt.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000
