"""Speeds as ratios to something timed in the same run: `make bench`, or `python -m benchmarks fit auc`."""
