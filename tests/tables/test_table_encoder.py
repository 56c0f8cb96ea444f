"""`TableEncoder`: inferred once, applied to later tables, and restored from JSON."""

import json

import numpy as np
import pytest
from table_files import names_of, table_of, write

from aucmax.tables import Table, TableEncoder, read
from aucmax.tables.column_encoder import ColumnEncoder


def test_names_and_left_out(encoder):
    assert names_of(encoder) == ("age", "age is missing", "town=Oslo", "town=Rome", "town is missing", "member")
    assert encoder.left_out_ == {
        "note": "free text: 6 distinct values, e.g. 'a'",
        "planet": "constant: all values are 'Earth'",
    }


def test_encoding_of_the_training_rows(encoder, train):
    np.testing.assert_array_equal(
        encoder.transform(train),
        [
            [31, 0, 0, 1, 0, 1],
            [50, 1, 1, 0, 0, 0],
            [42, 0, 0, 1, 0, 1],
            [100, 0, 0, 0, 1, 1],
            [50, 0, 1, 0, 0, 0],
            [60, 0, 0, 1, 0, 1],
        ],
    )


def test_scoring_finds_columns_by_name(encoder, tmp_path):
    text = "town,extra,member,age\nParis,1,NA,null\nOslo,2,TRUE,7\n"
    X = encoder.transform(read(write(tmp_path, text)))
    np.testing.assert_array_equal(X, [[50, 1, 0, 0, 0, 1], [7, 0, 1, 0, 0, 1]])


def test_a_missing_column_is_named(encoder, tmp_path):
    with pytest.raises(ValueError, match=r"lacks the columns \['member'\]"):
        encoder.transform(read(write(tmp_path, "town,age\nRome,1\n")))


def test_a_string_in_a_numeric_column_is_an_error():
    encoder = TableEncoder().fit(table_of(a=["1", "2"]))
    with pytest.raises(ValueError, match="column 'a' was numeric in training, but now holds 'two'"):
        encoder.transform(table_of(a=["1", "two"]))


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_infinity_is_an_error_with_the_column(cell):
    encoder = TableEncoder().fit(table_of(a=["1", "2"]))
    with pytest.raises(ValueError, match="column 'a' is infinite in row 2"):
        encoder.transform(table_of(a=["1", cell]))


@pytest.mark.parametrize("cell", ["", " ", "NA", "NaN", "nan", "null", "N/A", "?"])
def test_strings_for_missing_values(cell):
    X = TableEncoder().fit(table_of(a=["1", cell, "4", "9"])).transform(table_of(a=[cell, "5"]))
    np.testing.assert_array_equal(X, [[4, 1], [5, 0]])


def test_missing_only_at_scoring_gets_the_median():
    encoder = TableEncoder(5).fit(table_of(a=["1", "2", "9"], b=["x", "y", "x"]))
    np.testing.assert_array_equal(encoder.transform(table_of(a=["NA"], b=[""])), [[2, 0, 0]])


def test_categories_that_look_like_numbers_stay_strings():
    """A chunk whose cells all look like numbers is encoded as the whole column was: '01' is not '1'."""
    encoder = TableEncoder().fit(table_of(code=["01", "1", "A", "01", "1", "A"]))
    assert names_of(encoder) == ("code=01", "code=1", "code=A")
    np.testing.assert_array_equal(encoder.transform(table_of(code=["01", " 1 "])), [[1, 0, 0], [0, 1, 0]])


def test_underscores_are_not_numbers():
    assert names_of(TableEncoder().fit(table_of(a=["1_0", "2_0"] * 3))) == ("a=1_0", "a=2_0")


def test_a_constant_with_missing_values_is_used():
    encoder = TableEncoder().fit(table_of(a=["5", "", "5", ""], b=["x", "x", "", ""]))
    assert names_of(encoder) == ("a", "a is missing", "b=x", "b is missing")
    np.testing.assert_array_equal(
        encoder.transform(table_of(a=["5.0", ""], b=["", "x"])), [[5, 0, 0, 1], [5, 1, 1, 0]]
    )


