"""Targets as 0 and 1: the positive class, labels of any type, and errors."""

import numpy as np
import pytest
from table_files import table_of

from aucmax.tables import Table, encode_target


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
