"""The corrected resampled t-test against its definition, its level under overlapping training sets, and Holm."""

import numpy as np
import pytest
from scipy import stats

from aucmax.metrics import corrected_test
from aucmax.metrics.cross_validated import holm


@pytest.mark.parametrize("shape", [(5,), (10, 10)])
def test_statistic_is_that_of_nadeau_and_bengio(shape):
    """Recomputed from the plain t-test of scipy: the correction multiplies the standard error by a known factor."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.9, 0.02, (2, *shape))
    result = corrected_test(a, b, n_train=90, n_test=10)
    plain = stats.ttest_rel(a.ravel(), b.ravel())
    m = a.size
    assert result.t == pytest.approx(plain.statistic / np.sqrt(1 + m * 10 / 90), rel=1e-12)
    assert result.df == m - 1
    assert result.p_value == pytest.approx(2 * stats.t.sf(abs(result.t), m - 1), rel=1e-9)


def test_equal_differences():
    same = corrected_test([0.5, 0.7], [0.5, 0.7], n_train=1, n_test=1)
    assert (same.std_error, same.t, same.p_value) == (0.0, 0.0, 1.0)
    shifted = corrected_test([0.75, 1.0], [0.5, 0.75], n_train=1, n_test=1)
    assert (shifted.t, shifted.p_value) == (np.inf, 0.0)


def test_holm_rejects_like_the_sequential_procedure():
    """Adjusted p-values are below the level exactly where Holm's step-down procedure rejects."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        p = rng.random(6) ** 4
        order = np.argsort(p)
        rejected = np.zeros(6, dtype=bool)
        for k, test in enumerate(order):
            if p[test] > 0.05 / (6 - k):
                break
            rejected[test] = True
        assert np.array_equal(holm(p) <= 0.05, rejected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: corrected_test([1.0], [1.0], n_train=1, n_test=1), "the same two or more folds"),
        (lambda: corrected_test([1.0, 2.0], [1.0], n_train=1, n_test=1), "the same two or more folds"),
        (lambda: corrected_test([1.0, np.nan], [1.0, 2.0], n_train=1, n_test=1), "NaN or infinite"),
        (lambda: corrected_test([1.0, 2.0], [1.0, 2.0], n_train=0, n_test=1), "n_train=0; give"),
        (lambda: holm([0.5, 1.5]), "numbers from 0 to 1"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
