"""Validation of tables, labels, weights and parameters, once, at the boundary."""
