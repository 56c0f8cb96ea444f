"""Choosing among models: splits, moments of folds, paths of alphas, cross-validation, kernel search."""
