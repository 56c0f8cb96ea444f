"""Settings that are numbers: one check, one sentence each."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np


def is_number(value: Any) -> bool:
    """Whether a setting is a number: a truth value is none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_number(name: str, value: Any, *, whole: bool = False, zero: bool = False) -> None:
    """Refuse a setting that is not a finite number above zero; `zero` allows 0, `whole` asks for an integer."""
    is_right = is_number(value) and (isinstance(value, Integral) or not whole)
    if not (is_right and (value >= 0 if zero else value > 0) and value < np.inf):
        kind, limit = "whole" if whole else "finite", "that is not negative" if zero else "above zero"
        raise ValueError(f"{name}={value!r}; give a {kind} number {limit}")


def check_positive(**settings: float | None) -> None:
    """Refuse a setting that is neither None nor a finite number above zero."""
    for name, value in settings.items():
        if value is not None:
            check_number(name, value)


def check_counts(**settings: int | None) -> None:
    """Refuse a setting that is neither None nor a whole number above zero."""
    for name, value in settings.items():
        if value is not None:
            check_number(name, value, whole=True)


def check_share(**settings: float) -> None:
    """Refuse a setting that is not a number above 0 and at most 1."""
    for name, value in settings.items():
        if not (is_number(value) and 0 < value <= 1):
            raise ValueError(f"{name}={value!r}; give a number above 0 and at most 1")


def check_step(step: Any, choices: tuple[str, ...]) -> None:
    """Refuse a step that is neither one of the choices nor a finite number above zero."""
    if isinstance(step, str) and step not in choices:
        raise ValueError(f"step={step!r}; choose one of {list(choices)} or a finite number above zero")
    if not isinstance(step, str):
        check_number("step", step)


def check_penalty(alpha: Any, l1_ratio: Any) -> None:
    """alpha is "auto" or a finite number that is not negative; l1_ratio is in [0, 1]."""
    if alpha != "auto" and not (is_number(alpha) and 0 <= alpha < np.inf):
        raise ValueError(f"alpha={alpha!r}; give 'auto' or a finite number that is not negative")
    if not (is_number(l1_ratio) and 0 <= l1_ratio <= 1):
        raise ValueError(f"l1_ratio={l1_ratio!r}; give a number from 0 (L2) to 1 (l1)")
