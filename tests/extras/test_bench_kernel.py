"""The benchmarks of KernelAUCClassifier at a small size."""

import pytest

pytest.importorskip("lightgbm", reason="the benchmarks need LightGBM: pip install '.[bench]'")
pytest.importorskip("catboost", reason="the benchmarks need CatBoost: pip install '.[bench]'")

from benchmarks import bench_kernel, bench_kernel_scaling


def test_the_table_is_saved_set_by_set_and_resumed(tmp_path, monkeypatch):
    monkeypatch.setattr(bench_kernel, "FOLDS", 2)
    saved = tmp_path / "kernel.json"
    labels = ["linear", "LightGBM"]
    rows = bench_kernel.run(100, ("breast_cancer",), saved, labels)
    assert [row["set"] for row in rows[:2]] == ["breast_cancer", "mean AUC"]
    assert set(labels) < set(rows[0])
    more = bench_kernel.run(100, ("breast_cancer",), saved, [*labels, "stack"])
    assert more[0]["linear"] == rows[0]["linear"] and "stack" in more[0]  # only what is missing is run
    monkeypatch.setattr(bench_kernel, "measure", None)
    assert bench_kernel.run(100, ("breast_cancer",), saved, labels) == more


@pytest.mark.parametrize(("model", "table", "width"), [("kernel", "synthetic", 50), ("stack", "ijcnn1", 22)])
def test_scaling_measures_time_memory_and_auc(model, table, width):
    seconds, megabytes, columns, auc = bench_kernel_scaling.one(model, 1000, 20, table)
    assert seconds > 0 and megabytes >= 0 and columns == width and auc > 0.5
