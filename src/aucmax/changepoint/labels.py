"""Labels: regions of a sequence with a known number of changes, and the errors of segmentations in them.

    Rigaill, Hocking, Vert, Bach. "Learning Sparse Penalties for Change-point Detection using Max Margin Interval
    Regression." ICML 2013.

A change at position p has p values before it. It is in the region (start, end] if start < p <= end. More changes in a
region than its kind allows are one false positive, fewer are one false negative.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

#: The kinds of labels, each with the fewest and the most changes that satisfy it.
LABEL_KINDS = {"0changes": (0.0, 0.0), "1change": (1.0, 1.0), ">0changes": (1.0, np.inf)}


class Label(NamedTuple):
    """A region (start, end] of a sequence, and the number of changes in it."""

    start: float  # number of values before the region
    end: float  # the last position in the region
    kind: str  # a key of LABEL_KINDS


class LabelErrors(NamedTuple):
    """False positives and false negatives of each segmentation."""

    fp: np.ndarray  # labels with too many changes
    fn: np.ndarray  # labels with too few


def label_errors(changes: Iterable[Any], labels: Iterable[Any]) -> LabelErrors:
    """Count the labels that are violated by segmentations of one sequence.

    Parameters
    ----------
    changes : iterable of arrays
        The positions of the changes of each segmentation.
    labels : iterable of (start, end, kind)
        Regions that do not overlap; kind is "0changes", "1change" or ">0changes".

    Returns
    -------
    LabelErrors
        `fp` and `fn`, one number for each segmentation.

    Examples
    --------
    >>> label_errors([[], [5], [3, 5]], [(0, 4, "0changes"), (4, 8, "1change")])
    LabelErrors(fp=array([0, 0, 1]), fn=array([1, 0, 0]))
    """
    checked = check_labels(labels)
    regions = np.array([(start, end, *LABEL_KINDS[kind]) for start, end, kind in checked], dtype=float).reshape(-1, 4)
    start, end, fewest, most = regions.T
    counts = [
        np.searchsorted(positions, end, "right") - np.searchsorted(positions, start, "right")
        for positions in map(np.sort, changes)
    ]
    table = np.array(counts).reshape(len(counts), start.size)
    return LabelErrors((table > most).sum(axis=1), (table < fewest).sum(axis=1))


def check_labels(labels: Iterable[Any], length: float = np.inf, where: str = "") -> list[Label]:
    """Validated labels of a sequence of the given length, sorted; `where` names the sequence in errors."""
    checked = sorted(_check_label(item, length, where) for item in as_list(labels, where))
    for before, after in pairwise(checked):
        if after.start < before.end:
            text = f"labels {_format(before)} and {_format(after)}{where} overlap"
            raise ValueError(f"{text}; shorten or remove one of them")
    return checked


def as_list(labels: Any, where: str = "") -> list[Any]:
    """Labels from any iterable."""
    if not isinstance(labels, Iterable):
        raise ValueError(f"labels{where} are {labels!r}; pass a list, an empty one if there are none")
    return list(labels)


def _check_label(item: Any, length: float, where: str) -> Label:
    if isinstance(item, str) or not isinstance(item, Iterable) or len(item := list(item)) != 3:
        raise ValueError(f"label {item!r}{where} is not a triple; pass (start, end, kind)")
    label = Label(*item)
    if not (isinstance(label.kind, str) and label.kind in LABEL_KINDS):
        raise ValueError(f"unknown kind of label {label.kind!r}{where}; choose one of {list(LABEL_KINDS)}")
    if not (isinstance(label.start, Real) and isinstance(label.end, Real)):
        raise ValueError(f"the start or end of label {tuple(item)!r}{where} is not a number; pass (start, end, kind)")
    if not 0 <= label.start < label.end < np.inf:
        raise ValueError(f"label {_format(label)}{where} is not a region; it needs 0 <= start < end")
    if label.end > length:
        text = f"label {_format(label)} ends beyond the {length} values{where}"
        raise ValueError(f"{text}; positions count values, from 0 to the length of the sequence")
    if LABEL_KINDS[label.kind][0] > 0 and not min(label.end, length - 1) >= np.floor(label.start) + 1:
        text = f"label {_format(label)}{where} can never be satisfied: the region has no position for a change"
        raise ValueError(f"{text}; a position is an integer with at least one value after it")
    return label


def _format(label: Label) -> str:
    return f"({label.start:g}, {label.end:g}] {label.kind!r}"
