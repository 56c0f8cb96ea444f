"""The benchmark of engines at a small size: every engine gives the same model, MLlib's is of the same quality."""

import os
import shutil

import pytest

pytest.importorskip("distributed", reason="needs the extra 'dask'")
pytest.importorskip("pyspark", reason="needs the extra 'spark'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java 17 or newer (apt-get install default-jre-headless)", allow_module_level=True)

from benchmarks import bench_engines, bench_scale

pytestmark = pytest.mark.filterwarnings("ignore")  # of Spark and Dask


def test_the_benchmark_runs_at_a_small_size(monkeypatch):
    monkeypatch.setattr(bench_scale, "ROWS_PER_FILE", 1000)
    rows = bench_engines.run(repeats=1, n_rows=4000)
    ours, peers = rows[:4], rows[4:]
    assert [row["what"].partition(",")[0] for row in ours] == ["local", "local", "Dask", "Spark"]
    assert len({row["AUC"] for row in ours}) == 1
    assert all(row[f"{what} s"] > 0 for row in ours for what in ("empty pass", "pass", "fit"))
    assert len(peers) == 3 and all(abs(float(row["AUC"]) - float(ours[0]["AUC"])) < 0.05 for row in peers)
