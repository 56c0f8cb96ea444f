"""The registry: what classes declare is consistent, and defaults for losses, tables and streams follow from it."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from aucmax import solvers
from aucmax.losses import LOSSES
from aucmax.penalties import ElasticNet
from aucmax.solvers import SOLVERS, SPAM, CuttingPlane, Exact
from aucmax.solvers.registry import (
    check_penalty_supported,
    check_streams,
    check_unlearns,
    default_solver,
    find_solver,
    losses_of,
    solvers_for,
    streaming_solver,
)

EACH_LOSS = pytest.mark.parametrize("loss", LOSSES)
EACH_SOLVER = pytest.mark.parametrize("name", SOLVERS)


def test_every_solver_file_is_registered_under_its_name():
    files = {path.stem for path in Path(solvers.__file__).parent.glob("*.py")}
    assert set(SOLVERS) == files - {"__init__", "base", "registry"}


@EACH_SOLVER
def test_every_solver_is_exported_and_named(name):
    kind = SOLVERS[name]
    assert kind.__name__ in solvers.__all__
    assert getattr(solvers, kind.__name__) is kind
    assert kind().name == name


@EACH_SOLVER
def test_a_default_takes_the_loss_and_streams_if_it_is_for_streams(name):
    kind = SOLVERS[name]
    assert {*kind.default_for, *kind.streams_for} <= set(losses_of(kind))
    assert kind.online or not kind.streams_for


@EACH_LOSS
@pytest.mark.parametrize("X", [np.ones((50, 3)), sparse.csr_array((10**6, 10**6))], ids=["small", "huge"])
def test_every_loss_has_a_default_for_every_table(loss, X):
    found = find_solver("auto", X, LOSSES[loss]())
    assert loss in found.default_for


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
    found = {loss: streaming_solver("auto", loss) for loss in ("squared", "exponential", "hinge", "unknown")}
    assert found == {"squared": "exact", "exponential": "uniexp", "hinge": "cutting_plane", "unknown": "exact"}
    assert streaming_solver("spam", "squared") == "spam"


@EACH_LOSS
def test_solvers_of_a_loss_are_those_that_take_it(loss):
    found = solvers_for(LOSSES[loss]())
    assert found == [name for name in SOLVERS if loss in losses_of(SOLVERS[name])]
    assert solvers_for(LOSSES[loss](), online=True) == [name for name in found if SOLVERS[name].online]


def test_an_unknown_solver_is_refused_with_a_list_of_names():
    with pytest.raises(ValueError, match=r"unknown solver 'spm'; choose 'auto', one of \['adaoam'.*pass a Solver"):
        find_solver("spm", None, LOSSES["squared"]())


def test_settings_are_checked_when_a_solver_is_found():
    with pytest.raises(ValueError, match="C=-1; give None or a finite number above 0"):
        find_solver(CuttingPlane(C=-1), None, LOSSES["hinge"]())


@EACH_SOLVER
def test_online_solvers_stream_and_others_are_missing_the_method(name):
    for solver in (name, SOLVERS[name]()):
        if SOLVERS[name].online:
            assert check_streams(solver)
        else:
            with pytest.raises(AttributeError, match=r"has no partial_fit; online solvers are \["):
                check_streams(solver)


def test_only_a_solver_that_keeps_all_moments_unlearns():
    assert check_unlearns("exact") and check_unlearns(Exact())
    with pytest.raises(AttributeError, match=r"has no unlearn; solvers that can unlearn rows are \['exact'\]"):
        check_unlearns("spam")
    with pytest.raises(AttributeError, match="set forgetting=1"):
        check_unlearns(Exact(forgetting=0.9))
    for unknown in ("spm", None):
        with pytest.raises(AttributeError):
            check_unlearns(unknown)


def test_an_unsupported_penalty_is_refused_with_solvers_that_support_it():
    with pytest.raises(ValueError, match=r"not 'elastic net' \(l1_ratio=0.5\).*use one of \['cg', 'exact'"):
        check_penalty_supported(SOLVERS["sdca"](), ElasticNet(0.1, 0.1), LOSSES["squared"]())


def test_a_solver_from_elsewhere_is_named_after_its_class():
    class Mine(SPAM):
        pass

    assert Mine().name == "Mine"
    assert SPAM.name == "spam"
