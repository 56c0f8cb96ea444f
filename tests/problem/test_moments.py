"""Moments: chunks in any order, merged and subtracted, equal the whole; the whole equals NumPy."""

import numpy as np
import pytest
from scipy import sparse

from aucmax.problem import Moments

FORMS = {"dense": np.asarray, "csr": sparse.csr_array}


def assert_equal(a, b, full):
    for one, other in ((a.pos, b.pos), (a.neg, b.neg)):
        assert one.count == other.count
        assert one.weight == pytest.approx(other.weight, rel=1e-13)
        np.testing.assert_allclose(one.mean, other.mean, rtol=1e-12, atol=1e-14)
        scale = np.abs(other.scatter).max()
        np.testing.assert_allclose(one.scatter, other.scatter, atol=1e-12 * scale)
        assert one.scatter.ndim == (2 if full else 1)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_numpy(table, form, full, dtype):
    X, y, weight = table(300, 5)
    X = X.astype(dtype)
    moments = Moments.of(form(X), y, weight, full=full)
    for part, side in ((moments.pos, y > 0), (moments.neg, y < 0)):
        rows = X[side].astype(float)
        covariance = np.cov(rows.T, aweights=weight[side], ddof=0)
        np.testing.assert_allclose(part.mean, np.average(rows, axis=0, weights=weight[side]), rtol=1e-12)
        np.testing.assert_allclose(
            part.scatter / part.weight, covariance if full else np.diag(covariance), atol=1e-12
        )


@pytest.mark.parametrize("full", [True, False])
def test_parts_in_any_order_make_the_whole(table, full):
    X, y, weight = table(200, 4)
    rng = np.random.default_rng(1)
    parts = np.array_split(rng.permutation(200), 7)
    total = None
    for part in parts:
        moments = Moments.of(X, y, weight, full=full, index=part)
        total = moments if total is None else total + moments
    assert_equal(total, Moments.of(X, y, weight, full=full), full)


@pytest.mark.parametrize("full", [True, False])
def test_a_part_can_be_taken_out_again(table, full):
    X, y, weight = table(200, 4)
    rest = Moments.of(X, y, weight, full=full) - Moments.of(X[:50], y[:50], weight[:50], full=full)
    assert_equal(rest, Moments.of(X[50:], y[50:], weight[50:], full=full), full)


def test_taking_all_out_leaves_nothing(table):
    moments = Moments.of(*table())
    nothing = moments - moments
    assert (nothing.pos.weight, nothing.neg.count) == (0.0, 0.0)
    assert_equal(nothing + moments, moments, True)


def test_one_class_alone_is_legal(table):
    X, y, weight = table()
    halves = [Moments.of(X[side], y[side], weight[side]) for side in (y > 0, y < 0)]
    assert_equal(halves[0] + halves[1], Moments.of(X, y, weight), True)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("full", [True, False])
def test_large_offsets_keep_their_digits(table, form, full):
    X, y, weight = table(300, 4)
    shifted = Moments.of(form(X + 1e6), y, weight, full=full).within
    # the offset itself costs 1e6 * 2e-16 in each entry of X
    np.testing.assert_allclose(shifted, Moments.of(X, y, weight, full=full).within, atol=1e-8)


def test_a_weight_of_two_is_two_copies(table):
    X, y, _ = table()
    twice = np.repeat(np.arange(y.size), np.where(np.arange(y.size) % 3, 1, 2))
    weight = np.bincount(twice).astype(float)
    copies = Moments.of(X[twice], y[twice])
    weighted = Moments.of(X, y, weight)
    np.testing.assert_allclose(weighted.within, copies.within, atol=1e-13)
    assert weighted.n == copies.n


def test_weights_that_sum_to_one_do_not_make_the_table_small(table):
    X, y, weight = table()
    assert Moments.of(X, y, weight / weight.sum()).n == y.size


def test_column_scaling_commutes(table):
    X, y, weight = table()
    scale = np.arange(1.0, 7.0)
    assert_equal(Moments.of(X, y, weight).scaled(scale), Moments.of(X / scale, y, weight), True)
