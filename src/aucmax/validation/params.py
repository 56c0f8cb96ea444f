"""Parameters: one table of constraints per class, and one error message for each violation.

A class lists what it accepts; a subclass adds to the table of its base:

    parameter_constraints: ClassVar = {
        "alpha": [Option("auto"), Number(0)],
        "max_depth": [None, Integer(1)],
        "standardize": [Boolean()],
    }

and calls `check_params(self)` before it does anything else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import inf
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol

import numpy as np


class Constraint(Protocol):
    """What a parameter may be; its `str` completes the sentence "give ..."."""

    def accepts(self, value: Any) -> bool:
        """Whether the value satisfies the constraint."""


class Number:
    """A finite real number in an interval, which includes its ends unless they are declared `open`.

    Examples
    --------
    >>> str(Number(0)), str(Number(0, 1, open="low")), Number(0).accepts(True), Number(0, 1).accepts(np.float32(0.2))
    ('a finite number of 0 or more', 'a number above 0 and at most 1', False, True)
    """

    kind: ClassVar[type] = Real
    convert: ClassVar[type] = float

    def __init__(self, low: float = -inf, high: float = inf, *, open: str = "") -> None:
        self.low = low
        self.high = high
        self.open = open  # "", "low", "high" or "both"

    def accepts(self, value: Any) -> bool:
        """Whether the value is a number in the interval; booleans are not numbers."""
        if not isinstance(value, self.kind) or isinstance(value, bool):
            return False
        try:
            number = self.convert(value)
        except OverflowError:  # an integer larger than any float
            return False
        above = number > self.low if self.open in ("low", "both") else number >= self.low
        below = number < self.high if self.open in ("high", "both") else number <= self.high
        return abs(number) < inf and above and below

    def __str__(self) -> str:
        if self.low == -inf and self.high == inf:
            return "a finite number"
        if self.high == inf:
            return f"a finite number {'above' if self.open else 'of'} {self.low:g}{'' if self.open else ' or more'}"
        low = f"above {self.low:g}" if self.open in ("low", "both") else f"from {self.low:g}"
        high = f"below {self.high:g}" if self.open in ("high", "both") else f"at most {self.high:g}"
        return f"a number {low} to {self.high:g}" if not self.open else f"a number {low} and {high}"


class Integer(Number):
    """An integer in a closed interval; floats such as 3.0 are not integers.

    Examples
    --------
    >>> str(Integer(1)), Integer(1).accepts(np.int64(3)), Integer(1).accepts(True), Integer(1).accepts(3.0)
    ('an integer of 1 or more', True, False, False)
    >>> str(Integer(-inf, -1)), Integer(-inf, -1).accepts(-2)
    ('an integer of -1 or less', True)
    """

    kind = Integral
    convert = int

    def __init__(self, low: float = 1, high: float = inf) -> None:
        super().__init__(low, high)

    def __str__(self) -> str:
        if self.high == inf:
            return f"an integer of {self.low} or more"
        if self.low == -inf:
            return f"an integer of {self.high} or less"
        return f"an integer from {self.low} to {self.high}"


class Option:
    """One of several strings, given as a list or as the keys of a registry."""

    def __init__(self, *names: str, registry: Collection[str] = ()) -> None:
        self.names = names or registry

    def accepts(self, value: Any) -> bool:
        """Whether the value is one of the strings; arrays and other objects never are."""
        return isinstance(value, str) and value in self.names

    def __str__(self) -> str:
        names = list(self.names)
        return repr(names[0]) if len(names) == 1 else f"one of {names}"


class Boolean:
    """True or False, Python's or NumPy's; not 0, 1 or a string."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is a boolean."""
        return isinstance(value, (bool, np.bool_))

    def __str__(self) -> str:
        return "True or False"


class InstanceOf:
    """An instance of a class; `words` describe it in error messages."""

    def __init__(self, kind: type | tuple[type, ...], words: str) -> None:
        self.kind = kind
        self.words = words

    def accepts(self, value: Any) -> bool:
        """Whether the value is an instance of the class."""
        return isinstance(value, self.kind)

    def __str__(self) -> str:
        return self.words


class Splitter:
    """A scikit-learn splitter, or an iterable of pairs of row indices.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> [Splitter().accepts(value) for value in (KFold(3), [([0, 1], [2, 3])], KFold, "loo", 2.0)]
    [True, True, False, False, False]
    """

    def accepts(self, value: Any) -> bool:
        """Whether the value can be a splitter; a string, which has a method `split`, or a class is none."""
        return not isinstance(value, (str, type)) and (hasattr(value, "split") or isinstance(value, Iterable))

    def __str__(self) -> str:
        return "a scikit-learn splitter or a list of pairs (training rows, test rows)"


N_JOBS = (None, Integer(1), Integer(-inf, -1))  # as joblib takes it


def check_param(name: str, value: Any, *constraints: Constraint | None) -> None:
    """Raise ValueError if the value satisfies none of the constraints; None as a constraint accepts None.

    Examples
    --------
    >>> check_param("alpha", -1.0, Option("auto"), Number(0))
    Traceback (most recent call last):
    ValueError: alpha=-1.0; give 'auto' or a finite number of 0 or more
    """
    for constraint in constraints:
        if value is None if constraint is None else constraint.accepts(value):
            return
    *first, last = map(str, constraints)
    accepted = f"{', '.join(first)} or {last}" if first else last
    raise ValueError(f"{name}={value!r}; give {accepted}")


def check_params(instance: Any) -> None:
    """Check the parameters of an estimator or solver against the constraints of its class and base classes."""
    table: dict[str, Sequence[Constraint | None]] = {}
    for kind in reversed(type(instance).__mro__):
        table.update(vars(kind).get("parameter_constraints", {}))
    for name, constraints in table.items():
        check_param(name, getattr(instance, name), *constraints)
