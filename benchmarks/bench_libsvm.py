"""Our libsvm reader against scikit-learn's: medians of alternating runs."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from aucmax.tables import libsvm_reader as libsvm
from benchmarks.timing import medians, row


def write_rows(path, n, d, nonzeros, format_value, seed=0):
    rng = np.random.default_rng(seed)
    with open(path, "w") as file:
        for _ in range(n):
            columns = np.unique(rng.integers(1, d + 1, size=nonzeros))
            cells = (f"{j}:{format_value(v)}" for j, v in zip(columns, rng.normal(size=columns.size).tolist()))
            file.write(" ".join(["+1" if rng.random() < 0.3 else "-1", *cells]) + "\n")


CASES = {
    "20k x 50k, 74 nonzeros a row, 6 digits": (20_000, 50_000, 74, "{:.6g}".format),
    "20k x 50k, 74 nonzeros a row, all digits": (20_000, 50_000, 74, repr),
    "like a9a: 32561 x 123, 14 ones a row": (32_561, 123, 14, lambda value: "1"),
}


def run(repeats: int = 5) -> list[dict]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for what, (n, d, nonzeros, format_value) in CASES.items():
            path = Path(folder) / "rows.svm"
            write_rows(path, n, d, nonzeros, format_value)
            ours, theirs = medians(
                partial(libsvm.read, path), partial(load_svmlight_file, str(path)), repeats=repeats
            )
            rows.append(row(what, ours, theirs, ">= 4"))
    return rows
