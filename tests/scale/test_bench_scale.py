"""The benchmark of passes at a small size."""

from benchmarks import bench_scale


def test_the_benchmark_runs_at_a_small_size(monkeypatch):
    monkeypatch.setattr(bench_scale, "ROWS_PER_FILE", 2000)
    monkeypatch.setattr(
        bench_scale, "whole_fit", lambda files, n_rows, loss: {"what": loss, "rows": n_rows, "s": 1.0}
    )
    rows = bench_scale.run(repeats=1, n_rows=5000)
    assert [row["rows"] for row in rows] == [5000] * 7
    assert rows[0]["ratio"] == 1.0 and all(row["s"] > 0 for row in rows)
