"""The scalar soft threshold of the compiled loops: that of arrays, with exact zeros, also inside an expression."""

import numpy as np
import pytest

from aucmax.numerics.compiled import compiled
from aucmax.penalties import scalar_soft_threshold, soft_threshold


@compiled
def prox_steps(w, g, eta, threshold, shrink):
    """As in the elastic-net loops, where sums may be reordered and fused."""
    for j in range(w.size):
        w[j] = scalar_soft_threshold(w[j] - eta * g[j], threshold) * shrink


@pytest.mark.parametrize("threshold", [0.0, 0.3, 5.0])
def test_equals_the_soft_threshold_of_arrays(threshold):
    values = np.concatenate([np.random.default_rng(0).normal(size=100), [0.0, -0.0, threshold, -threshold, np.inf]])
    found = np.array([scalar_soft_threshold(u, threshold) for u in values])
    np.testing.assert_array_equal(found, soft_threshold(values, threshold))


def test_nan_stays_nan():
    assert np.isnan(scalar_soft_threshold(np.nan, 0.5))


@pytest.mark.parametrize("n", [1, 7, 10_000])
def test_zeros_are_exact_in_a_compiled_loop(n):
    rng = np.random.default_rng(0)
    w, g = rng.normal(size=(2, n))
    after = w.copy()
    prox_steps(after, g, 0.1, 0.5, 0.9)
    expected = soft_threshold(w - 0.1 * g, 0.5) * 0.9
    np.testing.assert_array_equal(after == 0.0, expected == 0.0)
    np.testing.assert_allclose(after, expected, rtol=1e-12, atol=1e-15)
