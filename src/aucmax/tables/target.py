"""Encoding a target as 0 and 1, with the class labels that these stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aucmax.tables.cells import Column, Scalar, as_column, as_numbers, as_scalar, as_strings, is_missing
from aucmax.tables.likely_target import likely_target
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.row_error import RowError
from aucmax.tables.table import Table

_MOST_LABELS = 1000  # of a column of labels; a column with more is something else


def encode_target(
    table: Table,
    target: str | None = None,
    pos_label: Any = None,
    classes: Sequence[Scalar] | None = None,
    rest: Sequence[Scalar] = (),
) -> tuple[np.ndarray, tuple[Scalar, Scalar]]:
    """The target as 0 and 1, with the two classes (negative, positive).

    Labels that are all numbers are compared as numbers, whatever the file format; `pos_label` may be a string. With
    more than two labels, `pos_label` is compared with the rest, which is called `not {pos_label}`.

    Parameters
    ----------
    table : Table
        A table with a target column, or a matrix with labels.
    target : str, optional
        The name of the target column; not given for a matrix.
    pos_label : optional
        The positive class; by default the rarer one, or the larger label if both are equally frequent.
    classes : (negative, positive), optional
        The classes of a fitted model: any other label is an error.
    rest : sequence, optional
        Further labels of the negative class of a fitted model, as `rest_labels` gave them in training.

    Returns
    -------
    y : array of 0 and 1
    classes : (negative, positive)

    Examples
    --------
    >>> table = Table({"fraud": ["no", "no", "yes"], "colour": ["red", "blue", "green"]})
    >>> encode_target(table, "fraud")
    (array([0, 0, 1]), ('no', 'yes'))
    >>> encode_target(table, "colour", pos_label="red")
    (array([1, 0, 0]), ('not red', 'red'))
    """
    if classes is not None:
        y = encode_labels(table, target, classes, rest)
        if y.min() == y.max():
            raise one_class_error([classes[int(y[0])]], _target_values(table, target)[1])
        return y, (classes[0], classes[1])
    positive, pair, _ = LabelCodes.of(table, target).binary(target, pos_label)
    return positive.astype(int), pair


def encode_labels(
    table: Table, target: str | None, classes: Sequence[Scalar], rest: Sequence[Scalar] = ()
) -> np.ndarray:
    """The target as 0 and 1, where the classes are known: rows of one of them alone will do.

    Examples
    --------
    >>> encode_labels(Table({"fraud": ["yes", "yes"]}), "fraud", ("no", "yes"))
    array([1, 1])
    """
    values, name = _target_values(table, target)
    labels, inverse = _distinct_labels(values, name)
    return _codes(labels, (classes[0], classes[1]), rest, name)[inverse]


class LabelCodes(NamedTuple):
    """The labels of some rows."""

    labels: list[Scalar]  # the distinct ones
    codes: np.ndarray  # for each row, the index of its label

    @classmethod
    def of(cls, table: Table, target: str | None = None) -> LabelCodes:
        """The labels of the rows of a table, in ascending order.

        Examples
        --------
        >>> LabelCodes.of(Table({"fraud": ["no", "yes", "no"]}), "fraud")
        LabelCodes(labels=['no', 'yes'], codes=array([0, 1, 0], dtype=uint8))
        """
        labels, inverse = _distinct_labels(*_target_values(table, target))
        return cls(labels, inverse.astype(np.min_scalar_type(len(labels))))

    @classmethod
    def joined(cls, parts: Sequence[LabelCodes]) -> LabelCodes:
        """The labels of the rows of all parts; strings if they are numbers in some parts and strings in others.

        Examples
        --------
        >>> LabelCodes.joined([LabelCodes([1], np.zeros(2, int)), LabelCodes(["x", 1], np.arange(2))])
        LabelCodes(labels=['1', 'x'], codes=array([0, 0, 1, 0], dtype=uint8))
        """
        distinct = {label for part in parts for label in part.labels}
        read = str if len({isinstance(label, str) for label in distinct}) > 1 else lambda label: label
        labels = sorted(set(map(read, distinct)))
        if len(labels) > _MOST_LABELS:
            raise ValueError(f"the target has more than {_MOST_LABELS} distinct labels; name another column")
        place = {label: i for i, label in enumerate(labels)}
        kind = np.min_scalar_type(len(labels))
        codes = [np.array([place[read(label)] for label in part.labels], kind)[part.codes] for part in parts]
        return cls(labels, np.concatenate(codes))

    def binary(
        self, target: str | None, pos_label: Any = None
    ) -> tuple[np.ndarray, tuple[Scalar, Scalar], list[Scalar]]:
        """Which rows are positive, the negative and the positive class, and the labels of the rest.

        Classes are chosen as in `encode_target`.

        Examples
        --------
        >>> LabelCodes(["no", "yes"], np.array([0, 1, 0])).binary("fraud")
        (array([False,  True, False]), ('no', 'yes'), [])
        """
        name = "target" if target is None else f"target {target!r}"
        counts = np.bincount(self.codes, minlength=len(self.labels))
        pair = _choose_classes(self.labels, counts, pos_label, name)
        rest = _rest(self.labels, pair)
        return (_codes(self.labels, pair, rest, name) == 1)[self.codes], pair, rest


def rest_labels(table: Table, target: str | None, classes: tuple[Scalar, Scalar]) -> list[Scalar]:
    """The labels that `encode_target` put together as the rest; empty if there are only two.

    Examples
    --------
    >>> rest_labels(Table({"colour": ["red", "blue", "green"]}), "colour", ("not red", "red"))
    ['blue', 'green']
    """
    return _rest(_distinct_labels(*_target_values(table, target))[0], classes)


def _rest(labels: list[Scalar], classes: tuple[Scalar, Scalar]) -> list[Scalar]:
    keys = {_key(label) for label in classes}
    return [label for label in labels if _key(label) != _key(classes[1])] if keys != set(map(_key, labels)) else []


def _target_values(table: Table, target: str | None) -> tuple[Column, str]:
    if target is not None:
        return table.column(target), f"target {target!r}"
    if table.X is None:
        likely = likely_target(table)
        hint = "" if likely is None else f"; likely it is {likely!r}"
        raise ValueError(f"name the target column (--target){hint}; the columns are {list(table.names[:20])}")
    if table.y is None:
        raise ValueError("the file has no labels: an npz file needs an array named y")
    return as_column(table.y), "target"


def _distinct_labels(values: Column, name: str) -> tuple[list[Scalar], np.ndarray]:
    """The labels in ascending order, numbers if all cells are, and the index of the label of each row."""
    missing = is_missing(values)
    if missing.any():
        first = int(np.argmax(missing)) + 1
        raise RowError(f"{name} is missing in {missing.sum()} rows, first in", first, "; remove these rows")
    numbers = as_numbers(values)
    if numbers is not None:
        hashed = pa.array(numbers + 0.0).dictionary_encode()  # few labels: hashing is faster than sorting
        distinct, inverse = np.unique(hashed.dictionary.to_numpy(), return_inverse=True)
        inverse = inverse[hashed.indices.to_numpy()]
        is_boolean = pa.types.is_boolean(values.type)
        return [bool(value) if is_boolean else as_scalar(value) for value in distinct], inverse
    codes = as_strings(values).combine_chunks().dictionary_encode()
    found = codes.dictionary.to_pylist()
    order = sorted(range(len(found)), key=found.__getitem__)
    return [found[i] for i in order], np.argsort(order)[codes.indices.to_numpy()]


def _choose_classes(labels: list[Scalar], counts: np.ndarray, pos_label: Any, name: str) -> tuple[Scalar, Scalar]:
    """The negative and the positive class."""
    if len(labels) < 2:
        raise one_class_error(labels, name)
    most_frequent = [labels[i] for i in np.argsort(-counts, kind="stable")[:5]]
    if len(labels) > (2 if pos_label is None else _MOST_LABELS):
        raise ValueError(
            f"{name} has {len(labels)} classes, the most frequent {most_frequent}; choose the positive one, which is "
            "compared with the rest (--positive, or pos_label in Python), or name another column"
        )
    if pos_label is None:
        return (labels[1], labels[0]) if counts[0] < counts[1] else (labels[0], labels[1])
    keys = [_key(label) for label in labels]
    if _key(pos_label) not in keys:
        raise ValueError(f"{name} has no label {pos_label!r}; choose the positive class from {labels[:20]}")
    i = keys.index(_key(pos_label))
    return (labels[1 - i], labels[i]) if len(labels) == 2 else (f"not {labels[i]}", str(labels[i]))


def one_class_error(labels: list[Scalar], name: str) -> ValueError:
    """The error to raise if all rows are of one class."""
    return ValueError(f"{name} has only one class, {labels}; AUC is undefined without positives and negatives")


def _key(label: Any) -> str:
    """A label as it is compared: 1, 1.0, '1' and ' 1 ' are the same."""
    numbers = as_numbers(as_column([str(label)]))
    if numbers is None or not np.isfinite(numbers[0]):
        return str(label).strip()
    return str(as_scalar(numbers[0]))


def _codes(labels: list[Scalar], classes: tuple[Scalar, Scalar], rest: Sequence[Scalar], name: str) -> np.ndarray:
    """0 or 1 for each label."""
    code = {_key(label): 0 for label in (classes[0], *rest)} | {_key(classes[1]): 1}
    unknown = [label for label in labels if _key(label) not in code]
    if unknown:
        known = list(classes) if not rest else [*rest, classes[1]]
        raise ValueError(
            f"{name} has labels {unknown[:20]}; the classes of the model are {known}: use the labels of training"
        )
    return np.array([code[_key(label)] for label in labels])
