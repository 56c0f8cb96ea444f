"""Benchmark sets against the published target intervals, and missing files."""

import os
from pathlib import Path

import numpy as np
import pytest
from changepoint_problems import numbers

from aucmax.changepoint import benchmark_names, load_benchmark
from aucmax.tables import read

data_only = pytest.mark.skipif("AUCMAX_DATA" not in os.environ, reason="set AUCMAX_DATA to the folder of data sets")


@data_only
def test_benchmark_set_has_the_published_targets():
    data = load_benchmark("H3K36me3_TDH_other")
    published = read(Path(os.environ["AUCMAX_DATA"]) / "changepoint" / data.name / "outputs.csv.xz")
    limits = {
        name: numbers(pair)
        for name, *pair in zip(*(published.column(column).to_pylist() for column in published.names))
    }
    np.testing.assert_allclose(
        data.table.target_intervals(), [limits[name] for name in data.sequences], rtol=1e-9
    )  # its files differ by 1e-11
    assert data.X.shape == (40, 36) and set(data.folds) == {"equal_labels"} and data.name in benchmark_names()


def test_missing_files_are_reported_with_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("AUCMAX_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=f"no folder {tmp_path}"):
        load_benchmark("systematic")
    (tmp_path / "changepoint" / "small").mkdir(parents=True)
    with pytest.raises(ValueError, match="no set 'systematic' in"):
        load_benchmark("systematic")
    with pytest.raises(ValueError, match="no set None in"):
        load_benchmark(None)
    monkeypatch.delenv("AUCMAX_DATA")
    with pytest.raises(FileNotFoundError, match="AUCMAX_DATA is not set"):
        benchmark_names()
