"""Parameters of the estimators and models: columns, and settings of a fit, which Spark saves as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from pyspark.ml.param import Param, Params
from pyspark.ml.param.shared import HasProbabilityCol, HasWeightCol


class ColumnParams(HasProbabilityCol, HasWeightCol):
    """The columns that Spark's `Classifier` does not have, and their setters."""

    def setProbabilityCol(self, value: str) -> Any:
        """Set the column of the probabilities of both classes.

        Parameters
        ----------
        value : str
            Name of the column.
        """
        return self._set(probabilityCol=value)

    def setWeightCol(self, value: str) -> Any:
        """Set the column of weights.

        Parameters
        ----------
        value : str
            Name of the column.
        """
        return self._set(weightCol=value)


def setting(name: str) -> Any:
    """A parameter of a fit."""
    return Param(Params._dummy(), name, "as in the estimator of aucmax of this name", json_value)


def json_value(value: Any) -> Any:
    """The value of a parameter as JSON restores it; the keys of a dict are labels, which are numbers in Spark.

    Examples
    --------
    >>> json_value(np.array([0.1, 1.0])), json_value({0: 1, "1": np.int64(5)})
    ([0.1, 1.0], {0.0: 1, 1.0: 5})
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        value = {float(label): json_value(part) for label, part in value.items()}
    try:
        json.dumps(value)
    except TypeError:
        raise TypeError(f"{value!r} cannot be saved as JSON; give a number, a string or a list") from None
    return list(value) if isinstance(value, tuple) else value
