"""Streams: the state that `partial_fit` keeps between batches."""
