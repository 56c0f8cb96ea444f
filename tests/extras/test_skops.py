"""Pipelines that `aucmax.save` refuses are persisted by skops, without pickle."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

import aucmax
from aucmax.models import SKOPS_TRUSTED
from aucmax.solvers import SOLVERS

skops = pytest.importorskip("skops.io")

ESTIMATORS = [
    aucmax.AUCClassifier(),
    aucmax.AUCClassifierCV(cv=3, random_state=0),
    aucmax.AUMClassifier(),
    aucmax.AUCTreeClassifier(),
    aucmax.ContingencySVMClassifier(),
    *(aucmax.KernelAUCClassifier(kernel=kernel, n_components=20, cv=2) for kernel in ("linear", "rbf", "ranks")),
]


def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "b": rng.normal(size=90), "town": rng.choice(["x", "y", ""], 90)})
    frame["price"] = [f"{value:,.2f} €" for value in 1e4 * rng.random(90)]
    frame["when"] = pd.date_range("2020-01-01", periods=90, freq="31h").strftime("%d.%m.%Y %H:%M")
    return frame, frame["a"] + rng.normal(size=90) > 0.5


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_pipelines_are_restored_to_the_last_bit(estimator):
    X, y = table()
    steps = aucmax.TableEncoder(), QuantileTransformer(n_quantiles=20), PCA(3), estimator
    pipeline = make_pipeline(*steps).fit(X, y)
    with pytest.raises(TypeError, match="cannot be saved as JSON"):
        aucmax.save(pipeline, "model.json")
    restored = skops.loads(skops.dumps(pipeline), trusted=SKOPS_TRUSTED)
    assert (restored.decision_function(X) == pipeline.decision_function(X)).all()
    assert (restored.predict(X) == pipeline.predict(X)).all()
    if hasattr(pipeline, "predict_proba"):
        assert (restored.predict_proba(X) == pipeline.predict_proba(X)).all()


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_given_as_objects_are_trusted(name):
    solver = SOLVERS[name]()
    estimator = aucmax.AUCClassifier(solver=solver)
    restored = skops.loads(skops.dumps(estimator), trusted=SKOPS_TRUSTED)
    assert repr(restored) == repr(estimator)


def test_other_types_are_refused():
    content = skops.dumps(make_pipeline(aucmax.AUCClassifier(class_weight=_Stranger())))
    with pytest.raises(skops.exceptions.UntrustedTypesFoundException if hasattr(skops, "exceptions") else Exception):
        skops.loads(content, trusted=SKOPS_TRUSTED)


class _Stranger:
    pass
