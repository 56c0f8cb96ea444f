"""The door for the settings of a kernel: an error says what was wrong, with the value, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from aucmax.estimators.calibration import check_choice
from aucmax.kernels import KERNELS, LANDMARKS

NAMES = ("linear", *KERNELS)
WORK = 1e10  # rows times squared landmarks up to which there are as many landmarks as may be
FEWEST, MOST = 300, 600  # landmarks, if not given


def check_settings(model: Any) -> None:
    """Refuse settings that no table could be fitted with."""
    check_choice(model.choice)
    _check_above_zero("gamma", model.gamma, "None, to try several")
    _check_above_zero("alpha", model.alpha, "None, to choose it by cross-validated AUC")
    if model.n_components != "auto":
        _check_count("n_components", model.n_components, "'auto' or the number of landmarks")
    _check_count("n_averaged", model.n_averaged, "the number of kernels to average")
    _check_count("tuning_rows", model.tuning_rows, "the number of rows to tune on", least=10)
    if model.landmarks not in LANDMARKS:
        raise ValueError(f"landmarks={model.landmarks!r}; choose one of {list(LANDMARKS)}")
    if model.relevance not in (True, False, "auto"):
        raise ValueError(f"relevance={model.relevance!r}; give True, False or 'auto'")


def find_kernels(kernel: Any, sparse: bool) -> list[str]:
    """The names of the kernels to try; a sparse table takes only those that keep it sparse."""
    if isinstance(kernel, str):
        names = list(NAMES) if kernel == "auto" else [kernel]
    else:
        names = list(kernel) if isinstance(kernel, Iterable) else [kernel]
    unknown = [name for name in names if name not in NAMES]
    if unknown or not names:
        raise ValueError(f"unknown kernel {kernel!r}; choose 'auto', one of {list(NAMES)}, or a list of them")
    taken = [name for name in names if not sparse or name == "linear" or KERNELS[name].norm == "l2"]
    if kernel != "auto" and len(taken) < len(names):
        refused = sorted(set(names) - set(taken))
        raise ValueError(f"kernel {refused} takes dense tables only; give X.toarray(), or use 'linear' or 'rbf'")
    return taken


def count_landmarks(n_components: Any, n: int) -> int:
    """How many landmarks to draw among n rows."""
    if n_components != "auto":
        return min(int(n_components), n)
    return min(int(np.clip(np.sqrt(WORK / n), FEWEST, MOST)), n)


def _check_above_zero(name: str, value: Any, other: str) -> None:
    if value is not None and not (_is_a(value, Real) and 0 < value < np.inf):
        raise ValueError(f"{name}={value!r}; give a finite number above zero, or {other}")


def _check_count(name: str, value: Any, what: str, least: int = 1) -> None:
    if not _is_a(value, Integral) or value < least:
        raise ValueError(f"{name}={value!r}; give {what}, {least} or more")


def _is_a(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
