"""Model selection: splits, moments of folds, alpha paths, cross-validation, kernel search."""
