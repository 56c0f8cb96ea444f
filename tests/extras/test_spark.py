"""The Spark engine and the estimators of Spark ML, on a session of two cores whose tasks may fail four times."""

import os
import shutil
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from extras.page_examples import run_section
from scale.events import make_events, write_parquet
from scipy import sparse

import aucmax
from aucmax.scale import Source, evaluate, fit
from aucmax.scale import source as sources
from aucmax.scale.partitions import Partition

pytest.importorskip("pyspark")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java 17 or newer (apt-get install default-jre-headless)", allow_module_level=True)

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.linalg import Vectors
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import SparkSession
from pyspark.sql.functions import spark_partition_id

import aucmax.spark
from aucmax.scale.spark import SparkEngine
from aucmax.scale.spark_frames import spark_source

pytestmark = pytest.mark.filterwarnings("ignore")  # those of Spark, about pandas 3
SETTINGS = {"target": "y", "pos_label": "fraud", "drop": ["w", "g"]}
DIM = 5


@pytest.fixture(scope="module")
def session():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[2,4]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.3).astype(int)
    X = rng.normal(size=(y.size, DIM)) + 0.4 * y[:, None] * np.arange(DIM) / DIM
    X[rng.random(X.shape) < 0.3] = 0.0
    return X, y, rng.uniform(0.5, 2.0, size=y.size)


@pytest.fixture(scope="module")
def frame(session, numbers):
    """Vectors, every other one sparse, arrays, labels and weights, in three partitions."""
    X, y, weight = numbers
    vectors = [
        Vectors.dense(x) if i % 2 else Vectors.sparse(DIM, np.flatnonzero(x).tolist(), x[x != 0].tolist())
        for i, x in enumerate(X)
    ]
    rows = list(zip(vectors, X.tolist(), y.astype(float).tolist(), weight.tolist()))
    frame = session.createDataFrame(rows, ["features", "array", "label", "weight"]).repartition(3).persist()
    frame.count()
    return frame


def in_order(frame):
    """The rows as Spark has them."""
    table = frame.select("array", "label", "weight").toArrow()
    return [np.array(table[name].to_pylist()) for name in table.column_names]


def same_partitions(frame):
    """The partitions of a data frame in this process."""
    table = frame.withColumn("part", spark_partition_id()).toArrow()
    parts = [table.filter(pc.field("part") == k).drop_columns("part") for k in range(frame.rdd.getNumPartitions())]
    return Source(tuple(Partition.of_table(part, k) for k, part in enumerate(parts)))


