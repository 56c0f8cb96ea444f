"""Compiled loops, rows and matrices, threads: what everything else is built on."""
