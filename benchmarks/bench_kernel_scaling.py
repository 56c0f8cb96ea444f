"""Kernels and stacks on long tables: time and peak memory against rows and landmarks, compared with LightGBM.

Every row of the table is run in a separate process: seconds of CPU time on one thread, and the peak resident memory
of the process beyond that before the fit, which excludes the data (float32). Each figure is of one run. "LightGBM
tuned" is the best of 8 settings by 5-fold AUC, fitted again to all rows. The last column is the time of the stack
divided by that of the tuned LightGBM on the same rows; the goal was at most 1.2. The synthetic table has 50 columns;
of the others up to 20,000 rows are for testing. The members of stacks were chosen on covtype, letter.scale, ijcnn1
and the synthetic table, with up to 10,000 rows.
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
TEST_ROWS = 20_000
SET_ROWS = {
    "covtype": (1_000, 10_000, 100_000),
    "letter.scale": (1_000, 10_000),
    "ijcnn1": (1_000, 10_000, 30_000),
    "a9a": (1_000, 10_000, 30_000),
    "w8a": (1_000, 10_000, 30_000),
    "cod-rna_zscore": (1_000, 10_000, 30_000),
}


def make(n, dim=COLUMNS, seed=0):
    """Products, squares and steps of some columns, the others noise; 10 % positives."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim)).astype(np.float32)
    score = X[:, 0] * X[:, 1] + X[:, 2] ** 2 - np.abs(X[:, 3]) + (X[:, 4] > 0.5) + 0.5 * X[:, 5] + rng.normal(size=n)
    return X, (score > np.quantile(score, 0.9)).astype(int)


def rows_of(table, n):
    """Training rows and labels, and those for testing."""
    if table == "synthetic":
        return *make(n), *make(TEST_ROWS, seed=1)
    from sklearn.model_selection import train_test_split

    from benchmarks.bench_kernel import load_table

    X, y = load_table(table, n + TEST_ROWS)
    X, X_new, y, y_new = train_test_split(X, y, train_size=n, stratify=y, random_state=0)
    return X, y, X_new, y_new


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


def one(name, n, landmarks, table):
    """Seconds of a fit, additional megabytes at its peak, columns, and the AUC on new rows."""
    from threadpoolctl import threadpool_limits

    from aucmax.metrics import roc_auc

    model = make_model(name, landmarks)
    make_model(name if name == "stack" else "kernel", landmarks).fit(*make(1000))  # compile before the clock starts
    X, y, X_new, y_new = rows_of(table, n)
    peak = PeakMemory()
    before = resident()
    with threadpool_limits(1):
        start = process_time()
        peak.start()
        model.fit(X, y)
        seconds = process_time() - start
    peak.stop.set()
    ours = hasattr(model, "oof_scores_")
    scores = model.decision_function(X_new) if ours else model.predict_proba(X_new)[:, 1]
    return seconds, peak.highest - before, X.shape[1], roc_auc(y_new, scores)


def one_in_subprocess(*arguments):
    """The same in a separate process."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.bench_kernel_scaling", *map(str, arguments)]
    one_thread = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=one_thread)
    return tuple(map(float, done.stdout.split()))


def run(rows=ROWS, landmarks=LANDMARKS, stack_rows=STACK_ROWS, set_rows=SET_ROWS):
    both = ("LightGBM tuned", "stack")
    cases = [(model, n, 0, "synthetic") for n in stack_rows for model in both]
    cases += [(model, n, 0, table) for table, sizes in set_rows.items() for n in sizes for model in both]
    cases += [("kernel", n, 0, "synthetic") for n in rows] + [("kernel", 100_000, m, "synthetic") for m in landmarks]
    cases += [("LightGBM, 200 trees", n, 0, "synthetic") for n in rows if n <= 300_000]
    lines = []
    tuned = {}
    for model, n, m, table in cases:
        seconds, megabytes, columns, auc = one_in_subprocess(model, n, m, table)
        if model == "LightGBM tuned":
            tuned[table, n] = seconds
        lines.append(
            {
                "table": table,
                "model": model,
                "rows": f"{n:,}",
                "columns": int(columns),
                "landmarks": "" if model != "kernel" else str(m or "auto"),
                "seconds": seconds,
                "megabytes": megabytes,
                "test AUC": f"{auc:.4f}",
                "time ratio": seconds / tuned[table, n] if model == "stack" else "",
            }
        )
        print(lines[-1], flush=True)
    return lines


if __name__ == "__main__":
    print(*one(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
