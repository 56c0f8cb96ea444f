"""Sources: every format gives the same rows, as often as asked."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from scale.events import make_events, write_parquet
from scipy import sparse
from sklearn.base import clone

from aucmax import AUCClassifier, KernelAUCClassifier
from aucmax.models import LinearScorer, ModelMetadata, SavedModel
from aucmax.scale import Source, evaluate, fit
from aucmax.solvers import CG
from aucmax.tables.table_writer import open_writer

SETTINGS = {"target": "y", "pos_label": "fraud", "drop": ["w", "g", "day"]}


def rows_of(source):
    return [sum(len(chunk) for chunk in part.chunks(100)) for part in source.partitions]


@pytest.fixture
def table():
    return make_events(600)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "arrow", "parquet"])
def test_every_format_gives_the_same_model(table, tmp_path, suffix):
    expected = fit(table, AUCClassifier(), **SETTINGS)[-1].coef_
    with open_writer(tmp_path / f"events.{suffix}") as write:
        write(table.drop_columns(["day"]))
    settings = SETTINGS | {"drop": ["w", "g"]}
    model = fit(str(tmp_path / f"*.{suffix}"), AUCClassifier(), **settings)[-1]
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-10)


def test_a_stream_is_read_once_and_spooled(table):
    batches = table.to_batches(max_chunksize=100)
    reader = pa.RecordBatchReader.from_batches(table.schema, iter(batches))
    source = Source.of(reader)
    assert "temporary" in source.name
    assert sum(rows_of(source)) == sum(rows_of(source)) == 600
    expected = fit(table, AUCClassifier(), **SETTINGS)[-1].coef_
    np.testing.assert_allclose(fit(source, AUCClassifier(), **SETTINGS)[-1].coef_, expected, rtol=1e-10)


def test_the_temporary_file_is_removed(table):
    source = Source.of(pa.RecordBatchReader.from_batches(table.schema, table.to_batches()))
    folder = source.folder.path
    assert os.listdir(folder) == ["stream.parquet"]
    del source
    assert not os.path.exists(folder)


def test_a_dataset_is_a_source(table, tmp_path):
    write_parquet(table, tmp_path)
    source = Source.of(ds.dataset(tmp_path, format="parquet"))
    assert rows_of(source) == [200, 200, 200]
    expected = fit(table, AUCClassifier(), **SETTINGS)[-1].coef_
    np.testing.assert_allclose(fit(source, AUCClassifier(), **SETTINGS)[-1].coef_, expected, rtol=1e-10)


def write_libsvm(path, X, y):
    lines = []
    for row, label in zip(sparse.csr_array(X), y):
        row = sparse.csr_array(row.reshape(1, -1))
        lines.append(
            f"{int(label)} " + " ".join(f"{j + 1}:{v!r}" for j, v in zip(row.indices.tolist(), row.data.tolist()))
        )
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("solver", ["exact", CG(tol=1e-22)], ids=str)
def test_libsvm_files_whose_widths_differ(tmp_path, solver):
    """The last columns occur in the second file only."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40)) * (rng.random((300, 40)) < 0.3)
    X[:150, 30:] = 0.0
    y = np.where(rng.random(300) < 0.4, 1, -1)
    X[y > 0, :5] += 0.5
    write_libsvm(tmp_path / "a.svm", X[:150], y[:150])
    write_libsvm(tmp_path / "b.svm", X[150:], y[150:])
    whole = AUCClassifier(0.5, solver="exact").fit(sparse.csr_array(X), y)
    model = fit(str(tmp_path / "*.svm"), AUCClassifier(0.5, solver=solver), pos_label=1)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-8)
    expected = np.mean(
        [[(p > q) + 0.5 * (p == q) for q in s[y < 0]] for s in [model.decision_function(X)] for p in s[y > 0]]
    )
    assert evaluate(str(tmp_path / "*.svm"), model).auc == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("tuning_rows", [4000, 200])
def test_a_kernel_model_of_libsvm_files_is_that_of_a_sparse_table(tmp_path, tuning_rows):
    """Which has two kernels only, also if a sample is smaller than the files."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(400) < 0.4, 1, -1)
    X = (rng.random((400, 8)) < 0.4) * (rng.random((400, 8)) + 0.5 * (y > 0)[:, None])
    write_libsvm(tmp_path / "a.svm", X, y)
    estimator = KernelAUCClassifier(n_components=30, tuning_rows=tuning_rows, random_state=0)
    model = fit(tmp_path / "a.svm", estimator, pos_label=1)
    expected = clone(estimator).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=1e-9)
    assert set(model.cv_results_["param_kernel"]) == {"linear", "rbf"}


def test_libsvm_files_are_evaluated_with_the_first_index_of_training(tmp_path):
    """A file without the column of index 0 would be shifted by one if its own smallest index decided."""
    (tmp_path / "new.svm").write_text("-1 1:3.0 2:1.0\n1 1:1.0 2:4.0\n-1 1:2.0 2:2.0\n")
    metadata = ModelMetadata((-1, 1), training={"zero_based": True})
    model = SavedModel(metadata, LinearScorer([0.0, 0.0, 1.0], 0.0))
    assert evaluate(tmp_path / "new.svm", model).auc == 1.0


def test_what_is_no_source_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file matches"):
        Source.of(str(tmp_path / "*.parquet"))
    with pytest.raises(IsADirectoryError, match=r"is a folder; name its files, as in '.*\*\.parquet'"):
        Source.of(tmp_path)
    with pytest.raises(TypeError, match="int cannot be a source"):
        Source.of(3)
    (tmp_path / "a.xlsx").write_text("")
    with pytest.raises(ValueError, match="has the format excel"):
        Source.of(tmp_path / "a.xlsx")


def test_a_truncated_parquet_file_is_named(table, tmp_path):
    write_parquet(table, tmp_path)
    path = tmp_path / "part1.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"part1.parquet is not a valid Parquet file"):
        Source.of(str(tmp_path / "*.parquet"))


def test_partitions_with_other_columns_are_refused(table, tmp_path):
    for k, part in enumerate((table, table.drop_columns(["x"]))):
        with open_writer(tmp_path / f"{k}.parquet") as write:
            write(part)
    with pytest.raises(ValueError, match=r"columns \['x'\] are in some partitions"):
        fit(str(tmp_path / "*.parquet"), target="y")
