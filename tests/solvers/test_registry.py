"""The registry: what classes declare is consistent, and defaults for losses, tables and streams follow from it."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from aucmax import AUCClassifier, solvers
from aucmax.losses import LOSSES
from aucmax.penalties import ElasticNet
from aucmax.solvers import SOLVERS, SPAM, Exact
from aucmax.solvers.registry import (
    check_penalty_supported,
    default_solver,
    find_solver,
    find_streaming_solver,
    losses_of,
    solvers_for,
    streams,
)

EACH_LOSS = pytest.mark.parametrize("loss", LOSSES)
EACH_SOLVER = pytest.mark.parametrize("name", SOLVERS)


def test_every_solver_file_is_registered_under_its_name():
    files = {path.stem for path in Path(solvers.__file__).parent.rglob("*.py")}
    assert set(SOLVERS) <= files
    for name, kind in SOLVERS.items():
        assert kind.__module__.endswith(f".{name}")


@EACH_SOLVER
def test_every_solver_is_exported_and_named(name):
    kind = SOLVERS[name]
    assert kind.__name__ in solvers.__all__
    assert getattr(solvers, kind.__name__) is kind
    assert kind().name == name


@EACH_LOSS
@pytest.mark.parametrize("X", [np.ones((50, 3)), sparse.csr_array((10**6, 10**6))], ids=["small", "huge"])
def test_every_loss_has_a_default_for_every_table(loss, X):
    found = find_solver("auto", X, LOSSES[loss]())
    assert loss in losses_of(found)


def test_the_defaults():
    X = np.ones((50, 3))
    found = {name: default_solver(loss(), X) for name, loss in LOSSES.items()}
    assert found == {
        "squared": "exact",
        "squared_hinge": "newton",
        "hinge": "cutting_plane",
        "exponential": "newton",
        "logistic": "newton",
        "sigmoid": "rankopt",
        "aum": "aum",
    }


def test_conjugate_gradients_are_the_default_where_a_factorisation_costs_more():
    loss = LOSSES["squared"]()
    assert default_solver(loss, np.ones((50, 50))) == "exact"
    assert default_solver(loss, sparse.random_array((4000, 4000), density=1e-3, format="csr", rng=0)) == "cg"


def test_the_defaults_of_streams():
    streaming = ("squared", "hinge", "exponential")
    found = {loss: find_streaming_solver("auto", LOSSES[loss]()).name for loss in streaming}
    assert found == {"squared": "exact", "hinge": "oam", "exponential": "uniexp"}
    assert find_streaming_solver("spam", LOSSES["squared"]()).name == "spam"
    with pytest.raises(ValueError, match=r"solver='auto' does not learn from streams .*; choose another loss"):
        find_streaming_solver("auto", LOSSES["logistic"]())


@EACH_LOSS
def test_solvers_of_a_loss_are_those_that_take_it(loss):
    found = solvers_for(LOSSES[loss]())
    assert found == [name for name in SOLVERS if loss in losses_of(SOLVERS[name])]
    assert solvers_for(LOSSES[loss](), online=True) == [name for name in found if SOLVERS[name].online]


def test_an_unknown_solver_is_refused_with_a_list_of_names():
    with pytest.raises(ValueError, match=r"unknown solver 'spm'; choose 'auto', one of \['adaoam'.*pass a Solver"):
        find_solver("spm", None, LOSSES["squared"]())


def test_settings_are_checked_when_a_solver_is_found():
    with pytest.raises(ValueError, match="batch_size=0; give None or an integer of 1 or more"):
        find_solver(SPAM(batch_size=0), None, LOSSES["squared"]())


@EACH_SOLVER
def test_online_solvers_stream_and_others_are_missing_the_method(name):
    loss = SOLVERS[name].losses[0]
    for solver in (name, SOLVERS[name]()):
        assert streams(solver, loss.name) == SOLVERS[name].online
        assert hasattr(AUCClassifier(solver=solver, loss=loss.name), "partial_fit") == SOLVERS[name].online
        if not SOLVERS[name].online:
            with pytest.raises(ValueError, match="does not learn from streams with loss="):
                find_streaming_solver(solver, loss())


def test_only_a_solver_that_keeps_all_moments_unlearns():
    for solver in ("auto", "exact", Exact()):
        assert hasattr(AUCClassifier(solver=solver), "unlearn")
    for solver in ("spam", SPAM(), Exact(forgetting=0.9), "spm", None):
        assert not hasattr(AUCClassifier(solver=solver), "unlearn")


def test_an_unsupported_penalty_is_refused_with_solvers_that_support_it():
    with pytest.raises(ValueError, match=r"not 'elastic net' \(l1_ratio=0.5\).*use one of \['cg', 'exact'"):
        check_penalty_supported(SOLVERS["sdca"](), ElasticNet(0.1, 0.1), LOSSES["squared"]())


def test_a_solver_from_elsewhere_is_named_after_its_class():
    class Mine(SPAM):
        pass

    assert Mine().name == "Mine"
    assert SPAM.name == "spam"