def test_files_give_the_same_bits_as_one_process(session, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PARTITION_ROWS", 600)
    source = Source.of(write_parquet(make_events(), tmp_path, row_group_size=300))
    assert len(source) == 6
    local = fit(source, aucmax.AUCClassifierCV(loss="squared", random_state=0), **SETTINGS)
    spread = fit(
        source, aucmax.AUCClassifierCV(loss="squared", random_state=0), engine=SparkEngine(session), **SETTINGS
    )
    assert spread[-1].coef_.tobytes() == local[-1].coef_.tobytes()
    assert spread[-1].cv_auc_.tobytes() == local[-1].cv_auc_.tobytes()
    assert spread[-1].oof_interval_ == local[-1].oof_interval_


def test_a_data_frame_is_encoded_and_gives_the_same_bits_as_one_process(session, tmp_path):
    write_parquet(make_events(), tmp_path)
    frame = session.read.parquet(str(tmp_path)).repartition(3).persist()
    frame.count()
    rows = []
    local = fit(same_partitions(frame), aucmax.AUCClassifierCV(loss="squared", random_state=0), **SETTINGS)
    spread = fit(
        frame,
        aucmax.AUCClassifierCV(loss="squared", random_state=0),
        engine=SparkEngine(),
        progress=rows.append,
        **SETTINGS,
    )
    assert spread[-1].coef_.tobytes() == local[-1].coef_.tobytes()
    assert rows[-1].rows == rows[-1].total == 3000
    assert evaluate(frame, local, target="y", engine=SparkEngine()) == evaluate(
        same_partitions(frame), local, target="y"
    )


def test_vectors_and_arrays_are_fitted_as_in_memory(frame):
    X, y, weight = in_order(frame)
    settings = {"alpha": 0.1, "class_weight": {0: 1.0, 1: 3.0}}
    whole = aucmax.AUCClassifier(**settings).fit(X, y, sample_weight=weight)
    for name in ("features", "array"):
        model = aucmax.spark.AUCClassifier(featuresCol=name, weightCol="weight", **settings).fit(frame)
        np.testing.assert_allclose(model.coefficients.toArray(), whole.coef_[0], rtol=1e-10)
        assert model.intercept == pytest.approx(whole.intercept_[0], rel=1e-10)


def test_the_path_is_that_of_one_process_to_the_last_bit(frame):
    model = aucmax.spark.AUCClassifierCV(loss="squared", random_state=0, cv=3).fit(frame)
    X, y, _ = in_order(frame)
    source = spark_source(frame.select("features", "label"), features="features")
    local = fit(source, aucmax.AUCClassifierCV(loss="squared", random_state=0, cv=3), target="label", pos_label=1)
    plain = model.to_estimator()
    assert plain.coef_.tobytes() == local.coef_.tobytes()
    assert plain.cv_auc_.tobytes() == local.cv_auc_.tobytes()
    whole = aucmax.AUCClassifierCV([plain.alpha_], loss="squared").fit(X, y)
    np.testing.assert_allclose(plain.coef_, whole.coef_, rtol=1e-10)
    assert evaluate(source, plain, target="label", engine=SparkEngine()) == evaluate(source, plain, target="label")


def jobs_of(session):
    return session.sparkContext._jsc.sc().dagScheduler().numTotalJobs()


@pytest.mark.parametrize("n_partitions", [1, 12])
@pytest.mark.parametrize(
    ("model", "most"),
    [
        (aucmax.spark.AUCClassifier(), 8),
        (aucmax.spark.AUCClassifierCV(loss="squared", random_state=0), 8),
        (aucmax.spark.AUCClassifierCV(random_state=0), 9),
    ],
    ids=["alpha", "path", "auto"],
)
def test_a_fit_takes_few_jobs_and_keeps_nothing(session, frame, model, most, n_partitions):
    rows = frame.coalesce(1) if n_partitions == 1 else frame.repartition(n_partitions)
    kept = session.sparkContext._jsc.getPersistentRDDs().size()
    before = jobs_of(session)
    model.fit(rows)
    assert jobs_of(session) - before <= most
    assert session.sparkContext._jsc.getPersistentRDDs().size() == kept


def test_misspelt_settings_are_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'alpah'"):
        aucmax.spark.AUCClassifier(alpah=1.0)


def test_transform_adds_the_columns_that_are_named(frame):
    names = {"rawPredictionCol": "raw", "probabilityCol": "p", "predictionCol": "guess"}
    model = aucmax.spark.AUCClassifierCV(loss="squared", random_state=0, cv=3, **names).fit(frame)
    X, _, _ = in_order(frame)
    plain = model.to_estimator()
    rows = model.transform(frame).select("raw", "p", "guess").collect()
    np.testing.assert_allclose([row.raw[1] for row in rows], plain.decision_function(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose([row.raw[0] for row in rows], -plain.decision_function(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose([row.p.toArray() for row in rows], plain.predict_proba(X), rtol=1e-9)
    assert [row.guess for row in rows] == plain.predict(X).tolist()
    assert model.predict(Vectors.dense(X[0])) == rows[0].guess
    assert model.predictRaw(Vectors.dense(X[0]))[1] == pytest.approx(rows[0].raw[1])
    assert model.predictProbability(Vectors.dense(X[0]))[1] == pytest.approx(rows[0].p[1])
    assert (model.numFeatures, model.numClasses) == (DIM, 2)
    assert model.setProbabilityCol("").transform(frame).columns == [*frame.columns, "raw", "guess"]


def test_probabilities_of_a_given_penalty_are_platt_scaling_of_the_training_scores(frame):
    model = aucmax.spark.AUCClassifier(alpha=0.1).fit(frame)
    _, y, _ = in_order(frame)
    p = np.array([row.probability[1] for row in model.transform(frame).select("probability").collect()])
    scores = np.log(p / (1 - p))
    from sklearn.linear_model import LogisticRegression

    platt = LogisticRegression(C=np.inf, tol=1e-8).fit(scores[:, None], y)
    assert platt.coef_[0, 0] == pytest.approx(1.0, abs=0.02)  # Platt's smoothed labels shrink the slope a little
    assert p.mean() == pytest.approx(y.mean(), abs=1e-3)


def test_pipelines_and_cross_validators_work_and_are_saved(session, numbers, tmp_path):
    X, y, _ = numbers
    table = pa.table({**{f"x{j}": X[:, j] for j in range(DIM)}, "label": y})
    frame = session.createDataFrame(table.to_pandas()).repartition(2).persist()
    ranker = aucmax.spark.AUCClassifier()
    pipeline = Pipeline(
        stages=[VectorAssembler(inputCols=[f"x{j}" for j in range(DIM)], outputCol="features"), ranker]
    )
    grid = ParamGridBuilder().addGrid(ranker.alpha, [0.1, 10.0]).build()
    evaluator = BinaryClassificationEvaluator(numBins=0)
    search = CrossValidator(
        estimator=pipeline, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, seed=0, parallelism=2
    ).fit(frame)
    assert min(search.avgMetrics) > 0.6
    model = search.bestModel
    scored = model.transform(frame)
    path = str(tmp_path / "model")
    model.write().overwrite().save(path)
    loaded = PipelineModel.load(path).transform(frame)
    assert loaded.select("rawPrediction").collect() == scored.select("rawPrediction").collect()
    assert loaded.select("probability").collect() == scored.select("probability").collect()
    plain = model.stages[-1].to_estimator()
    assert plain.feature_names_in_.tolist() == [f"x{j}" for j in range(DIM)]
    auc = aucmax.metrics.roc_auc(y, plain.decision_function(table.drop_columns("label").to_pandas()))
    assert evaluator.evaluate(scored) == pytest.approx(auc, abs=1e-12)
    aucmax.save(PipelineModel.load(path).stages[-1].to_estimator(), tmp_path / "m.json")
    np.testing.assert_array_equal(aucmax.load(tmp_path / "m.json").decision_function(X), plain.decision_function(X))
    pipeline.write().overwrite().save(str(tmp_path / "unfitted"))
    assert Pipeline.load(str(tmp_path / "unfitted")).getStages()[-1].getOrDefault("alpha") == "auto"


def test_saved_files_are_json_and_checked(session, frame, tmp_path):
    model = aucmax.spark.AUCClassifier(alpha=1.0).fit(frame)
    path = tmp_path / "model"
    model.write().overwrite().save(str(path))
    loaded = aucmax.spark.AUCClassifierModel.load(str(path))
    assert loaded.coefficients == model.coefficients
    (part,) = (path / "model").glob("*.txt")
    part.write_text(part.read_text().replace('"version": 1', '"version": 9'))
    for checksum in (path / "model").glob(".*.crc"):
        checksum.unlink()
    with pytest.raises(aucmax.models.ModelFileError, match="format version 9"):
        aucmax.spark.AUCClassifierModel.load(str(path))


def test_settings_are_saved(session, tmp_path):
    ranker = aucmax.spark.AUCClassifier(alpha=np.float64(0.5), class_weight={0: 1, 1: 4}).setWeightCol("w")
    ranker.write().overwrite().save(str(tmp_path / "ranker"))
    loaded = aucmax.spark.AUCClassifier.load(str(tmp_path / "ranker"))
    assert loaded.getOrDefault("class_weight") == {0.0: 1, 1.0: 4}
    assert (loaded.getOrDefault("alpha"), loaded.getWeightCol()) == (0.5, "w")
    with pytest.raises(TypeError, match="cannot be saved as JSON"):
        aucmax.spark.AUCClassifier(solver=aucmax.solvers.Exact())


def test_wide_sparse_vectors_are_fitted_by_conjugate_gradients(session):
    rng = np.random.default_rng(0)
    X = sparse.random(300, 4000, 0.005, "csr", random_state=rng)
    y = (rng.random(300) < 0.4).astype(float)
    vectors = [Vectors.sparse(4000, row.indices.tolist(), row.data.tolist()) for row in X]
    frame = session.createDataFrame(list(zip(vectors, y.tolist())), ["features", "label"])
    model = aucmax.spark.AUCClassifier(alpha=0.1, standardize=False).fit(frame)
    plain = model.to_estimator()
    assert plain.solver_ == "cg"
    exact = aucmax.AUCClassifier(alpha=0.1, standardize=False, solver="exact").fit(X.toarray(), y)
    assert exact.objective_ <= plain.objective_ <= exact.objective_ + plain.gap_ + 1e-12
    scores = [row.rawPrediction[1] for row in model.transform(frame).select("rawPrediction").collect()]
    np.testing.assert_allclose(scores, plain.decision_function(X), rtol=1e-10)


def test_partitions_without_rows_are_no_obstacle(session, frame):
    few = frame.where("label >= 0").unionByName(frame.limit(0)).persist()
    model = aucmax.spark.AUCClassifier(alpha=0.1).fit(few.repartition(2).unionByName(frame.limit(0)))
    same = aucmax.spark.AUCClassifier(alpha=0.1).fit(frame)
    np.testing.assert_allclose(model.coefficients.toArray(), same.coefficients.toArray(), rtol=1e-10)


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([([1.0, 2.0], 0.0), ([1.0, 2.0], 0.0)], r"'label' has the labels \[0\]; there must be two"),
        ([([1.0, 2.0], 0.0), ([1.0, 3.0], 1.0), ([1.0], 1.0)], "partition 0, rows 1 to 3: a vector of .* in row 3;"),
        ([([1.0, 2.0], 0.0), (None, 1.0)], "partition 0, rows 1 to 2: the vector of row 2 is missing"),
        ([([1.0, 2.0], 0.0), ([1.0, 3.0], 1.0), ([1.0, 3.0], None)], "is missing in 1 rows, first in row 3"),
        ([([1.0, 2.0], 0.0), ([1.0, float("nan")], 1.0)], "partition 0, rows 1 to 2: column 2 is nan in row 2;"),
    ],
    ids=["label", "size", "vector", "missing", "nan"],
)
def test_what_is_wrong_is_named(session, rows, error):
    frame = session.createDataFrame(rows, "features array<double>, label double").coalesce(1)
    with pytest.raises(ValueError, match=error):
        aucmax.spark.AUCClassifier().fit(frame)


def test_the_example_of_the_page(session, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run_section("scale.md", "Spark")
    loaded = aucmax.spark.AUCClassifierModel.load(f"{names['folder']}/model")
    assert loaded.coefficients == names["model"].coefficients


def test_a_killed_worker_costs_time_and_not_the_answer(session, frame, tmp_path):
    for source in (spark_source(frame), Source.of(write_parquet(make_events(2000), tmp_path))):
        flag = str(tmp_path / source.name.replace("/", "-"))

        def count(partition, flag=flag):  # a function of its own is sent to the workers by value
            if not os.path.exists(flag):
                open(flag, "w").close()
                os.kill(os.getpid(), 9)
            return sum(map(len, partition.chunks(100)))

        counted = []
        assert sum(SparkEngine(session).map(source, count, counted.append)) == sum(counted) == 2000
        assert os.path.exists(flag)
