"""A lasting promise: models that version 0.1 saved are read by every later version and give the same scores.

The files under `corpus` are never written again; new kinds of models are added beside them.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from aucmax.models import load
from aucmax.models.scorer import SCORERS
from aucmax.tables import read

CORPUS = Path(__file__).parent / "corpus"
EXPECTED = json.loads((CORPUS / "expected.json").read_text())


def test_every_model_has_expected_scores():
    assert {path.stem for path in CORPUS.glob("*.json")} - {"expected"} == set(EXPECTED)


def kinds(content):
    """The kinds of all scorers in a model file."""
    if isinstance(content, dict):
        yield from [content["kind"]] if isinstance(content.get("kind"), str) else []
    for part in content.values() if isinstance(content, dict) else content if isinstance(content, list) else ():
        yield from kinds(part)


def test_every_kind_of_scorer_is_in_the_corpus():
    found = {kind for name in EXPECTED for kind in kinds(json.loads((CORPUS / f"{name}.json").read_text())["scorer"])}
    assert set(SCORERS) <= found


@pytest.mark.parametrize("name", EXPECTED)
def test_models_of_the_corpus_give_the_scores_of_their_day(name):
    model = load(CORPUS / f"{name}.json")
    expected = EXPECTED[name]
    zero_based = model.metadata.training.get("zero_based")
    layout = {} if zero_based is None else {"n_features": model.n_features, "zero_based": zero_based}
    X = model.features(read(CORPUS / expected["rows"], **layout))
    np.testing.assert_allclose(model.decision_function(X), expected["score"], rtol=1e-9, atol=1e-12)  # libm differs
    assert [str(label) for label in model.predict(X).tolist()] == expected["prediction"]
    assert ("probability" in expected) == (model.metadata.calibration is not None)
    if "probability" in expected:
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected["probability"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", EXPECTED)
def test_models_of_the_corpus_know_their_kind(name):
    kinds_of_names = {"rbf": "kernel", "laplacian": "kernel", "ranks": "kernel", "stack": "stack", "tree": "tree"}
    assert load(CORPUS / f"{name}.json").kind == kinds_of_names.get(name.rpartition("_")[2], "linear")
