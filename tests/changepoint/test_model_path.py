"""The model selection path against the argmin in rational arithmetic, on a grid, and reference values."""

from fractions import Fraction

import numpy as np
import pytest
from changepoint_problems import numbers, stored, stored_only

from aucmax.changepoint import model_selection_path


def test_model_path_is_the_argmin_in_rational_arithmetic():
    rng = np.random.default_rng(1)
    for _ in range(200):
        size = int(rng.integers(1, 9))
        loss, complexity = rng.integers(0, 30, size=size), np.cumsum(rng.integers(1, 4, size=size))
        path = model_selection_path(loss, complexity)
        crossings = {
            Fraction(int(loss[i] - loss[j]), int(complexity[j] - complexity[i]))
            for i in range(size) for j in range(i + 1, size)
        }  # fmt: skip
        for row, (low, high) in enumerate(zip(path.min_lambda, path.max_lambda)):
            inside = Fraction(low) + 1 if high == np.inf else (Fraction(low) + Fraction(high)) / 2
            values = [int(a) + inside * int(b) for a, b in zip(loss, complexity)]
            assert values.index(min(values)) == path.model[row]
            assert low == 0.0 or low in {float(crossing) for crossing in crossings}
        assert path.min_lambda[0] == 0.0 and path.max_lambda[-1] == np.inf
        assert (path.min_lambda[1:] == path.max_lambda[:-1]).all() and (np.diff(path.min_lambda) > 0).all()


def test_model_path_is_the_argmin_on_a_grid():
    rng = np.random.default_rng(2)
    loss, complexity = np.sort(rng.exponential(size=30))[::-1], np.arange(30)
    path = model_selection_path(loss, complexity)
    for penalty in np.geomspace(1e-4, 10, 300):
        assert path.select(penalty) == np.argmin(loss + penalty * complexity)


def test_ends_of_a_model_path():
    path = model_selection_path([3, 2, 1], [0, 1, 2])
    assert (path.select(0.0), path.select(np.inf)) == (2, 0)
    for penalty in (-1.0, np.nan):
        with pytest.raises(ValueError, match=f"penalty is {penalty}"):
            path.select(penalty)


@stored_only
def test_stored_model_paths():
    for given in stored("model_selection"):
        path, truth = model_selection_path(given["loss"], given["complexity"]), given["path"]
        assert np.array(given["complexity"])[path.model].tolist() == truth["complexity"]
        np.testing.assert_allclose(path.min_lambda, numbers(truth["min_lambda"]), rtol=1e-12)
        np.testing.assert_allclose(path.max_lambda, numbers(truth["max_lambda"]), rtol=1e-12)


def test_complexity_must_be_ascending():
    with pytest.raises(ValueError, match="ascending order"):
        model_selection_path([1.0, 2.0], [1, 1])
