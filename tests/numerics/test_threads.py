"""Rows shared among threads give the same sums; limits of BLAS hold for our own threads."""

import numpy as np
from threadpoolctl import threadpool_limits

from aucmax.numerics import threads
from aucmax.problem import Moments, moments


def test_moments_of_a_large_class_are_shared_among_threads(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 8)) + 3.0
    y = np.where(rng.random(5000) < 0.3, 1.0, -1.0)
    weight = rng.uniform(0.1, 2.0, size=5000)
    calls = []
    in_threads = moments.in_threads
    monkeypatch.setattr(moments, "in_threads", lambda f, parts: calls.append(len(parts)) or in_threads(f, parts))
    monkeypatch.setattr(moments, "SHARE", 1000)
    monkeypatch.setattr(moments, "workers_for", lambda size: 3)
    shared = Moments.of(X, y, weight)
    assert calls == [3, 3]
    for part, side in ((shared.pos, y > 0), (shared.neg, y < 0)):
        np.testing.assert_allclose(part.mean, np.average(X[side], axis=0, weights=weight[side]), rtol=1e-13)
        np.testing.assert_allclose(
            part.scatter / part.weight, np.cov(X[side].T, aweights=weight[side], ddof=0), atol=1e-12
        )


def test_never_more_threads_than_blas_may_use():
    with threadpool_limits(1, user_api="blas"):
        assert threads.workers_for(100 * threads.SHARE) == 1
    assert threads.workers_for(threads.SHARE // 2) == 1
