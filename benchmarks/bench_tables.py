"""The command line on a table of 500,000 x 30, against pyarrow and the estimator: CPU time and memory of processes.

Every figure is that of a whole process, imports included: user and system time, and the peak of the resident
memory. `score` is compared with reading by pyarrow, X @ w and writing by pyarrow; `fit --no-baseline` with reading by
pyarrow and `AUCClassifierCV(loss="auto").fit` on the array, which is what the command line fits, and which it also
cross-validates: it makes six such fits, one of them on all rows. Memory: `score` on all rows, and on a quarter of
them.
"""

import os
import subprocess
import sys
import tempfile
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

ROWS, COLUMNS = 500_000, 30
READ = f"""
import sys
import numpy as np, pyarrow as pa
from pyarrow import csv, parquet
path = sys.argv[1]
table = csv.read_csv(path) if path.endswith(".csv") else parquet.read_table(path)
X = np.column_stack([table.column(j).to_numpy() for j in range({COLUMNS})])
"""
SCORE = (
    READ
    + """
scores = X @ np.linspace(-1, 1, X.shape[1])
probability = 1 / (1 + np.exp(-scores))
labels = pa.array(["honest", "fraud"]).take(pa.array((scores > 0).astype(np.int8)))
csv.write_csv(pa.table({"score": scores, "probability": probability, "prediction": labels}), sys.argv[2])
"""
)
FIT = (
    READ
    + """
from aucmax import AUCClassifierCV
y = table["y"].to_numpy() == "fraud"
AUCClassifierCV(loss="auto", random_state=0).fit(X, y)
"""
)


def write_tables(folder, n):
    """Write a table in a process of its own: a process starts with the peak memory of the one that started it."""
    writer = get_context("spawn").Process(target=_write_tables, args=(folder, n))
    writer.start()
    writer.join()
    if writer.exitcode:
        raise RuntimeError(f"the tables of {n} rows could not be written (exit code {writer.exitcode})")


def _write_tables(folder, n):
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.1
    X = rng.normal(size=(n, COLUMNS)) + 0.3 * y[:, None] * rng.normal(size=COLUMNS)
    columns = {f"x{j}": X[:, j] for j in range(COLUMNS)}
    table = pa.table(columns | {"y": np.where(y, "fraud", "honest")})
    csv.write_csv(table, folder / f"{n}.csv")
    parquet.write_table(table, folder / f"{n}.parquet")


def usage(*arguments):
    """CPU seconds and peak memory in MB of a process."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )
    error = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        raise RuntimeError(error.decode())
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3


def alternate(ours, theirs, repeats):
    """Medians of the usage of both, which alternate; the first round is a warm-up."""
    figures = np.array([(ours(), theirs()) for _ in range(repeats + 1)])
    return np.median(figures[1:], axis=0)


def command(*arguments):
    return partial(usage, "-m", "aucmax", *arguments)


def compare_rows(what, ours, theirs, bar, unit, at):
    return {
        "what": what,
        "ours": float(ours[at]),
        "theirs": float(theirs[at]),
        "unit": unit,
        "ratio": float(ours[at] / theirs[at]),
        "bar": bar,
    }


def run(repeats: int = 3, rows: int = ROWS) -> list[dict]:
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder, rows)
        model, scores = folder / "model.json", folder / "scores.csv"
        fit = command("fit", folder / f"{rows}.csv", "--target", "y", "-o", model, "--no-baseline", "--quiet")
        ours, theirs = alternate(fit, partial(usage, "-c", FIT, folder / f"{rows}.csv"), repeats)
        found.append(compare_rows("fit --no-baseline, CSV", ours, theirs, "<= 3", "s CPU", 0))
        for kind in ("csv", "parquet"):
            table = folder / f"{rows}.{kind}"
            score = command("score", table, "--model", model, "-o", scores)
            ours, theirs = alternate(score, partial(usage, "-c", SCORE, table, scores), repeats)
            found.append(compare_rows(f"score, {kind}", ours, theirs, "<= 2", "s CPU", 0))
        write_tables(folder, rows // 4)
        for kind in ("csv", "parquet"):
            calls = (
                command("score", folder / f"{n}.{kind}", "--model", model, "-o", scores) for n in (rows, rows // 4)
            )
            ours, theirs = alternate(*calls, repeats=1)
            found.append(compare_rows(f"score, {kind}, peak of 4x rows / 1x rows", ours, theirs, "<= 1.1", "MB", 1))
    return found
