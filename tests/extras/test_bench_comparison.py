"""The simulations of verdicts and the timing of a comparison, in a small setting."""

import pytest
from benchmarks import bench_compare, bench_verdicts


def test_simulated_verdicts_are_counted():
    assert 0.0 <= bench_verdicts.coverage(200, 20, 3, 1, False, 3) <= 1.0
    difference, shares = bench_verdicts.verdicts(200, 40, 3, 2, 0.2, 3)
    assert difference > 0.05 and sum(shares.values()) == pytest.approx(1.0)
    difference, shares = bench_verdicts.noisy_verdicts(400, 0.05, 3)
    assert 0.0 < difference < 0.005 and sum(shares.values()) == pytest.approx(1.0)


def test_a_comparison_of_the_standard_models_is_timed():
    rows = bench_compare.run(600, 12, ("exact", "ridge balanced"))
    assert len(rows) == 4 and rows[-2]["seconds"] > 0
    assert "reference" in {row["verdict"] for row in rows[:2]}
