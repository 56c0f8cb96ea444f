"""`TableEncoder` as a scikit-learn transformer: its checks, pipelines, data frames, and the command line's equal."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from command_line import fit, make_columns, write
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from table_files import names_of

from aucmax import AUCClassifierCV, TableEncoder
from aucmax.models import load


@parametrize_with_checks([TableEncoder(), TableEncoder(max_categories=5, decimal=",")])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def frame():
    columns = make_columns()
    when = [f"2026-01-{1 + i % 28:02d} {i % 24:02d}:30" for i in range(160)]
    euros = [f"{i % 37},5 €" for i in range(160)]
    return pd.DataFrame(columns | {"when": when, "price": euros, "member": [i % 3 == 0 for i in range(160)]})


def as_read(frame, folder):
    """The frame as pandas reads it from a CSV file, which rounds numbers correctly."""
    frame.to_csv(folder / "frame.csv", index=False)
    return pd.read_csv(folder / "frame.csv")


def test_a_pipeline_equals_the_command_line_to_the_last_bit(tmp_path, monkeypatch, frame):
    monkeypatch.chdir(tmp_path)
    write("data.csv", {name: frame[name].tolist() for name in frame})
    fit()
    saved = load("model.json")
    read = as_read(frame, tmp_path)
    assert read["amount"].dtype == float and read["member"].dtype == bool
    X, y = read.drop(columns="is_fraud"), (read["is_fraud"] == "fraud").astype(int)
    model = make_pipeline(TableEncoder(), AUCClassifierCV(loss="squared", random_state=0)).fit(X, y)
    assert model[0].to_dict() == saved.metadata.encoder.to_dict()
    assert model[-1].coef_[0].tobytes() == saved.scorer.coef.tobytes()
    assert (
        model.decision_function(X).tobytes() == saved.decision_function(saved.metadata.encoder.transform(X)).tobytes()
    )


FRAMES = {
    "pandas": lambda frame: frame,
    "categories": lambda frame: frame.astype({"country": "category"}),
    "nullable": lambda frame: frame.convert_dtypes(),
    "objects": lambda frame: frame.astype(object),
    "arrow": pa.Table.from_pandas,
    "batch": pa.RecordBatch.from_pandas,
    "polars": lambda frame: pytest.importorskip("polars").from_pandas(frame),
}


@pytest.mark.parametrize("convert", FRAMES.values(), ids=FRAMES)
def test_data_frames_of_any_library(tmp_path, frame, convert):
    frame = as_read(frame, tmp_path)
    expected = TableEncoder().fit(frame)
    encoder = TableEncoder().fit(convert(frame))
    assert encoder.to_dict() == expected.to_dict()
    assert list(encoder.feature_names_in_) == list(frame) and encoder.n_features_in_ == frame.shape[1]
    np.testing.assert_array_equal(encoder.transform(convert(frame)), expected.transform(frame))


def test_arrays_have_columns_by_position():
    X = np.array([["a", 1.5, True], ["b", None, False], ["a", 2.5, True], ["b", np.nan, False]], dtype=object)
    encoder = TableEncoder().fit(X)
    assert names_of(encoder) == ("x0=a", "x0=b", "x1", "x1 is missing", "x2")
    assert encoder.transform(X[:2]).tolist() == [[1, 0, 1.5, 0, 1], [0, 1, 2.0, 1, 0]]
    strings = np.array([["1", "x"], ["2", "y"], ["3", "x"]])
    assert TableEncoder().fit_transform(strings).tolist() == [[1, 1, 0], [2, 0, 1], [3, 1, 0]]
    assert not hasattr(encoder, "feature_names_in_")


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, "NA", ""])
def test_all_kinds_of_missing_values(missing):
    frame = pd.DataFrame({"a": pd.Series([1.5, missing, 2.5], dtype=object), "b": ["x", missing, "y"]})
    encoder = TableEncoder().fit(frame)
    assert names_of(encoder) == ("a", "a is missing", "b=x", "b=y", "b is missing")
    assert encoder.transform(frame)[1].tolist() == [2.0, 1, 0, 0, 1]


def test_columns_are_found_by_name(frame):
    encoder = TableEncoder().fit(frame)
    shuffled = frame[list(reversed(frame.columns))].assign(more=1)
    np.testing.assert_array_equal(encoder.transform(shuffled), encoder.transform(frame))
    with pytest.raises(ValueError, match=r"lacks the columns \['hour'\]"):
        encoder.transform(frame.drop(columns="hour"))


def test_cross_validation_of_a_pipeline(frame):
    model = make_pipeline(TableEncoder(), AUCClassifierCV(random_state=0)).set_output(transform="pandas")
    y = (frame["is_fraud"] == "fraud").astype(int)
    assert cross_val_score(clone(model), frame.drop(columns="is_fraud"), y, scoring="roc_auc", cv=3).mean() > 0.7
    model.fit(frame.drop(columns="is_fraud"), y)
    assert list(model[-1].feature_names_in_) == list(model[0].get_feature_names_out())


def test_settings_are_validated(frame):
    with pytest.raises(ValueError, match="max_categories=0"):
        TableEncoder(max_categories=0).fit(frame)
    with pytest.raises(ValueError, match="decimal=';'"):
        TableEncoder(decimal=";").fit(frame)
    with pytest.raises(ValueError, match="several columns named"):
        TableEncoder().fit(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_a_german_table_keeps_its_columns(tmp_path):
    """Nine columns with decimal commas are numbers, as in the same table with points."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 9)).round(3) * 1000
    header = ["id", *(f"x{j}" for j in range(9))]
    for name, mark in {"point.csv": ".", "comma.csv": ","}.items():
        with open(tmp_path / name, "w", newline="") as file:
            writer = csv.writer(file, delimiter=";")
            writer.writerow(header)
            writer.writerows([f"r{i}", *(f"{x:.2f}".replace(".", mark) for x in row)] for i, row in enumerate(X))
    from aucmax.tables import read

    comma, point = (TableEncoder().fit_transform(read(tmp_path / f"{name}.csv")) for name in ("comma", "point"))
    assert comma.shape == (200, 9) and comma.tobytes() == point.tobytes()
    assert Path(tmp_path / "comma.csv").read_text().count(",") == 1800
