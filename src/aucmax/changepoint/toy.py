"""Toy sequences with known changes and labels."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from aucmax.changepoint.labels import Label
from aucmax.validation.inputs import make_rng
from aucmax.validation.params import check_number

SHORTEST = 12  # segment


class ToySequences(NamedTuple):
    """Sequences, their labels, and where they really change."""

    sequences: list[np.ndarray]
    labels: list[list[Label]]
    changes: list[np.ndarray]


def toy(n: int = 60, *, jump: float = 2.0, random_state: int | None = 0) -> ToySequences:
    """Draw sequences whose noise and length differ widely, so that no constant penalty suits all.

    A sequence has 60 to 400 values, up to 5 changes of mean and normal noise, whose standard deviation is between
    0.1 and 10. About every second change has a label "1change" or ">0changes" around it, the longer calm parts have
    labels "0changes".

    Parameters
    ----------
    n : int
        Number of sequences.
    jump : float
        Typical height of a change, in standard deviations of the noise.
    random_state : int, optional
        Seed.

    Returns
    -------
    ToySequences
        `sequences`, `labels` and `changes`, each a list of n.

    Examples
    --------
    >>> data = toy(3)
    >>> [values.size for values in data.sequences], data.labels[0][0].kind in ("0changes", "1change", ">0changes")
    ([..., ..., ...], True)
    """
    check_number("n", n, whole=True)
    rng = make_rng(random_state)
    drawn = [_draw(rng, jump) for _ in range(n)]
    return ToySequences(*(list(part) for part in zip(*drawn, strict=True)))


def _draw(rng: np.random.Generator, jump: float) -> tuple[np.ndarray, list[Label], np.ndarray]:
    length, noise = int(rng.integers(60, 400)), 10.0 ** rng.uniform(-1.0, 1.0)
    n_changes = int(rng.integers(0, min(6, length // (2 * SHORTEST))))
    free = np.sort(rng.integers(0, length - SHORTEST * (n_changes + 1) + 1, size=n_changes))
    changes = free + SHORTEST * np.arange(1, n_changes + 1)
    steps = rng.choice([-1.0, 1.0], size=n_changes) * rng.uniform(0.7, 1.5, size=n_changes) * jump
    level = np.concatenate(([0.0], np.cumsum(steps)))[np.searchsorted(changes, np.arange(length), "right")]
    return noise * (level + rng.normal(size=length)), _labels(rng, length, changes), changes


def _labels(rng: np.random.Generator, length: int, changes: np.ndarray) -> list[Label]:
    """Around a change up to a quarter of the way to its neighbours, and the middle of calm parts."""
    ends = np.concatenate(([0], changes, [length]))
    labels = []
    for before, change, after in zip(ends, changes, ends[2:]):
        if rng.random() < 0.5:
            kind = "1change" if rng.random() < 0.7 else ">0changes"
            labels.append(Label(int(change - (change - before) // 4), int(change + (after - change) // 4), kind))
    for before, after in pairwise(ends):
        margin = (after - before) // 4 + 1
        if after - before > 2 * SHORTEST:
            labels.append(Label(int(before + margin), int(after - margin), "0changes"))
    return sorted(labels)