def test_unknown_categories_are_counted():
    encoder = TableEncoder().fit(table_of(a=["1", "2", "3", "1"], town=["north", "south", "north", "north"]))
    table = table_of(a=["7", "8", "9", ""], town=["North", " north ", "", "west"])
    assert encoder.count_unknown_categories(table) == {"town": 2}


def test_a_stray_string_is_named_where_numbers_become_categories():
    cells = [str(18 + i % 60) for i in range(400)]
    cells[41] = "unknown"
    with pytest.warns(UserWarning, match="'age' is encoded as 61 categories, .* such as 'unknown' in row 42"):
        assert len(TableEncoder().fit(table_of(age=cells)).get_feature_names_out()) == 61


def test_a_stray_string_in_a_column_of_numbers_is_named():
    cells = [str(number / 7) for number in range(300)]
    cells[3] = "abc"
    table = Table({"amount": cells, "b": np.arange(300.0) % 7})
    with pytest.warns(UserWarning, match="'amount' is left out as free text, but most .* 'abc' in row 4"):
        assert list(TableEncoder().fit(table).left_out_) == ["amount"]


def test_uninformative_columns_are_left_out():
    table = Table(
        {
            "unnamed column 1": np.arange(3.0),
            "__index_level_0__": np.arange(3.0),
            "gone": np.full(3, np.nan),
            "one": np.ones(3),
            "x": np.arange(3.0),
        }
    )
    encoder = TableEncoder().fit(table)
    assert names_of(encoder) == ("x",)
    assert list(encoder.left_out_) == ["unnamed column 1", "__index_level_0__", "gone", "one"]


def test_a_header_without_a_name_is_an_index(tmp_path):
    table = read(write(tmp_path, ",x\n0,5\n1,6\n"))
    assert "probably an index" in TableEncoder().fit(table).left_out_["unnamed column 1"]


def test_no_usable_column_is_an_error():
    with pytest.raises(ValueError, match="no column can be used"):
        TableEncoder().fit(table_of(a=["1", "1"]))


def test_typed_columns_agree_with_strings():
    text = table_of(n=["1", "2.5", "4"], b=["true", "false", "true"], c=["1", "2", "1"])
    typed = Table({"n": np.array([1, 2.5, 4]), "b": np.array([True, False, True]), "c": np.array([1.0, 2.0, 1.0])})
    encoder = TableEncoder().fit(text)
    assert names_of(TableEncoder().fit(typed)) == names_of(encoder)
    np.testing.assert_array_equal(encoder.transform(typed), encoder.transform(text))


def test_the_encoder_is_restored_from_json(encoder, train):
    again = TableEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again.to_dict() == encoder.to_dict()
    np.testing.assert_array_equal(again.transform(train), encoder.transform(train))


DAMAGE = [
    lambda content: content.pop("left_out"),
    lambda content: content.update(more=1),
    lambda content: content.update(columns=[]),
    lambda content: content.update(left_out={"a": 1}),
    lambda content: content["columns"].append(content["columns"][0]),
    lambda content: content["columns"].append(7),
    lambda content: content["columns"][0].update(kind="magic"),
    lambda content: content["columns"][0].update(median="1"),
    lambda content: content["columns"][0].update(median=float("nan")),
    lambda content: content["columns"][0].update(missing_indicator=1),
    lambda content: content["columns"][0].update(categories=["a"]),
    lambda content: content["columns"][1].update(categories=[]),
    lambda content: content["columns"][1].update(categories=["a", "a"]),
    lambda content: content["columns"][1].update(categories=["a", 1]),
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_an_invalid_encoder_is_refused(encoder, damage):
    content = encoder.to_dict()
    damage(content)
    with pytest.raises(ValueError):
        TableEncoder.from_dict(content)


def test_unknown_kind_of_column_is_refused():
    with pytest.raises(ValueError, match="kind 'date'"):
        ColumnEncoder("a", "date")
