"""The benchmarks of KernelAUCClassifier at a small size."""

import pytest

pytest.importorskip("lightgbm", reason="the benchmarks need LightGBM: pip install '.[bench]'")

from benchmarks import bench_kernel, bench_kernel_scaling


def test_the_table_is_saved_set_by_set_and_resumed(tmp_path, monkeypatch):
    monkeypatch.setattr(bench_kernel, "FOLDS", 2)
    saved = tmp_path / "kernel.json"
    rows = bench_kernel.run(100, ("breast_cancer",), saved)
    assert [row["set"] for row in rows[:2]] == ["breast_cancer", "mean AUC"]
    monkeypatch.setattr(bench_kernel, "measure", None)
    assert bench_kernel.run(100, ("breast_cancer",), saved) == rows


def test_scaling_measures_time_memory_and_auc():
    seconds, megabytes, auc = bench_kernel_scaling.one("kernel", 2000, 20)
    assert seconds > 0 and megabytes >= 0 and auc > 0.5
