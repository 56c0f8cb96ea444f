"""Streams: what `partial_fit` keeps between two batches."""
