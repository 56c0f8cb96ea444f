"""Tables with strings and missing values: estimators refuse them, and say what to do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from aucmax import (
    AUCClassifier,
    AUCClassifierCV,
    AUCStackingClassifier,
    AUCTreeClassifier,
    AUMClassifier,
    ContingencySVMClassifier,
    KernelAUCClassifier,
    TableEncoder,
)

ESTIMATORS = [
    AUCClassifier,
    AUCClassifierCV,
    AUCStackingClassifier,
    AUCTreeClassifier,
    AUMClassifier,
    ContingencySVMClassifier,
    KernelAUCClassifier,
]


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"town": rng.choice(["Rome", "Oslo"], 60), "size": rng.normal(size=60)})


@pytest.mark.parametrize("estimator", [AUCClassifier, AUCClassifierCV])
def test_the_error_on_strings_names_the_encoder(frame, estimator):
    y = np.arange(60) % 3 == 0
    with pytest.raises(ValueError, match=rf"string.*make_pipeline\(TableEncoder\(\), {estimator.__name__}\(\)\)"):
        estimator().fit(frame, y)
    advised = make_pipeline(TableEncoder(), estimator()).fit(frame, y)
    assert advised.predict(frame).shape == (60,)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_error_on_missing_values_names_the_encoder(frame, estimator):
    y = np.arange(60) % 3 == 0
    frame.loc[7, "size"] = np.nan
    with pytest.raises(ValueError, match=r"X contains NaN.*TableEncoder\(\)"):
        estimator().fit(frame[["size"]], y)
    assert make_pipeline(TableEncoder(), estimator()).fit(frame[["size"]], y).predict(frame[["size"]]).shape == (60,)


def test_infinity_is_not_called_missing(frame):
    frame.loc[7, "size"] = np.inf
    with pytest.raises(ValueError, match=r"X contains infinity") as caught:
        AUCClassifier().fit(frame[["size"]], np.arange(60) % 3 == 0)
    assert "TableEncoder" not in str(caught.value)
