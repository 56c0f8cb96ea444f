"""Everything that takes a sparse matrix refuses an invalid one, in this process: nothing may crash."""

import json

import numpy as np
import pytest
from malformed_sparse import DAMAGES, damaged
from scipy import sparse

from aucmax import AUCClassifier, AUCClassifierCV, AUCTreeClassifier, AUMClassifier, KernelAUCClassifier, compare
from aucmax.aum import ErrorFunctions, descend
from aucmax.models import LinearScorer, ModelMetadata, SavedModel
from aucmax.models.json_arrays import matrix_from_json, matrix_to_json

N, DIM = 30, 4


def a_table():
    rng = np.random.default_rng(0)
    y = np.arange(N) % 3 == 0
    X = rng.normal(size=(N, DIM)) + y[:, None]
    X[rng.random(X.shape) < 0.3] = 0.0
    X[-1] = 1.0
    return X, y.astype(int)


X, Y = a_table()
SPARSE = sparse.csr_array(X)


def saved():
    return SavedModel(ModelMetadata(("no", "yes")), LinearScorer(np.ones(DIM), 0.0))


FITS = {
    "exact": AUCClassifier(),
    "cg": AUCClassifier(solver="cg"),
    "hinge": AUCClassifier(loss="hinge"),
    "cv": AUCClassifierCV(cv=3, random_state=0),
    "kernel": KernelAUCClassifier(kernel="rbf", cv=3, random_state=0),
    "aum": AUMClassifier(random_state=0),
    "tree": AUCTreeClassifier(),
}
SCORES = {name: model for name, model in FITS.items() if name in ("exact", "kernel", "aum")}

ENTRIES = {
    **{f"fit_{name}": lambda bad, model=model: model.fit(bad, Y) for name, model in FITS.items()},
    "partial_fit": lambda bad: AUCClassifier().partial_fit(SPARSE, Y).partial_fit(bad, Y),
    "first_partial_fit": lambda bad: AUCClassifier(solver="spam").partial_fit(bad, Y),
    "unlearn": lambda bad: AUCClassifier().partial_fit(SPARSE, Y).unlearn(bad, Y),
    "validation": lambda bad: AUCClassifier().fit(SPARSE, Y, validation=(bad, Y)),
    "aum_validation": lambda bad: AUMClassifier(random_state=0).fit(SPARSE, Y, validation=(bad, Y)),
    **{
        f"{method}_{name}": lambda bad, model=model, method=method: getattr(model.fit(SPARSE, Y), method)(bad)
        for name, model in SCORES.items()
        for method in ("decision_function", "predict")
    },
    "predict_proba": lambda bad: FITS["cv"].fit(SPARSE, Y).predict_proba(bad),
    "score": lambda bad: AUCClassifier().fit(SPARSE, Y).score(bad, Y),
    "saved_model": lambda bad: saved().decision_function(bad),
    "scorer": lambda bad: LinearScorer(np.ones(DIM), 0.0)(bad),
    "compare": lambda bad: compare(bad, Y, ["exact"], cv=3),
    "descend": lambda bad: descend(ErrorFunctions.from_labels(Y), bad, np.ones(DIM)),
    "descend_validation": lambda bad: descend(
        ErrorFunctions.from_labels(Y), SPARSE, np.ones(DIM), validation=(ErrorFunctions.from_labels(Y), bad)
    ),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_invalid_matrix_is_refused(entry):
    for damage in DAMAGES:
        with pytest.raises(ValueError, match="not a valid CSR matrix: "):
            ENTRIES[entry](damaged(X, damage))


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("form", [sparse.csc_array, sparse.coo_array])
def test_so_is_one_that_would_be_converted(entry, form):
    bad = form(X)
    (bad.indices if form is sparse.csc_array else bad.coords[1])[2] = -(10**6)
    with pytest.raises(ValueError, match=r"not a valid (CSC|COO) matrix: .*from -1000000 to"):
        ENTRIES[entry](bad)


@pytest.mark.parametrize("name", ["data", "indices", "indptr"])
@pytest.mark.parametrize("place", [0, 3, -1])
@pytest.mark.parametrize("value", [None, -5, 10**9])
def test_landmarks_of_a_model_file(name, place, value):
    """An edit that leaves the matrix valid is accepted, any other is refused, and none is read out of bounds."""
    content = json.loads(json.dumps(matrix_to_json(SPARSE)))
    if value is None:
        del content[name][place]
    else:
        content[name][place] = value
    if name == "data" and value is not None:
        assert matrix_from_json(content, "landmarks").shape == (N, DIM)
        return
    with pytest.raises(ValueError):
        matrix_from_json(content, "landmarks")


@pytest.mark.parametrize("model", SCORES.values(), ids=SCORES)
def test_equal_rows_have_equal_scores_in_any_order(model):
    """Every row twice: as it is, and with its entries in reverse order."""
    indices = np.concatenate([np.flatnonzero(row)[::-1] for row in X])
    row = np.repeat(np.arange(N), np.diff(SPARSE.indptr))
    reverse = sparse.csr_array((X[row, indices], indices, SPARSE.indptr), shape=X.shape)
    before = reverse.indices.copy()
    scores = model.fit(reverse, Y).decision_function(reverse)
    np.testing.assert_array_equal(model.decision_function(SPARSE), scores)
    np.testing.assert_array_equal(model.fit(SPARSE, Y).decision_function(SPARSE), scores)
    np.testing.assert_array_equal(saved().decision_function(SPARSE), saved().decision_function(reverse))
    np.testing.assert_array_equal(reverse.indices, before)
