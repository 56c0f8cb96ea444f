"""Streams in JSON: every solver continues with exactly the weights that it would have had."""

import json
import warnings

import numpy as np
import pytest
from scipy import sparse

from aucmax import AUCClassifier
from aucmax.models.stream_json import stream_from_json, stream_to_json
from aucmax.solvers import FSAUC, OPAUC, SOLVERS, Exact

ONLINE = [name for name in SOLVERS if SOLVERS[name].online]
FORMS = {"dense": np.asarray, "csr": sparse.csr_array}
SOLVERS_WITH_SETTINGS = {
    **{name: SOLVERS[name]() for name in ONLINE},
    "sketched": OPAUC(covariance="sketched", tau=3),
    "forgetting": Exact(forgetting=0.97),
    "running": FSAUC(statistics="running", horizon=50),
}


def batches_of(X, y, size=23):
    return [(X[at : at + size], y[at : at + size]) for at in range(0, len(y), size)]


def learn(model, batches):
    for X, y in batches:
        model.partial_fit(X, y, classes=[0, 1])
    return model


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("name", SOLVERS_WITH_SETTINGS)
def test_every_solver_continues_to_the_last_bit(table, name, form):
    X, y, _ = table(230, 6, unscaled=True)
    y = (y > 0).astype(int)
    y[:30] = 0  # the second batch is the first with both classes
    X[:, 1] += 1e6  # a column that the exact stream shifts
    solver = SOLVERS_WITH_SETTINGS[name]
    settings = {"solver": solver, "loss": solver.losses[0].name, "random_state": 3}
    batches = batches_of(form(X), y)
    whole = learn(AUCClassifier(**settings), batches)
    for half in (1, 2, 6):
        first = learn(AUCClassifier(**settings), batches[:half])
        text = json.dumps(stream_to_json(first), allow_nan=False)
        restored = stream_from_json(json.loads(text))
        for attribute in ("coef_", "intercept_"):
            np.testing.assert_array_equal(getattr(restored, attribute), getattr(first, attribute))
        learn(restored, batches[half:])
        np.testing.assert_array_equal(restored.coef_, whole.coef_)
        np.testing.assert_array_equal(restored.intercept_, whole.intercept_)
        np.testing.assert_array_equal(restored._recent.scores, whole._recent.scores)
        assert stream_to_json(restored) == stream_to_json(whole)


@pytest.mark.parametrize("name", ONLINE)
def test_a_changed_field_is_refused_or_harmless(table, name):
    """Every number, list and object of the state is replaced in turn: ValueError, or a stream that continues."""
    X, y, _ = table(60, 3)
    y = (y > 0).astype(int)
    model = AUCClassifier(solver=name, loss=SOLVERS[name].losses[0].name, random_state=0).partial_fit(X, y)
    text = json.dumps(stream_to_json(model))
    refused = 0
    for path in paths(json.loads(text)):
        for value in (None, -1, 1e308, "nan", [], {}, 2**70, True):
            content = json.loads(text)
            parent = content
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]] = value
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                    stream_from_json(content).partial_fit(X, y)
            except ValueError:
                refused += 1
    assert refused > 100


def paths(content, path=()):
    """The keys that lead to each value, of long lists only the first."""
    items = content.items() if isinstance(content, dict) else enumerate(content[:1])
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from paths(value, (*path, key))


def test_a_model_without_a_stream_cannot_be_saved_as_one(table):
    X, y, _ = table(60, 3)
    with pytest.raises(ValueError, match="no stream to save"):
        stream_to_json(AUCClassifier().fit(X, y))
