"""Kills fits in passes at random moments: `python kill_fit.py FOLDER SEED KILLS`.

A fit with a checkpoint is forked, killed with SIGKILL, and followed by another one that goes on, a few times. The
checkpoint must be readable after each kill, and the weights at the end those of a fit without interruption, to the
last bit. Prints, as JSON, how many kills there were, and how many passes were finished at each.
"""

import json
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from killed_process import run_in_child

from aucmax import AUCClassifier, AUCClassifierCV, KernelAUCClassifier
from aucmax.scale import LocalEngine, fit
from aucmax.scale import source as sources
from aucmax.scale.fit_checkpoint import FitCheckpoint
from aucmax.scale.stored_sums import from_bytes

ROWS = 40_000
ESTIMATORS = (
    AUCClassifierCV(loss="squared", random_state=0),
    AUCClassifier(0.01, loss="logistic", random_state=0),
    KernelAUCClassifier("rbf", 20, gamma=0.1, tuning_rows=500, random_state=0),
    AUCClassifierCV([0.1, 0.01], loss="logistic", random_state=0),
)


def write_rows(folder, rng):
    """Two files of numbers, missing cells and categories, in many row groups."""
    for k in range(2):
        n = ROWS // 2
        y = rng.random(n) < 0.2
        number = rng.normal(size=n) + y
        number[rng.random(n) < 0.05] = np.nan
        town = rng.choice(["Rome", "Oslo", "Lima"], n)
        columns = {
            "a": pa.array(number, from_pandas=True),
            "b": rng.normal(size=n) - y,
            "town": town.tolist(),
            "y": y,
        }
        pq.write_table(pa.table(columns), folder / f"rows{k}.parquet", row_group_size=2000)
    return str(folder / "rows*.parquet")


def weights_of(model):
    """What must be the same to the last bit."""
    if isinstance(model, KernelAUCClassifier):
        return [np.concatenate([term.weights for term in model.score_.terms]).tobytes(), model.score_.intercept]
    return [model.coef_.tobytes(), model.intercept_.tobytes()]


def run(files, estimator, checkpoint):
    settings = {"target": "y", "pos_label": True, "engine": LocalEngine(1)}
    return weights_of(fit(files, estimator, checkpoint=FitCheckpoint(checkpoint, seconds=0.0), **settings)[-1])


def main(folder, seed, n_kills):
    sources.PARTITION_ROWS = 2000
    rng = np.random.default_rng(seed)
    files = write_rows(folder, rng)
    passes_at_kills = []
    number = 0
    while len(passes_at_kills) < n_kills:
        estimator = ESTIMATORS[number % len(ESTIMATORS)]
        number += 1
        whole, killed = folder / "whole.sums", folder / "killed.sums"
        for path in (whole, killed):
            path.unlink(missing_ok=True)
        run(files, estimator, whole)  # compiles, which would be counted otherwise
        whole.unlink()
        start = time.monotonic()
        expected = run(files, estimator, whole)
        seconds = time.monotonic() - start
        for _ in range(4):
            if run_in_child(partial(run, files, estimator, killed), rng.uniform(0.02, 0.5) * seconds):
                done = from_bytes(killed.read_bytes()) if killed.exists() else {"results": ()}
                passes_at_kills.append(len(done["results"]))
        assert run(files, estimator, killed) == expected, estimator
    print(json.dumps({"kills": len(passes_at_kills), "passes": passes_at_kills}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
