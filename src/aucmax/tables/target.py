"""The target of a table as 0 and 1, with the labels that these stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aucmax.tables.table import Label, Table, is_missing, numbers, plain, words


def split_target(
    table: Table, target: str | None = None, positive: Any = None, labels: Sequence[Label] | None = None
) -> tuple[np.ndarray, tuple[Label, Label]]:
    """The target as 0 and 1, with the two labels (negative, positive).

    Labels that are all numbers are numbers, whatever the format of the file; `positive` may be given as text.

    Parameters
    ----------
    table : Table
        A table with a target column, or a matrix with labels.
    target : str, optional
        The name of the column; not given for a matrix.
    positive : optional
        The label that becomes 1; the rarer one if not given, the larger one if both are as frequent.
    labels : (negative, positive), optional
        The labels of a model, when a file is evaluated: any other label is an error.

    Returns
    -------
    y : array of 0 and 1
    labels : (negative, positive)

    Examples
    --------
    >>> from aucmax.tables.table import TEXT
    >>> table = Table({"fraud": np.array(["no", "no", "yes"], dtype=TEXT)})
    >>> split_target(table, "fraud")
    (array([0, 0, 1]), ('no', 'yes'))
    """
    values, name = _target_values(table, target)
    distinct, place, counts = np.unique(_comparable(values, name), return_inverse=True, return_counts=True)
    found = [plain(value) for value in distinct]
    _check_two(found, counts, name)
    if labels is not None:
        pair = labels[0], labels[1]
    elif positive is not None:
        pair = _with_positive(found, positive, name)
    else:
        pair = (found[1], found[0]) if counts[0] < counts[1] else (found[0], found[1])
    return _codes(found, pair, name)[place], pair


def _target_values(table: Table, target: str | None) -> tuple[np.ndarray, str]:
    if target is not None:
        return table.column(target), f"target {target!r}"
    if table.X is None:
        raise ValueError(f"name the target; the columns are {list(table.names[:20])}")
    if table.y is None:
        raise ValueError("the file has no labels: an npz file needs an array named y")
    return table.y, "target"


def _comparable(values: np.ndarray, name: str) -> np.ndarray:
    """Numbers if all cells are, else words; without missing cells."""
    missing = is_missing(values)
    if missing.any():
        first = int(np.argmax(missing)) + 1
        raise ValueError(f"{name} is missing in {missing.sum()} rows, first in row {first}; remove them")
    if values.dtype.kind == "b":
        return values
    as_numbers = numbers(values)
    return words(values) if as_numbers is None else as_numbers


def _check_two(found: list[Label], counts: np.ndarray, name: str) -> None:
    if len(found) == 2:
        return
    if len(found) < 2:
        raise ValueError(f"{name} has one class only, {found}; AUC needs positives and negatives")
    most = [found[i] for i in np.argsort(-counts, kind="stable")[:5]]
    raise ValueError(
        f"{name} has {len(found)} classes, the most frequent {most}; make it two, e.g. one against the rest"
    )


def _key(label: Any) -> str:
    """A label as it is compared: 1, 1.0, '1' and ' 1 ' are the same."""
    as_numbers = numbers(np.array([str(label)], dtype=np.dtypes.StringDType()))
    number = None if as_numbers is None or not np.isfinite(as_numbers[0]) else as_numbers[0]
    return str(label).strip() if number is None else str(plain(number))


def _with_positive(found: list[Label], positive: Any, name: str) -> tuple[Label, Label]:
    keys = [_key(label) for label in found]
    if _key(positive) not in keys:
        raise ValueError(f"{name} has no label {positive!r}; choose the positive one of {found}")
    i = keys.index(_key(positive))
    return found[1 - i], found[i]


def _codes(found: list[Label], pair: tuple[Label, Label], name: str) -> np.ndarray:
    """0 or 1 for every label found."""
    code = {_key(pair[0]): 0, _key(pair[1]): 1}
    unknown = [label for label in found if _key(label) not in code]
    if unknown:
        raise ValueError(f"{name} has labels {unknown}; the model knows {list(pair)}: write them as in training")
    return np.array([code[_key(label)] for label in found])
