"""The estimators: validate, solve, store."""
