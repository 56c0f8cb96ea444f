"""Simulated sequences with known changes and labels."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from aucmax.changepoint.labels import Label
from aucmax.validation.inputs import make_rng
from aucmax.validation.params import Integer, check_param

SHORTEST = 12  # length of a segment


class ToySequences(NamedTuple):
    """Simulated sequences."""

    sequences: list[np.ndarray]  # values
    labels: list[list[Label]]  # regions of each sequence
    changes: list[np.ndarray]  # true positions


def make_toy_sequences(n: int = 60, *, jump: float = 2.0, random_state: int | None = 0) -> ToySequences:
    """Simulate sequences whose noise and length differ widely, so that no constant penalty suits all of them.

    A sequence has 60 to 400 values, up to 5 changes of mean and normal noise with a standard deviation between 0.1
    and 10. About every second change has a label "1change" or ">0changes" around it; the longer segments have labels
    "0changes".

    Parameters
    ----------
    n : int
        Number of sequences.
    jump : float
        Typical size of a change, in standard deviations of the noise.
    random_state : int, optional
        Random seed.

    Returns
    -------
    ToySequences
        `sequences`, `labels` and `changes`, each a list of n.

    Examples
    --------
    >>> data = make_toy_sequences(3)
    >>> [values.size for values in data.sequences], [changes.size for changes in data.changes]
    ([185, 266, 66], [2, 3, 0])
    >>> data.labels[0][0]
    Label(start=16, end=44, kind='0changes')
    """
    check_param("n", n, Integer(1))
    rng = make_rng(random_state)
    drawn = [_draw_sequence(rng, jump) for _ in range(n)]
    return ToySequences(*(list(part) for part in zip(*drawn, strict=True)))


def _draw_sequence(rng: np.random.Generator, jump: float) -> tuple[np.ndarray, list[Label], np.ndarray]:
    length = int(rng.integers(60, 400))
    noise = 10.0 ** rng.uniform(-1.0, 1.0)
    n_changes = int(rng.integers(0, min(6, length // (2 * SHORTEST))))
    free = np.sort(rng.integers(0, length - SHORTEST * (n_changes + 1) + 1, size=n_changes))
    changes = free + SHORTEST * np.arange(1, n_changes + 1)
    steps = rng.choice([-1.0, 1.0], size=n_changes) * rng.uniform(0.7, 1.5, size=n_changes) * jump
    level = np.concatenate(([0.0], np.cumsum(steps)))[np.searchsorted(changes, np.arange(length), "right")]
    return noise * (level + rng.normal(size=length)), _draw_labels(rng, length, changes), changes


def _draw_labels(rng: np.random.Generator, length: int, changes: np.ndarray) -> list[Label]:
    """Around a change up to a quarter of the way to its neighbours, and the middle half of long segments."""
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
