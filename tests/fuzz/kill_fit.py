"""Kills fits in passes at random moments: `python kill_fit.py FOLDER SEED KILLS`.

A fit with a checkpoint is forked, killed with SIGKILL, and followed by another one that continues, a few times. The
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
from aucmax.scale import LocalEngine, fit, passes
from aucmax.scale import source as sources
from aucmax.scale.fit_checkpoint import FitCheckpoint
from aucmax.scale.stored_sums import from_bytes
from aucmax.solvers import SDCA, SPAM

ROWS = 40_000
WIDE_ROWS = 20_000
COLUMNS = 4000  # more than a scatter matrix is made for
ESTIMATORS = (
    AUCClassifierCV(loss="squared", random_state=0),
    AUCClassifier(0.01, loss="logistic", random_state=0),
    KernelAUCClassifier("rbf", 20, gamma=0.1, tuning_rows=500, random_state=0),
    AUCClassifierCV([0.1, 0.01], loss="logistic", random_state=0),
    AUCClassifier(30.0, solver=SDCA(tol=1e-5), random_state=0),
    AUCClassifier(30.0, solver=SPAM(tol=0.1), random_state=0),
    AUCClassifier(30.0, solver="cg", random_state=0),
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


def write_sparse_rows(folder, rng):
    """Four libsvm files of many columns."""
    for k in range(4):
        lines = []
        for label in rng.random(WIDE_ROWS // 4) < 0.3:
            columns = np.unique(rng.integers(1 + 10 * label, COLUMNS, size=10))
            lines.append(
                f"{int(label)} " + " ".join(f"{j}:{v:.3f}" for j, v in zip(columns, rng.random(columns.size)))
            )
        (folder / f"rows{k}.svm").write_text("\n".join(lines) + "\n")
    return str(folder / "rows*.svm")


def weights_of(model):
    """What must be the same to the last bit."""
    if isinstance(model, KernelAUCClassifier):
        return [np.concatenate([term.weights for term in model.score_.terms]).tobytes(), model.score_.intercept]
    return [model.coef_.tobytes(), model.intercept_.tobytes()]


def run(files, estimator, checkpoint):
    settings = {"pos_label": 1} if files.endswith("svm") else {"target": "y", "pos_label": True}
    settings |= {"engine": LocalEngine(1), "checkpoint": FitCheckpoint(checkpoint, seconds=0.0)}
    model = fit(files, estimator, **settings)
    return weights_of(model if files.endswith("svm") else model[-1])


def main(folder, seed, n_kills):
    sources.PARTITION_ROWS = 2000
    passes.CHUNK_ROWS = 1000
    rng = np.random.default_rng(seed)
    narrow, wide = write_rows(folder, rng), write_sparse_rows(folder, rng)
    passes_at_kills = []
    number = 0
    while len(passes_at_kills) < n_kills:
        estimator = ESTIMATORS[number % len(ESTIMATORS)]
        number += 1
        files = wide if getattr(estimator, "solver", "auto") != "auto" else narrow
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
    print(json.dumps({"kills": len(passes_at_kills), "passes": passes_at_kills, "fits": number}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
