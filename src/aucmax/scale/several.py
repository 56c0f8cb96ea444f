"""`Several`: things that add up one by one."""

from __future__ import annotations

from dataclasses import dataclass
from operator import add
from typing import Any


@dataclass(frozen=True, eq=False)
class Several:
    """Several things, each of which is added to its counterpart.

    Examples
    --------
    >>> (Several((1, 2.5)) + Several((3, 0.5))).parts
    (4, 3.0)
    """

    parts: tuple[Any, ...]

    def __add__(self, other: Several) -> Several:
        return Several(tuple(map(add, self.parts, other.parts)))
