"""Our libsvm reader against scikit-learn's: alternating runs, medians."""

import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from sklearn.datasets import load_svmlight_file

from aucmax.files import libsvm

BAR = 4.0


def write_rows(path, n, d, nonzeros, show, seed=0):
    rng = np.random.default_rng(seed)
    with open(path, "w") as file:
        for _ in range(n):
            columns = np.unique(rng.integers(1, d + 1, size=nonzeros))
            cells = (f"{j}:{show(v)}" for j, v in zip(columns, rng.normal(size=columns.size).tolist()))
            file.write(" ".join(["+1" if rng.random() < 0.3 else "-1", *cells]) + "\n")


CASES = {
    "20k x 50k, 74 nonzeros a row, 6 digits": (20_000, 50_000, 74, "{:.6g}".format),
    "20k x 50k, 74 nonzeros a row, all digits": (20_000, 50_000, 74, repr),
    "like a9a: 32561 x 123, 14 ones a row": (32_561, 123, 14, lambda value: "1"),
}


def milliseconds(call, path):
    start = time.perf_counter()
    call(str(path))
    return 1e3 * (time.perf_counter() - start)


def compare(what, path, repeats):
    libsvm.read(path)  # compiles
    pairs = [(milliseconds(libsvm.read, path), milliseconds(load_svmlight_file, path)) for _ in range(repeats)]
    ours, theirs = (median(column) for column in zip(*pairs))
    return {"what": what, "ours_ms": ours, "theirs_ms": theirs, "ratio": theirs / ours, "bar": BAR}


def run(repeats: int = 5) -> list[dict]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for what, (n, d, nonzeros, show) in CASES.items():
            path = Path(folder) / "rows.svm"
            write_rows(path, n, d, nonzeros, show)
            rows.append(compare(what, path, repeats))
    return rows


if __name__ == "__main__":
    for row in run():
        print(row)
