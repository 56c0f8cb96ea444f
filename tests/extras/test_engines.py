"""One list of estimators and losses, fitted to dense rows, CSR, files in chunks, on Dask and on Spark."""

import os
import shutil
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import make_table
from numerics.test_chunked_matrix import LINEAR
from scipy import sparse
from sklearn.base import clone

from aucmax import AUCClassifier, AUCClassifierCV, KernelAUCClassifier
from aucmax.scale import LocalEngine, Source, fit
from aucmax.scale import source as sources

pytest.importorskip("distributed", reason="needs the extra 'dask'")
pytest.importorskip("pyspark", reason="needs the extra 'spark'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java 17 or newer (apt-get install default-jre-headless)", allow_module_level=True)

from distributed import Client, LocalCluster
from pyspark.sql import SparkSession

from aucmax.scale.dask import DaskEngine
from aucmax.scale.spark import SparkEngine

pytestmark = pytest.mark.filterwarnings("ignore")  # those of Dask and Spark
N = 2000
DIM = 5
MEMORY = 64 * (DIM + 2) * 256 * 3  # chunks of 256 rows, with one thread
MODELS = [
    *(model for model in LINEAR if not (isinstance(model, AUCClassifierCV) and model.loss == "logistic")),
    AUCClassifierCV([1.0, 0.1], loss="logistic", cv=2, random_state=0),  # a whole path takes hundreds of passes
    AUCClassifierCV(loss="squared", random_state=0),
    KernelAUCClassifier(kernel="rbf", n_components=30, tuning_rows=300, random_state=0),
]


@pytest.fixture(scope="module")
def data():
    X, y, weight = make_table(N, DIM)
    return X, (y > 0).astype(int), weight


@pytest.fixture(scope="module")
def source(data, tmp_path_factory):
    """Files with three partitions of three chunks."""
    X, y, weight = data
    folder = tmp_path_factory.mktemp("rows")
    table = pa.table({**{f"x{j}": X[:, j] for j in range(DIM)}, "y": y, "w": weight})
    pq.write_table(table, folder / "rows.parquet", row_group_size=700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "PARTITION_ROWS", 700)
        return Source.of(str(folder / "rows.parquet"))


@pytest.fixture(scope="module")
def clusters():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name, value in {"ui.showConsoleProgress": "false", "driver.host": "127.0.0.1", "log.level": "OFF"}.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield [DaskEngine(client), SparkEngine(session)]
    session.stop()


def facts(model, X):
    """The scores, and after cross-validation the AUCs of the folds, the alphas and the interval."""
    names = ("alpha_", "alphas_", "cv_auc_", "oof_interval_")
    return [model.decision_function(X), *(np.array(getattr(model, name)) for name in names if hasattr(model, name))]


def assert_equal_to_rounding(ours, expected, X):
    is_kernel = isinstance(ours, KernelAUCClassifier)
    digits = 1e-8 if is_kernel else 1e-10  # the kernel matrix of the landmarks is ill-conditioned
    for one, other in zip(facts(ours, X), facts(expected, X), strict=True):
        np.testing.assert_allclose(one, other, rtol=0.0, atol=digits * np.abs(other).max())


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_fits_are_equal_whatever_holds_the_rows(data, source, clusters, model):
    X, y, weight = data
    settings = {"target": "y", "weight": "w", "pos_label": 1, "encode": False, "memory": MEMORY}
    dense = clone(model).fit(X, y, weight)
    chunked = fit(source, model, engine=LocalEngine(1), **settings)
    assert_equal_to_rounding(chunked, dense, X)
    for engine in clusters:
        spread = fit(source, model, engine=engine, **settings)
        assert [fact.tobytes() for fact in facts(spread, X)] == [fact.tobytes() for fact in facts(chunked, X)]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_fits_to_csr_are_equal_as_far_as_the_gap_allows(data, model):
    X, y, weight = data
    dense = clone(model).fit(X, y, weight)
    csr = clone(model).fit(sparse.csr_array(X), y, weight)
    if getattr(dense, "loss_", model.loss) == "squared":
        assert_equal_to_rounding(csr, dense, X)
    elif isinstance(model, AUCClassifier):  # other steps, which end within tol of the same minimum
        assert abs(csr.objective_ - dense.objective_) <= max(csr.gap_, dense.gap_)
    else:
        np.testing.assert_allclose(csr.cv_auc_, dense.cv_auc_, atol=1e-3)
