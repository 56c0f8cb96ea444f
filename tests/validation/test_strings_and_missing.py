"""Tables with strings and missing values: estimators refuse them, and say what to do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import ClassifierMixin
from sklearn.pipeline import make_pipeline

import aucmax
from aucmax import AUCClassifier, AUCClassifierCV, TableEncoder

PUBLIC = [getattr(aucmax, name) for name in aucmax.__all__]
ESTIMATORS = [kind for kind in PUBLIC if isinstance(kind, type) and issubclass(kind, ClassifierMixin)]


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


TIMES = pd.date_range("2024-01-01", periods=60)
WITH_TIMES = {
    "array": TIMES.to_numpy()[:, None],
    "durations": (TIMES - TIMES[0]).to_numpy()[:, None],
    "frame": pd.DataFrame({"day": TIMES, "size": np.arange(60.0)}),
    "frame with zones": pd.DataFrame({"day": TIMES.tz_localize("UTC"), "size": np.arange(60.0)}),
}


@pytest.mark.parametrize("X", WITH_TIMES.values(), ids=WITH_TIMES)
def test_the_error_on_times_names_the_encoder(X):
    y = np.arange(60) % 3 == 0
    with pytest.raises(ValueError, match=r"X has times \(.*\), which are not numbers.*TableEncoder\(\)"):
        AUCClassifier().fit(X, y)
    fitted = AUCClassifier().fit(np.arange(60.0 * X.shape[1]).reshape(60, -1), y)
    with pytest.raises(ValueError, match="X has times"):
        fitted.decision_function(X)


def test_masked_cells_are_refused_and_masks_without_any_accepted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.arange(60) % 3 == 0
    plain = AUCClassifier().fit(X, y)
    np.testing.assert_array_equal(AUCClassifier().fit(np.ma.array(X), y).coef_, plain.coef_)
    masked = np.ma.array(X, mask=X > 1)
    for call in (lambda: AUCClassifier().fit(masked, y), lambda: plain.predict(masked)):
        with pytest.raises(ValueError, match=r"X has masked cells; pass X.filled\(np.nan\)"):
            call()
