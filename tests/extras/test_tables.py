"""Tables of other libraries are accepted as they are."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from aucmax import AUCClassifier, AUCClassifierCV

NAMES = ["age", "income", "visits"]


def make():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, (X[:, 0] + rng.normal(size=80) > 0.5).astype(int)


TABLES = {
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "arrow": lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("model", [AUCClassifier(), AUCClassifierCV(random_state=0)])
def test_equal_to_the_array_and_names_kept(table, model):
    X, y = make()
    scores = model.fit(X, y).decision_function(X)
    model.fit(table(X), y)
    np.testing.assert_allclose(model.decision_function(table(X)), scores, rtol=1e-12)
    assert list(model.feature_names_in_) == NAMES
