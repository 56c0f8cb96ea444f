"""Labels from scores; needs NumPy only, so that scoring starts fast.

`predict` returns the positive label where the score is above zero. The parameter `decision` says where zero is
(docs/predictions.md); an estimator accepts the rules that it can compute, and the default of all is "prior":

    "prior"          as many rows are predicted positive as are positive in training, by weight
    "probability"    where the calibrated probability is 1/2
    "balanced"       midway between the class means of the scores, as if the classes were equally frequent
"""

from __future__ import annotations

import numpy as np


def predicted_labels(scores: np.ndarray, classes: np.ndarray, threshold: float | None = None) -> np.ndarray:
    """The positive label where the score is at least the threshold or, without a threshold, above 0."""
    positive = scores > 0 if threshold is None else scores >= threshold
    return classes[positive.astype(int)]
