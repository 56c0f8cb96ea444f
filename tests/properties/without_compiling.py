"""The weights of every solver and the values of some metrics on a small table, as JSON on stdout.

Run with NUMBA_DISABLE_JIT=1, compiled loops are plain Python: the slow way to the same numbers.
"""

import json
import warnings

import numpy as np

from aucmax import AUCClassifier
from aucmax.metrics import PrequentialAUC, auc_interval, roc_auc
from aucmax.solvers import SOLVERS


def results():
    rng = np.random.default_rng(0)
    y = (rng.random(40) < 0.4).astype(int)
    X = rng.normal(size=(40, 3)) + y[:, None] * [1.0, 0.5, 0.0]
    found = {}
    for name, solver in SOLVERS.items():
        model = AUCClassifier(loss=solver.losses[0].name, solver=solver(max_epochs=3), alpha=0.1, random_state=0)
        found[name] = model.fit(X, y).coef_[0].tolist()
    scores = X[:, 0].round(1)
    found["auc"] = [roc_auc(y, scores), *auc_interval(y, scores)]
    meter = PrequentialAUC(10)
    meter.update(y, scores)
    found["prequential"] = [meter.windowed, meter.total]
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(results()))
