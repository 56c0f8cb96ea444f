"""Compiled loops, rows, matrices and threads: the layer on which everything else is built."""
