"""Speeds as ratios to a baseline timed in the same run: `make bench`, or `python -m benchmarks fit auc`."""
