"""`KernelAUCClassifier` fitted to files is the estimator in memory, with the same landmarks, sample and folds."""

import numpy as np
import pyarrow as pa
import pytest
from scale.events import fit_in_memory, make_events, write_parquet

from aucmax import KernelAUCClassifier
from aucmax.scale import LocalEngine, evaluate, fit

SETTINGS = {"target": "y", "pos_label": "fraud", "weight": "w", "drop": ["g"]}
SMALL_CHUNKS = {"memory": "500KB", "engine": LocalEngine(1)}  # of about 300 rows


@pytest.mark.parametrize("tuning_rows", [5000, 600])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_the_model_is_that_of_memory(tmp_path, tuning_rows, loss):
    table = make_events(1500)
    files = write_parquet(table, tmp_path)
    settings = {"kernel": ["linear", "rbf", "ranks"], "n_components": 40, "gamma": 0.1, "relevance": False}
    estimator = KernelAUCClassifier(**settings, loss=loss, tuning_rows=tuning_rows, random_state=3)
    model = fit(files, estimator, **SETTINGS, **SMALL_CHUNKS)
    expected = fit_in_memory(estimator, table, weight="w")
    np.testing.assert_array_equal(model[-1].landmarks_, expected.landmarks_)
    np.testing.assert_allclose(model[-1].cv_auc_, expected.cv_auc_, atol=1e-10)
    np.testing.assert_allclose(model[-1].weights_, expected.weights_, rtol=1e-7, atol=1e-10)
    X = model[0].transform(table)
    scores = expected.decision_function(X)
    tolerance = 1e-9 if loss == "squared" else 1e-6  # Newton stops at a gap of 1e-6
    np.testing.assert_allclose(model[-1].decision_function(X), scores, atol=tolerance * np.abs(scores).max())
    np.testing.assert_allclose(model[-1].predict_proba(X), expected.predict_proba(X), rtol=1e-6)
    np.testing.assert_allclose(model[-1].oof_interval_, expected.oof_interval_, rtol=1e-9)


def test_learned_metrics_work_on_chunks():
    """Two circles, which no linear model ranks, and columns without information."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 600)
    y = np.arange(600) % 2
    columns = {f"noise{j}": rng.normal(size=600) for j in range(6)}
    table = pa.table({"a": (1 + y) * np.cos(angle), "b": (1 + y) * np.sin(angle), **columns, "y": y})
    estimator = KernelAUCClassifier(kernel="laplacian", relevance=True, n_components=60, random_state=0)
    model = fit(table, estimator, target="y", pos_label=1, **SMALL_CHUNKS)
    assert evaluate(table, model, target="y").auc > 0.97
    assert model[-1].cv_results_["param_round"].max() >= 1
