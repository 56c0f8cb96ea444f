"""Random small problems with all kinds of degeneracy, and the stored reference problems."""

import gzip
import json
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from aucmax.aum import ErrorFunctions

FIXTURES = os.environ.get("AUCMAX_FIXTURES")
WHY_SKIPPED = "set AUCMAX_FIXTURES to the folder of the reference problems"


class Problem(NamedTuple):
    name: str
    example: np.ndarray
    v: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    pred: np.ndarray
    direction: np.ndarray
    stored: dict

    @property
    def errors(self):
        return ErrorFunctions(self.example, self.v, self.fp, self.fn, n_examples=self.pred.size)


def stored_problems():
    """The reference problems of the folder, public ones first; none if there is no folder."""
    if FIXTURES is None:
        return []
    folder = Path(FIXTURES) / "aum"
    stored = [_read(path) for path in sorted((folder / "public").glob("*.json.gz"))]
    stored += _read(folder / "disagreements.json.gz")
    return [_from_stored(one) for one in stored]


def _read(path):
    with gzip.open(path) as file:
        return json.load(file)


def _from_stored(one):
    points = one["breakpoints"]
    columns = [np.array(points[name], dtype=float) for name in ("v", "fp_diff", "fn_diff")]
    ends = [np.array(one[name], dtype=float) for name in ("pred", "direction")]
    return Problem(one["id"], np.array(points["example"]), *columns, *ends, one)


def random_problem(seed):
    """2 to 7 examples, labels or changepoint errors: ties, duplicates, weights, parallel and concurrent lines."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    kind = seed % 4
    example, v, fp, fn = _labels(rng, n, kind) if kind < 2 else _changepoints(rng, n)
    unit = rng.choice([1.0, 0.5, 0.1, 1 / 3])  # multiples of the last two meet only up to rounding
    pred = unit * rng.integers(-3, 4, size=n)
    direction = unit * rng.integers(-2, 3, size=n)
    if rng.random() < 0.2:
        pred, direction = rng.normal(size=n), rng.normal(size=n)
    if not direction.any():
        direction[0] = 1.0
    return Problem(f"random {seed}", example, v, fp, fn, pred, direction, {})


def _labels(rng, n, kind):
    y = rng.permutation(np.arange(n) % 2 == 0)
    weight = np.ones(n) if kind == 0 else rng.choice([1.0, 2.0, 0.3, 1 / 7], size=n)
    return np.arange(n), np.zeros(n), np.where(y, 0.0, weight), np.where(y, -weight, 0.0)


def _changepoints(rng, n):
    """Label errors of models of growing size: they go up and down, with several breakpoints at one v."""
    rows = []
    weight = rng.choice([1.0, 1.0, 0.7])
    n = min(n, 4)
    for i in range(n):
        size = int(rng.integers(1, 4))
        v = np.sort(rng.integers(-2, 3, size=size)) / 2.0
        fp = np.concatenate(([0], rng.integers(0, 3, size=size))) + (i == 0) * np.arange(size + 1) // size
        fn = np.concatenate((rng.integers(0, 3, size=size), [0])) + (i == 1) * np.arange(size + 1)[::-1] // size
        rows += [(i, *row) for row in zip(v, weight * np.diff(fp), weight * np.diff(fn))]
    order = rng.permutation(len(rows))
    columns = [np.array(column)[order] for column in zip(*rows)]
    return columns[0], *(column.astype(float) for column in columns[1:])
