"""Methods that only some solvers offer: what a user sees who calls another one's."""

import inspect

import pytest

from aucmax import AUCClassifier
from aucmax.solvers import SDCA


@pytest.mark.parametrize("solver", ["sdca", SDCA(), "cg", "vrspam"], ids=str)
def test_a_missing_partial_fit_names_the_solvers_that_stream(solver):
    model = AUCClassifier(solver=solver)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match=r"has no partial_fit; online solvers are .*'exact'.*'spam'"):
        model.partial_fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(AttributeError, match="online solvers are"):
        AUCClassifier.partial_fit(model, [[0.0], [1.0]], [0, 1])


def test_a_missing_unlearn_names_the_solvers_that_unlearn():
    model = AUCClassifier(solver="spam")
    assert not hasattr(model, "unlearn")
    with pytest.raises(AttributeError, match=r"has no unlearn; solvers that can unlearn rows are \['exact'\]"):
        model.unlearn([[0.0]], [0])


def test_the_method_keeps_its_name_and_signature():
    assert list(inspect.signature(AUCClassifier().partial_fit).parameters) == ["X", "y", "classes", "sample_weight"]
    assert AUCClassifier.partial_fit.__name__ == "partial_fit"
    assert "batch of rows" in AUCClassifier.partial_fit.__doc__
