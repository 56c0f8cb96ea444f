"""`KernelAUCClassifier` in passes against the same estimator in memory, with the same landmarks and sample."""

import numpy as np
import pyarrow as pa
import pytest
from scale.events import make_events, write_parquet
from sklearn.model_selection import PredefinedSplit

from aucmax import KernelAUCClassifier, TableEncoder
from aucmax.estimators import kernel as kernel_module
from aucmax.scale import evaluate, fit
from aucmax.scale import source as sources
from aucmax.scale.folds import fold_seed, hash_folds, row_hashes

SETTINGS = {"target": "y", "pos_label": "fraud", "weight": "w", "drop": ["g"]}


def sampled_rows(y, size, seed):
    """Half of the rows from each class, those with the smallest hashes, by sorting them all."""
    hashes = row_hashes(np.arange(y.size), seed)
    some = [np.flatnonzero(y == side)[np.argsort(hashes[y == side])][: size // 2] for side in (True, False)]
    return np.sort(np.concatenate(some))


def fit_in_memory(table, model, landmarks, tuning_rows, monkeypatch):
    """The same settings, with folds by hashing and given landmarks."""
    X = TableEncoder().fit_transform(table.drop_columns(["w", "g", "y"]))
    y = np.array(table.column("y").to_pylist()) == "fraud"
    seed = fold_seed(model.random_state)
    fold = hash_folds(row_hashes(np.arange(y.size), seed), 5)

    def subsample(rows, folds, size, rng):
        kept = np.arange(y.size) if size >= y.size else sampled_rows(y, size, seed)
        inner = [(np.flatnonzero(fold[kept] != k), np.flatnonzero(fold[kept] == k)) for k in range(5)]
        return rows.rows(kept), inner, kept

    monkeypatch.setattr(kernel_module, "choose_landmarks", lambda *unused: landmarks)
    monkeypatch.setattr(kernel_module, "subsample", subsample)
    whole = KernelAUCClassifier(**model.get_params() | {"cv": PredefinedSplit(fold)})
    return X, whole.fit(X, y, sample_weight=table.column("w").to_numpy())


@pytest.mark.parametrize("tuning_rows", [5000, 600])
def test_scores_are_those_of_the_estimator_in_memory(tmp_path, monkeypatch, tuning_rows):
    table = make_events(1500)
    files = write_parquet(table, tmp_path)
    monkeypatch.setattr(sources, "PARTITION_ROWS", 400)
    settings = {"kernel": ["linear", "rbf", "ranks"], "n_components": 40, "gamma": 0.1, "relevance": False}
    estimator = KernelAUCClassifier(**settings, tuning_rows=tuning_rows, random_state=3)
    model = fit(files, estimator, **SETTINGS)[-1]
    X, whole = fit_in_memory(table, estimator, model.landmarks_, tuning_rows, monkeypatch)
    np.testing.assert_allclose(model.cv_auc_, whole.cv_auc_, rtol=1e-10)
    np.testing.assert_allclose(model.weights_, whole.weights_, rtol=1e-7, atol=1e-10)
    scores = whole.decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-10 * np.abs(scores).max())
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-7)


def test_landmarks_are_half_of_each_class_whatever_the_partitions(tmp_path, monkeypatch):
    table = make_events(900)
    files = write_parquet(table, tmp_path)
    estimator = KernelAUCClassifier(kernel="rbf", n_components=30, tuning_rows=300, random_state=0)
    whole = fit(table, estimator, **SETTINGS)[-1]
    monkeypatch.setattr(sources, "PARTITION_ROWS", 100)
    parts = fit(files, estimator, **SETTINGS)[-1]
    np.testing.assert_array_equal(parts.landmarks_, whole.landmarks_)
    labels = np.array(table.column("y").to_pylist())[whole.landmarks_]
    assert np.sum(labels == "fraud") == 15


def test_learned_metrics_work_in_passes(tmp_path):
    """Two circles, which no linear model ranks, and columns without information."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 600)
    y = np.arange(600) % 2
    columns = {f"noise{j}": rng.normal(size=600) for j in range(6)}
    table = pa.table({"a": (1 + y) * np.cos(angle), "b": (1 + y) * np.sin(angle), **columns, "y": y})
    estimator = KernelAUCClassifier(kernel="laplacian", relevance=True, n_components=60, random_state=0)
    model = fit(table, estimator, target="y", pos_label=1)
    assert evaluate(table, model, target="y").auc > 0.97
    assert model[-1].cv_results_["param_round"].max() >= 1


def test_what_kernels_in_passes_cannot_do_is_refused(tmp_path):
    table = make_events(300)
    with pytest.raises(ValueError, match="squared loss only"):
        fit(table, KernelAUCClassifier(loss="hinge"), **SETTINGS)
    with pytest.raises(ValueError, match="number of folds"):
        fit(table, KernelAUCClassifier(cv=PredefinedSplit(np.arange(300) % 2)), **SETTINGS)
