"""Engines over the same Parquet files: threads of one process, two Dask workers, Spark; MLlib beside the latter.

Wall-clock seconds, medians of 3 alternating runs on two cores. "start" is the time until the workers answer, "empty
pass" a pass over four rows in two partitions: what an engine costs by itself. "pass" computes the moments of 5 folds
from encoded rows, "fit" is a fit of `AUCClassifier` that reads and encodes the files first, and "AUC" that of rows
which were not fitted. The models on vectors read a data frame that Spark holds in memory; their start is the time to
load it. `python -m benchmarks engines` writes 1 million rows of 10 columns; with `AUCMAX_BENCH_ROWS=20000000` more,
but above 5 million without Spark.
"""

import os
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import pyarrow as pa

from aucmax import AUCClassifier
from aucmax.scale import LocalEngine, Source, evaluate, fit
from aucmax.scale.columns import ColumnUse
from aucmax.scale.partitions import Partition
from aucmax.scale.rows import read_rows
from benchmarks.bench_scale import fold_moments, write_files

DIM = 10
SPARK_ROWS = 5_000_000  # more would take minutes a run


@contextmanager
def dask_engine():
    from distributed import Client, LocalCluster

    from aucmax.scale.dask import DaskEngine

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield DaskEngine(client)


@contextmanager
def spark_session():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    for name, value in {"ui.showConsoleProgress": "false", "driver.host": "127.0.0.1", "driver.memory": "4g"}.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.config("spark.log.level", "OFF").getOrCreate()
    yield session
    session.stop()


def timed(call):
    start = time.perf_counter()
    value = call()
    return time.perf_counter() - start, value


def count(partition):
    return sum(map(len, partition.chunks(100)))


def moments(files, engine):
    return fold_moments(read_rows(files, ColumnUse("y", pos_label=1, encode=False), engine))


def fitted(files, engine):
    return lambda: fit(files, AUCClassifier(), target="y", pos_label=1, encode=False, engine=engine)


class Probe:
    """Four rows in two partitions."""

    def __init__(self):
        table = pa.table({"x": [1.0, 2.0]})
        self.source = Source((Partition.of_table(table, 0), Partition.of_table(table, 1)))

    def __call__(self, engine):
        return sum(engine.map(self.source, count, lambda rows: None))


def engine_rows(engines, starts, files, test, repeats):
    """A row an engine: medians of runs that alternate between the engines."""
    probe = Probe()
    seconds = {name: {"empty pass": [], "pass": [], "fit": []} for name in engines}
    calls = {
        name: {"empty pass": lambda e=e: probe(e), "pass": moments(files, e), "fit": fitted(files, e)}
        for name, e in engines.items()
    }
    models = {}
    for _ in range(repeats):
        for what in ("empty pass", "pass", "fit"):
            for name in engines:
                spent, models[name] = timed(calls[name][what])
                seconds[name][what].append(spent)
    return [
        {
            "what": name,
            "start s": starts[name],
            **{f"{what} s": median(times) for what, times in seconds[name].items()},
            "AUC": f"{evaluate(test, models[name], target='y').auc:.6f}",
        }
        for name in engines
    ]


def peer_rows(session, files, test, repeats):
    """Spark ML on vectors in Spark's memory: ours and MLlib's logistic regression, on the same data frame."""
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.ml.feature import VectorAssembler

    import aucmax.spark

    assembler = VectorAssembler(inputCols=[f"x{j}" for j in range(DIM)], outputCol="features")
    train, later = (
        assembler.transform(session.read.parquet(str(Path(part).parent))).select("features", "y").persist()
        for part in (files, test)
    )
    read, _ = timed(train.count)
    later.count()
    rivals = {
        "aucmax.spark.AUCClassifier, vectors": aucmax.spark.AUCClassifier(labelCol="y"),
        "MLlib LogisticRegression, vectors": LogisticRegression(labelCol="y"),
        "MLlib LogisticRegression, regParam=0.01": LogisticRegression(labelCol="y", regParam=0.01),
    }
    seconds = {name: [] for name in rivals}
    models = {}
    for _ in range(repeats):
        for name, rival in rivals.items():
            spent, models[name] = timed(lambda rival=rival: rival.fit(train))
            seconds[name].append(spent)
    evaluator = BinaryClassificationEvaluator(labelCol="y", numBins=0)
    return [
        {
            "what": name,
            "start s": read,
            "empty pass s": "",
            "pass s": "",
            "fit s": median(seconds[name]),
            "AUC": f"{evaluator.evaluate(models[name].transform(later)):.6f}",
        }
        for name in rivals
    ]


def run(repeats: int = 3, n_rows: int | None = None) -> list[dict]:
    n_rows = n_rows or int(os.environ.get("AUCMAX_BENCH_ROWS", "1000000"))
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(2)]
        files = write_files(folders[0], n_rows, DIM)
        test = write_files(folders[1], min(n_rows // 4, 500_000), DIM, seed=10**6)
        engines = {"local, 1 thread": LocalEngine(1), "local, 2 threads": LocalEngine(2)}
        starts = dict.fromkeys(engines, 0.0)
        probe = Probe()
        start = time.perf_counter()
        engines["Dask, 2 workers"] = stack.enter_context(dask_engine())
        probe(engines["Dask, 2 workers"])
        starts["Dask, 2 workers"] = time.perf_counter() - start
        if n_rows > SPARK_ROWS:
            return engine_rows(engines, starts, files, test, repeats)
        from aucmax.scale.spark import SparkEngine

        start = time.perf_counter()
        session = stack.enter_context(spark_session())
        engines["Spark, 2 cores"] = SparkEngine(session)
        probe(engines["Spark, 2 cores"])
        starts["Spark, 2 cores"] = time.perf_counter() - start
        return engine_rows(engines, starts, files, test, repeats) + peer_rows(session, files, test, repeats)
