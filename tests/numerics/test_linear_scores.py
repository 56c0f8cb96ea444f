"""Scores of linear models: right to rounding, equal for equal rows, the same for any order and for CSR."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from aucmax.numerics.matrix import linear_scores


@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 7), (5000, 30), (3, 40_000), (0, 4)])
def test_scores_are_the_products(n, d):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    scores = linear_scores(X, w)
    for i in rng.integers(n, size=3) if n else ():
        exact = sum(Fraction(x) * Fraction(v) for x, v in zip(X[i].tolist(), w.tolist()))
        size = np.abs(X[i] * w).sum()  # rounding is relative to the terms
        assert abs(float(Fraction(float(scores[i])) - exact)) <= 1e-14 * size
    np.testing.assert_allclose(linear_scores(sparse.csr_array(X), w), scores, rtol=0, atol=1e-9)


def test_a_row_has_the_same_score_whatever_is_scored_with_it():
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(3000, 37)), rng.normal(size=37)
    scores = linear_scores(X, w)
    assert linear_scores(np.asfortranarray(X), w).tobytes() == scores.tobytes()
    assert linear_scores(X[::-1], w)[::-1].tobytes() == scores.tobytes()
    assert np.concatenate([linear_scores(X[i : i + 1], w) for i in range(3000)]).tobytes() == scores.tobytes()
    assert linear_scores(X.astype(np.float32), w).tobytes() == linear_scores(X.astype(np.float32) * 1.0, w).tobytes()


def test_another_number_of_weights_is_refused():
    with pytest.raises(ValueError, match="2 weights for 3 columns"):
        linear_scores(np.ones((1, 3)), np.ones(2))
