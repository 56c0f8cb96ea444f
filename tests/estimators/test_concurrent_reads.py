"""A thread that scores rows while another fits sees the old model or the new one, never a mixture of the two."""

import sys
import threading

import numpy as np

from aucmax import AUCClassifier
from aucmax.numerics.matrix import linear_scores


def a_table(n, dim, seed):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return rng.normal(size=(n, dim)) + y[:, None], y.astype(int)


def test_readers_in_other_threads_see_one_of_the_models():
    """Every score is that of a model after one of the batches, computed afterwards from its weights."""
    X, y = a_table(1000, 3, seed=0)
    rows = X[:20] + 5.0
    model = AUCClassifier().partial_fit(X[:10], y[:10], classes=[0, 1])
    models = [(model.coef_, model.intercept_)]
    seen = []
    done = threading.Event()

    def read():
        while not done.is_set():
            seen.append(model.decision_function(rows))

    readers = [threading.Thread(target=read) for _ in range(3)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for reader in readers:
            reader.start()
        for start in range(10, 1000, 5):
            model.partial_fit(X[start : start + 5], y[start : start + 5])
            models.append((model.coef_, model.intercept_))
    finally:
        done.set()
        for reader in readers:
            reader.join()
        sys.setswitchinterval(interval)
    expected = {(linear_scores(rows, coef[0]) + intercept[0]).tobytes() for coef, intercept in models}
    assert len(seen) > 100
    assert all(scores.tobytes() in expected for scores in seen)
