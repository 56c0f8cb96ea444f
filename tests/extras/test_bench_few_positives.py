"""The benchmark of few positives at a small size."""

import pytest

pytest.importorskip("lightgbm", reason="the benchmarks need LightGBM: pip install 'aucmax[bench]'")

from benchmarks import bench_few_positives


def test_the_table_is_saved_set_by_set_and_resumed(tmp_path, monkeypatch):
    monkeypatch.setattr(bench_few_positives, "NEGATIVES", 100)
    saved = tmp_path / "few_positives.json"
    sets = ("breast_cancer", "digits")
    rows = bench_few_positives.run(2, sets, 300, saved)
    assert [row["set"] for row in rows] == ["breast_cancer", "digits", "mean"]
    assert all(float(row["average"]) > 0.8 for row in rows)
    monkeypatch.setattr(bench_few_positives, "measure", None)
    assert bench_few_positives.run(2, sets, 300, saved) == rows
