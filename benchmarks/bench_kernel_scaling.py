"""Kernels and stacks on long tables: time and peak memory against rows and landmarks, compared with LightGBM.

Every row of the table is run in a separate process: seconds of CPU time on one thread, and the peak resident memory
of the process beyond that before the fit, which excludes the data (float32). Each figure is of one run. "LightGBM
tuned" is the best of 8 settings by 5-fold AUC, fitted again to all rows. The last column is the time of the stack
divided by that of the tuned LightGBM at the same number of rows; the goal was at most 1.2.
"""

import os
import subprocess
import sys
import threading
from time import process_time, sleep

import numpy as np

ROWS = (1_000, 10_000, 100_000, 300_000, 1_000_000)
STACK_ROWS = (1_000, 3_000, 10_000, 30_000, 100_000)
LANDMARKS = (100, 300, 600)
COLUMNS = 50


def make(n, dim=COLUMNS, seed=0):
    """Products, squares and steps of some columns, the others noise; 10 % positives."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim)).astype(np.float32)
    score = X[:, 0] * X[:, 1] + X[:, 2] ** 2 - np.abs(X[:, 3]) + (X[:, 4] > 0.5) + 0.5 * X[:, 5] + rng.normal(size=n)
    return X, (score > np.quantile(score, 0.9)).astype(int)


def resident():
    """Resident memory of the process in megabytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20


class PeakMemory(threading.Thread):
    """Records the largest resident memory of the process until `stop` is set."""

    def __init__(self):
        super().__init__(daemon=True)
        self.stop = threading.Event()
        self.highest = 0.0

    def run(self):
        while not self.stop.is_set():
            self.highest = max(self.highest, resident())
            sleep(0.005)


def make_model(name, landmarks):
    from lightgbm import LGBMClassifier

    from aucmax import AUCStackingClassifier, KernelAUCClassifier
    from benchmarks.bench_kernel import models

    if name == "kernel":
        return KernelAUCClassifier(n_components=landmarks or "auto", random_state=0)
    if name == "stack":
        return AUCStackingClassifier(random_state=0)
    if name == "LightGBM tuned":
        return models()[name]
    return LGBMClassifier(n_estimators=200, n_jobs=1, verbose=-1, random_state=0)


def one(name, n, landmarks):
    """Seconds of a fit, additional megabytes at its peak, and the AUC on 20,000 new rows."""
    from threadpoolctl import threadpool_limits

    from aucmax.metrics import roc_auc

    model = make_model(name, landmarks)
    make_model(name if name == "stack" else "kernel", landmarks).fit(*make(1000))  # compile before the clock starts
    X, y = make(n)
    peak = PeakMemory()
    before = resident()
    with threadpool_limits(1):
        start = process_time()
        peak.start()
        model.fit(X, y)
        seconds = process_time() - start
    peak.stop.set()
    X_new, y_new = make(20_000, seed=1)
    ours = hasattr(model, "oof_scores_")
    scores = model.decision_function(X_new) if ours else model.predict_proba(X_new)[:, 1]
    return seconds, peak.highest - before, roc_auc(y_new, scores)


def one_in_subprocess(*arguments):
    """The same in a separate process."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.bench_kernel_scaling", *map(str, arguments)]
    one_thread = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=one_thread)
    return tuple(map(float, done.stdout.split()))


def run(rows=ROWS, landmarks=LANDMARKS, stack_rows=STACK_ROWS):
    cases = [("kernel", n, 0) for n in rows] + [("kernel", 100_000, m) for m in landmarks]
    cases += [("LightGBM, 200 trees", n, 0) for n in rows if n <= 300_000]
    cases += [(model, n, 0) for n in stack_rows for model in ("LightGBM tuned", "stack")]
    lines = []
    tuned = {}
    for model, n, m in cases:
        seconds, megabytes, auc = one_in_subprocess(model, n, m)
        if model == "LightGBM tuned":
            tuned[n] = seconds
        lines.append(
            {
                "model": model,
                "rows": f"{n:,}",
                "columns": COLUMNS,
                "landmarks": "" if model != "kernel" else str(m or "auto"),
                "seconds": seconds,
                "megabytes": megabytes,
                "test AUC": f"{auc:.4f}",
                "time ratio": seconds / tuned[n] if model == "stack" else "",
            }
        )
        print(lines[-1], flush=True)
    return lines


if __name__ == "__main__":
    print(*one(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
