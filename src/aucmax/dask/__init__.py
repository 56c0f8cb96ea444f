"""Estimators for Dask arrays and data frames; requires Dask (`pip install '.[dask]'`).

They use the current `distributed.Client`. The fitted attributes are plain arrays; `decision_function`,
`predict_proba` and `predict` are lazy if they are given Dask collections.
"""

from aucmax.dask.classifiers import AUCClassifier, AUCClassifierCV

__all__ = ["AUCClassifier", "AUCClassifierCV"]
