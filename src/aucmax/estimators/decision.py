"""Labels from scores; needs NumPy only, so that scoring starts fast. Where zero is: `aucmax.estimators.base`."""

from __future__ import annotations

import numpy as np


def predicted_labels(scores: np.ndarray, classes: np.ndarray, threshold: float | None = None) -> np.ndarray:
    """The positive label where the score is at least the threshold or, without a threshold, above 0."""
    positive = scores > 0 if threshold is None else scores >= threshold
    return classes[positive.astype(int)]
