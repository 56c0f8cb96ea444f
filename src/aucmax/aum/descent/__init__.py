"""Descent on AUM."""
