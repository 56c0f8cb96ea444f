"""Estimators for Spark ML pipelines; they need Spark (`pip install '.[spark]'`) and Java 17 or newer.

Columns are named as everywhere in Spark ML, the parameters of a fit as in aucmax. Features are vectors, dense or
sparse, or arrays of numbers. Models are saved as JSON.
"""

try:
    __import__("pyspark")
except ModuleNotFoundError:
    message = "aucmax.spark needs Spark; install it with: pip install '.[spark]', and Java 17 or newer"
    raise ModuleNotFoundError(message, name="pyspark") from None

from aucmax.spark.classifiers import AUCClassifier, AUCClassifierCV
from aucmax.spark.model import AUCClassifierModel

__all__ = ["AUCClassifier", "AUCClassifierCV", "AUCClassifierModel"]
