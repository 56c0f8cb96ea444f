"""`roc_auc` against scikit-learn's `roc_auc_score`: validation included, medians of alternating runs."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.metrics import roc_auc_score

from aucmax.metrics import roc_auc
from benchmarks.timing import medians, row


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


def run(n: int = 1_000_000, repeats: int = 7) -> list[dict]:
    """One row per case: both medians, their ratio, and the ratio to reach."""
    rows = []
    for name, (y, score) in cases(n).items():
        assert abs(roc_auc(y, score) - roc_auc_score(y, score)) < 1e-12
        ours, theirs = medians(partial(roc_auc, y, score), partial(roc_auc_score, y, score), repeats=repeats)
        rows.append(row(f"roc_auc, n={n}, {name}", ours, theirs, ">= 4"))
    return rows
