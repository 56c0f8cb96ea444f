"""Targets as 0 and 1: the positive class, labels of any type, and errors."""

import numpy as np
import pytest
from table_files import table_of

from aucmax.tables import Table, encode_target
from aucmax.tables.target import LabelCodes


def test_the_rarer_label_is_positive(train):
    y, labels = encode_target(train, "fraud")
    assert y.tolist() == [0, 0, 1, 0, 0, 1] and labels == ("no", "yes")


def test_positive_can_be_chosen(train):
    assert encode_target(train, "fraud", pos_label="no")[1] == ("yes", "no")


def test_equally_frequent_labels_make_the_larger_one_positive():
    assert encode_target(table_of(t=["10", "9"]), "t")[1] == (9, 10)
    assert encode_target(table_of(t=["b", "a"]), "t")[1] == ("a", "b")


@pytest.mark.parametrize("positive", ["1", 1, 1.0, " 1.0 "])
def test_numbers_as_labels(positive):
    y, labels = encode_target(table_of(t=["1", "0", "1.0"]), "t", positive)
    assert y.tolist() == [1, 0, 1] and labels == (0, 1)


def test_classes_of_a_model():
    assert encode_target(table_of(t=["1", "0"]), "t", classes=(1, 0))[0].tolist() == [0, 1]
    booleans = Table({"t": np.array([True, False])})
    assert encode_target(booleans, "t", classes=("False", "True"))[0].tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"has labels \['c'\]; the classes of the model are \['a', 'b'\]"):
        encode_target(table_of(t=["a", "c"]), "t", classes=("a", "b"))


TARGETS = {
    "name": ({"target": "frud"}, r"no column 'frud'; did you mean one of \['fraud'"),
    "none": ({}, "name the target column"),
    "label": (
        {"target": "fraud", "pos_label": "maybe"},
        r"no label 'maybe'; choose the positive class from \['no', 'yes'\]",
    ),
    "one": ({"target": "planet"}, "only one class"),
    "many": ({"target": "note"}, "has 6 classes"),
    "missing": ({"target": "town"}, "missing in 1 rows, first in row 4"),
}


@pytest.mark.parametrize(("settings", "message"), TARGETS.values(), ids=TARGETS)
def test_invalid_targets_are_refused(train, settings, message):
    with pytest.raises(ValueError, match=message):
        encode_target(train, **settings)


def labels_of(*cells):
    return LabelCodes.of(table_of(t=list(cells)), "t")


def test_labels_of_parts_are_those_of_the_whole():
    cells = ["b", "a", "b", "c", "c", "b"]
    joined = LabelCodes.joined([labels_of(*cells[:3]), labels_of(*cells[3:5]), labels_of(*cells[5:])])
    whole = labels_of(*cells)
    assert joined.labels == whole.labels == ["a", "b", "c"]
    assert joined.codes.tolist() == whole.codes.tolist()


def test_numbers_in_one_part_and_strings_in_another_are_strings():
    """As they are where a column of the whole table holds both."""
    joined = LabelCodes.joined([labels_of("1", "0"), labels_of("0", "unknown"), labels_of("1")])
    assert joined.labels == ["0", "1", "unknown"]
    assert [joined.labels[code] for code in joined.codes] == ["1", "0", "0", "unknown", "1"]
    is_pos, classes, rest = joined.binary("t", pos_label=1)
    assert is_pos.tolist() == [True, False, False, False, True]
    assert classes == ("not 1", "1") and rest == ["0", "unknown"]


def test_numbers_of_parts_are_compared_as_numbers():
    joined = LabelCodes.joined([labels_of("1.0", "0"), labels_of("1", "1")])
    assert joined.labels == [0, 1] and joined.codes.tolist() == [1, 0, 1, 1]


def test_classes_are_chosen_by_the_counts_of_all_parts():
    parts = [labels_of("no", "yes", "yes"), labels_of("no", "no")]
    is_pos, classes, rest = LabelCodes.joined(parts).binary("t")
    assert classes == ("no", "yes") and rest == []
    assert is_pos.tolist() == [False, True, True, False, False]


def test_a_part_may_have_rows_of_one_class():
    is_pos, classes, _ = LabelCodes.joined([labels_of("no", "no"), labels_of("yes")]).binary("t")
    assert is_pos.tolist() == [False, False, True] and classes == ("no", "yes")
    with pytest.raises(ValueError, match=r"target 't' has only one class, \['no'\]"):
        LabelCodes.joined([labels_of("no"), labels_of("no")]).binary("t")


def test_too_many_labels_are_refused():
    parts = [labels_of(*(f"id {i}" for i in range(start, start + 600))) for start in (0, 500)]
    with pytest.raises(ValueError, match="more than 1000 distinct labels; name another column"):
        LabelCodes.joined(parts)
    assert len(LabelCodes.joined(parts[:1]).labels) == 600
