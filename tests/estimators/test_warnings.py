"""Warnings name the line of the user's code, not one inside the package."""

import sys
import warnings

import pytest

from aucmax import AUCClassifier
from aucmax.solvers import SDCA, SPAM


def the_warning(model, X, y):
    """The only warning of a fit, and the number of the line of the call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = sys._getframe().f_lineno + 1
        model.fit(X, y)
    assert len(caught) == 1
    return caught[0], line


@pytest.mark.parametrize(
    "solver, outlier",
    [(SDCA(max_epochs=1, tol=1e-14), 1.0), (SPAM(tol=0.9), 300.0), (SPAM(step=1e6, tol=0.9), 1.0)],
    ids=["gap", "outlier", "divergence"],
)
def test_the_line_is_that_of_the_call(table, solver, outlier):
    X, y, _ = table(400)
    X[7] *= outlier
    warning, line = the_warning(AUCClassifier(solver=solver, standardize=False, random_state=0), X, y)
    assert warning.filename == __file__
    assert warning.lineno == line
