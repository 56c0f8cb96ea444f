"""Named benchmark sets and toy data."""

from aucmax.datasets.named import Dataset, load, names, source
from aucmax.datasets.toy import toy

__all__ = ["Dataset", "load", "names", "source", "toy"]
