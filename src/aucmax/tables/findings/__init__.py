"""Coded findings: what may be wrong with a table, one file for each kind of check."""
