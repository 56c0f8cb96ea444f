"""`roc_auc` against scikit-learn's `roc_auc_score`: input checks included, alternating medians."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
from sklearn.metrics import roc_auc_score

from aucmax.metrics import roc_auc

BAR = 4.0


def cases(n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Labels and scores by name."""
    rng = np.random.default_rng(0)
    balanced, rare = (rng.random(n) < rate for rate in (0.5, 0.05))
    noise = rng.normal(size=n)
    return {
        "balanced": (balanced.astype(int), noise + balanced),
        "5 % positives": (rare.astype(int), noise + rare),
        "heavy ties": (balanced.astype(int), np.round(noise + balanced, 1)),
        "float32": (balanced.astype(int), (noise + balanced).astype(np.float32)),
    }


def milliseconds(function: Callable, *args: np.ndarray) -> float:
    start = perf_counter()
    function(*args)
    return 1e3 * (perf_counter() - start)


def measure(y: np.ndarray, score: np.ndarray, repeats: int) -> tuple[float, float]:
    """Median times of ours and theirs, called in turn so that both see the same machine."""
    assert abs(roc_auc(y, score) - roc_auc_score(y, score)) < 1e-12
    times = [(milliseconds(roc_auc, y, score), milliseconds(roc_auc_score, y, score)) for _ in range(repeats)]
    ours, theirs = np.median(times, axis=0)
    return float(ours), float(theirs)


def run(n: int = 1_000_000, repeats: int = 7) -> list[dict]:
    """One row per case: both medians, their ratio, and the ratio that is promised."""
    rows = []
    for name, (y, score) in cases(n).items():
        ours, theirs = measure(y, score, repeats)
        what = f"roc_auc, n={n}, {name}"
        rows.append({"what": what, "ours_ms": ours, "theirs_ms": theirs, "ratio": theirs / ours, "bar": BAR})
    return rows


if __name__ == "__main__":
    for row in run():
        print(row)
