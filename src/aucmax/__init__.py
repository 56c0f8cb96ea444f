"""Rank positives above negatives by maximising AUC itself."""
