"""Labels: regions of a sequence with a known number of changes, and the errors of segmentations in them.

    Rigaill, Hocking, Vert, Bach. "Learning Sparse Penalties for Change-point Detection using Max Margin Interval
    Regression." ICML 2013.

A change at p has p values before it. It lies in the region (start, end] if start < p <= end. More changes in a region
than its kind allows are one false positive, fewer are one false negative.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

KINDS = {"0changes": (0.0, 0.0), "1change": (1.0, 1.0), ">0changes": (1.0, np.inf)}


class Label(NamedTuple):
    """A region (start, end] of a sequence, and which number of changes is right there: one of `KINDS`."""

    start: float
    end: float
    kind: str


class LabelErrors(NamedTuple):
    """False positives and false negatives of each segmentation."""

    fp: np.ndarray
    fn: np.ndarray


def label_errors(changes: Iterable[Any], labels: Iterable[Any]) -> LabelErrors:
    """Count the labels that segmentations of one sequence get wrong.

    Parameters
    ----------
    changes : iterable of arrays
        The places of the changes of each segmentation.
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
    regions = np.array([(start, end, *KINDS[kind]) for start, end, kind in checked], dtype=float).reshape(-1, 4)
    start, end, least, most = regions.T
    counts = [
        np.searchsorted(places, end, "right") - np.searchsorted(places, start, "right")
        for places in map(np.sort, changes)
    ]
    table = np.array(counts).reshape(len(counts), start.size)
    return LabelErrors((table > most).sum(axis=1), (table < least).sum(axis=1))


def check_labels(labels: Iterable[Any], length: float = np.inf, where: str = "") -> list[Label]:
    """Labels of a sequence of that length, in order; an error says which label is wrong, and of which sequence."""
    checked = sorted(_label(item, length, where) for item in as_list(labels, where))
    for before, after in pairwise(checked):
        if after.start < before.end:
            text = f"labels {_shown(before)} and {_shown(after)}{where} overlap"
            raise ValueError(f"{text}; shorten one of them, or leave one out")
    return checked


def as_list(labels: Any, where: str = "") -> list[Any]:
    """Labels from any iterable."""
    if not isinstance(labels, Iterable):
        raise ValueError(f"labels{where} are {labels!r}; pass a list of them, an empty one if there are none")
    return list(labels)


def _label(item: Any, length: float, where: str) -> Label:
    if isinstance(item, str) or not isinstance(item, Iterable) or len(item := list(item)) != 3:
        raise ValueError(f"label {item!r}{where} is not a triple; pass (start, end, kind)")
    label = Label(*item)
    if not (isinstance(label.kind, str) and label.kind in KINDS):
        raise ValueError(f"unknown label type {label.kind!r}{where}; choose one of {list(KINDS)}")
    if not (isinstance(label.start, Real) and isinstance(label.end, Real)):
        raise ValueError(f"label {tuple(item)!r}{where} starts or ends at no number; give places as numbers")
    if not 0 <= label.start < label.end < np.inf:
        raise ValueError(f"label {_shown(label)}{where} is not a region; it needs 0 <= start < end")
    if label.end > length:
        text = f"label {_shown(label)} ends beyond the {length} values{where}"
        raise ValueError(f"{text}; places count values, from 0 to the length of the sequence")
    if KINDS[label.kind][0] > 0 and not min(label.end, length - 1) >= np.floor(label.start) + 1:
        text = f"label {_shown(label)}{where} can never be right: no change has its place there"
        raise ValueError(f"{text}; a change has a whole number of values before it, and at least one after it")
    return label


def _shown(label: Label) -> str:
    return f"({label.start:g}, {label.end:g}] {label.kind!r}"
