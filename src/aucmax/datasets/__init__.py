"""Benchmark data sets, loaded by name, and toy data."""

from aucmax.datasets.benchmark_sets import Dataset, load, names, source
from aucmax.datasets.toy import make_toy

__all__ = ["Dataset", "load", "make_toy", "names", "source"]
