"""Passes over Parquet files: reading, encoding and fold moments against a bare loop of pyarrow and BLAS; memory.

CPU seconds on one thread, medians of alternating runs; whole fits on two threads, each in a process of its own, with
libraries and their start. `python -m benchmarks scale` writes 1 million rows by default; `AUCMAX_BENCH_ROWS=5000000`
more.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from aucmax.problem.moments import moments_by_number
from aucmax.scale import LocalEngine
from aucmax.scale.columns import ColumnUse
from aucmax.scale.rows import read_rows
from aucmax.scale.stored_chunks import ArrayFile
from benchmarks.timing import medians

DIM = 30
ROWS_PER_FILE = 500_000

FIT = """
import resource, sys
from aucmax import AUCClassifierCV
from aucmax.scale import fit
fit(sys.argv[1], AUCClassifierCV(loss=sys.argv[2], random_state=0), target="y", memory="500MB")[-1].oof_interval_
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
"""


def write_files(folder, n_rows, dim=DIM, seed=0):
    for k in range(-(-n_rows // ROWS_PER_FILE)):
        rng = np.random.default_rng(seed + k)
        n = min(ROWS_PER_FILE, n_rows - k * ROWS_PER_FILE)
        y = rng.random(n) < 0.1
        shifts = [np.float32(0.1 * (j % 5)) * y for j in range(dim)]
        columns = {f"x{j}": rng.standard_normal(n, dtype=np.float32) + shifts[j] for j in range(dim)}
        table = pa.table({**columns, "y": y.astype(np.int8)})
        pq.write_table(table, folder / f"p{k:03d}.parquet", use_dictionary=False, row_group_size=125_000)
    return str(folder / "*.parquet")


def bare_loop(files):
    """Sums and products of both classes, batch by batch: what no exact fit can do without."""
    sums = np.zeros((2, DIM))
    products = np.zeros((2, DIM, DIM))
    for path in sorted(Path(files).parent.glob("*.parquet")):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=65536):
                X = np.column_stack([batch.column(j).to_numpy().astype(np.float64) for j in range(DIM)])
                y = batch.column(DIM).to_numpy()
                for k in (0, 1):
                    part = X[y == k]
                    sums[k] += part.sum(axis=0)
                    products[k] += part.T @ part
    return sums, products


def read(files, *, encode=True, keep=True):
    """The rows of the files, kept in a temporary file or to be read again in every pass."""
    has_room = ArrayFile.has_room
    try:
        if not keep:
            ArrayFile.has_room = lambda *unused: False
        return read_rows(files, ColumnUse("y", pos_label=1, encode=encode), LocalEngine(1))
    finally:
        ArrayFile.has_room = has_room


def fold_moments(rows):
    """A pass for the moments of five folds."""
    y = np.where(rows.labels.is_pos, 1.0, -1.0)
    numbers = np.resize(np.arange(5, dtype=np.int8), y.size)
    weight = np.ones(y.size)
    return lambda: moments_by_number(rows.X, y, weight, numbers, 5)


def passes_against_loop(files, n_rows, repeats=3):
    rivals = {
        "bare loop of pyarrow and BLAS": lambda: bare_loop(files),
        "moments of 5 folds, kept rows": fold_moments(read(files)),
        "moments of 5 folds, files read again": fold_moments(read(files, keep=False)),
        "moments of 5 folds, files of numbers read again": fold_moments(read(files, encode=False, keep=False)),
        "reading twice: columns and labels, encoding and keeping": lambda: read(files),
    }
    spent = [milliseconds / 1e3 for milliseconds in medians(*rivals.values(), repeats=repeats)]
    return [{"what": what, "rows": n_rows, "s": s, "ratio": s / spent[0]} for what, s in zip(rivals, spent)]


def whole_fit(files, n_rows, loss):
    """CPU time and peak memory of a fit with its interval, in a process of its own."""
    command = [sys.executable, "-c", FIT, files, loss]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, peak = map(float, output.split())
    what = f"whole fit, {loss} loss, 5 folds, 11 alphas; peak {peak / 1e6:.0f} MB with memory='500MB'"
    return {"what": what, "rows": n_rows, "s": seconds}


def run(repeats: int = 3, n_rows: int | None = None) -> list[dict]:
    n_rows = n_rows or int(os.environ.get("AUCMAX_BENCH_ROWS", "1000000"))
    with tempfile.TemporaryDirectory() as name:
        files = write_files(Path(name), n_rows)
        rows = passes_against_loop(files, n_rows, repeats)
        for loss in ("squared", "auto"):
            fitted = whole_fit(files, n_rows, loss)
            rows.append(fitted | {"ratio": fitted["s"] / rows[0]["s"]})
        return rows
