"""The river adapter: river's own checks, features that come and go, labels of all kinds, the models of our own."""

import importlib
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

pytest.importorskip("river")
from river import checks, datasets, evaluate, metrics, preprocessing

from aucmax import AUCClassifier
from aucmax.metrics import roc_auc
from aucmax.river import OnlineAUC
from aucmax.solvers import SOLVERS, Exact

PAGE = Path(__file__).parent.parent.parent / "docs" / "streams.md"
MODELS = [
    OnlineAUC(),
    OnlineAUC(solver="spam", batch_size=10, seed=1),
    OnlineAUC(solver="oam", loss="hinge", batch_size=10),
]
CASES = [(model, check) for model in MODELS for check in checks.yield_checks(model)]


@pytest.mark.parametrize(("model", "check"), CASES, ids=lambda part: getattr(part, "__name__", "model"))
def test_rivers_own_checks(model, check):
    check(model.clone())


def as_rows(X, y):
    """Dictionaries without the zeros, and truth values."""
    return [{f"x{j}": float(x[j]) for j in np.flatnonzero(x)} for x in X], (y > 0).tolist()


def learned(model, rows, labels):
    for x, label in zip(rows, labels, strict=True):
        model.learn_one(x, label)
    return model


@pytest.mark.parametrize("batch_size", [1, 7])
def test_exact_scores_are_those_of_a_fit(table, batch_size):
    """Features that were never there before were zero, whatever the order in which they come."""
    X, y, _ = table(91, 6, unscaled=True)
    rows, labels = as_rows(X, y)
    model = learned(OnlineAUC(batch_size=batch_size), rows, labels)
    expected = AUCClassifier(solver="exact").fit(X, y).decision_function(X)
    np.testing.assert_allclose([model.score_one(x) for x in rows], expected, atol=1e-9)


def test_weights_are_copies(table):
    X, y, _ = table(40, 4)
    rows, labels = as_rows(X, y)
    weighted, copies = OnlineAUC(alpha=0.1), OnlineAUC(alpha=0.1)
    for k, (x, label) in enumerate(zip(rows, labels, strict=True)):
        weighted.learn_one(x, label, w=k % 3)
        for _ in range(k % 3):
            copies.learn_one(x, label)
    assert weighted.score_one(rows[0]) == pytest.approx(copies.score_one(rows[0]), rel=1e-9)


@pytest.mark.parametrize("name", [name for name in SOLVERS if SOLVERS[name].online])
def test_every_online_solver_ranks(table, name):
    X, y, _ = table(600, 6)
    rows, labels = as_rows(X, y)
    model = learned(OnlineAUC(solver=name, loss=SOLVERS[name].losses[0].name, batch_size=20, seed=0), rows, labels)
    best = roc_auc(y, AUCClassifier().fit(X, y).decision_function(X))
    assert roc_auc(y, [model.score_one(x) for x in rows]) > best - 0.03


@pytest.mark.parametrize(
    ("negative", "positive", "pos_label"),
    [(False, True, None), ("ham", "spam", None), (0, 1, None), ("sick", "sane", "sane"), (1, "b", 1)],
)
@pytest.mark.parametrize("first", [0, 1])
def test_positive_is_the_larger_label_or_the_one_named(table, negative, positive, pos_label, first):
    """Whichever label comes first."""
    if pos_label == 1:
        negative, positive = positive, negative
    X, y, _ = table(60, 4)
    order = np.argsort(y != (-1.0 if first == 0 else 1.0), kind="stable")
    order = np.append(order[:5], np.sort(order[5:]))  # five rows of one class, then as they come
    rows, truth = as_rows(X[order], y[order])
    labels = [positive if label else negative for label in truth]
    model = learned(OnlineAUC(pos_label=pos_label), rows, labels)
    assert roc_auc(y[order], [model.score_one(x) for x in rows]) > 0.6
    probability = model.predict_proba_one(rows[0])
    assert set(probability) == {negative, positive}
    assert roc_auc(y[order], [model.predict_proba_one(x)[positive] for x in rows]) > 0.6


def test_one_class_alone_is_likely_and_scores_nothing():
    model = OnlineAUC()
    for _ in range(20):
        model.learn_one({"a": 1.0}, False)
    assert model.score_one({"a": 1.0}) == 0.0
    assert model.predict_proba_one({"a": 1.0})[True] < 0.1
    named = OnlineAUC()
    named.learn_one({"a": 1.0}, "ham")
    assert named.predict_proba_one({"a": 1.0}) == {"ham": 1.0}


def test_a_row_counts_once_its_batch_is_full(table):
    rows, labels = as_rows(*table(30, 4)[:2])
    model = learned(OnlineAUC(batch_size=10), rows[:25], labels[:25])
    before = model.score_one(rows[0])
    learned(model, rows[25:29], labels[25:29])
    assert model.score_one(rows[0]) == before
    model.learn_one(rows[29], labels[29])
    assert model.score_one(rows[0]) != before


def test_frames_are_rows_one_by_one(table):
    rows, labels = as_rows(*table(60, 4)[:2])
    one, many = learned(OnlineAUC(batch_size=8), rows, labels), OnlineAUC(batch_size=8)
    many.learn_many(pd.DataFrame(rows[:33]), pd.Series(labels[:33]))
    many.learn_many(pd.DataFrame(rows[33:]), pd.Series(labels[33:]))
    frame = pd.DataFrame(rows, index=np.arange(100, 160))
    probability = many.predict_proba_many(frame)
    assert list(probability.index) == list(frame.index)
    np.testing.assert_allclose(probability[True], [one.predict_proba_one(x)[True] for x in rows], rtol=1e-12)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (({"a": "Oslo"}, True), "feature 'a' is 'Oslo'; give finite numbers"),
        (({"a": np.nan}, True), "feature 'a' is nan"),
        (({"a": None}, True), "feature 'a' is None"),
        (({"a": 1.0}, "maybe"), "label 'maybe' beside"),
        (({"a": 1.0}, True, -1.0), "w=-1.0; give a finite weight"),
        (({"a": 1e200, "b": 1.0}, True), "squares overflow"),
    ],
)
def test_bad_rows_leave_the_model_as_it_was(row, message):
    model = OnlineAUC()
    for value, label in ((1.0, True), (0.0, False), (2.0, True)):
        model.learn_one({"a": value}, label)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.learn_one(*row)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"solver": "cg"}, AttributeError, "online solvers are"),
        ({"solver": "spm"}, AttributeError, "online solvers are"),
        ({"loss": "cubic"}, ValueError, "unknown loss"),
        ({"alpha": -1.0}, ValueError, "alpha=-1.0"),
        ({"batch_size": 0}, ValueError, "batch_size=0"),
        ({"pos_label": "yes"}, ValueError, "pos_label='yes' is not among"),
    ],
)
def test_bad_settings_get_one_clear_message(settings, error, message):
    model = OnlineAUC(**settings)
    with pytest.raises(error, match=message):
        learned(model, [{"a": 1.0}, {"a": 2.0}], [True, False])


def test_labels_without_an_order_need_a_positive_one():
    with pytest.raises(ValueError, match="name the positive one by pos_label"):
        learned(OnlineAUC(), [{"a": 1.0}, {"a": 2.0}], ["b", 1])


def test_probabilities_are_near_the_true_ones():
    """Two normal classes: the truth is a logistic function of the features."""
    rng = np.random.default_rng(0)
    y = rng.random(4000) < 0.2
    X = rng.normal(size=(4000, 3)) + 0.8 * y[:, None]
    truth = expit(0.8 * (X.sum(axis=1) - 3 * 0.4) + np.log(0.2 / 0.8))
    model, given = OnlineAUC(batch_size=20), []
    for x, label in zip(X.tolist(), y.tolist()):
        row = dict(enumerate(x))
        given.append(model.predict_proba_one(row)[True])
        model.learn_one(row, label)
    assert np.abs(np.array(given) - truth)[1000:].mean() < 0.03


def test_forgetting_solver_follows_a_stream_that_turns_round(table):
    X, y, _ = table(1200, 4)
    rows, labels = as_rows(X, np.where(np.arange(1200) < 700, y, -y))
    model = learned(OnlineAUC(solver=Exact(forgetting=0.99), batch_size=10), rows, labels)
    assert roc_auc(-y, [model.score_one(x) for x in rows]) > 0.7


def test_nests_in_a_pipeline_and_is_judged_by_river():
    model = preprocessing.StandardScaler() | OnlineAUC(batch_size=25)
    score = evaluate.progressive_val_score(datasets.Phishing().take(600), model, metrics.ROCAUC())
    assert score.get() > 0.9


def test_a_row_without_features_counts_for_the_classes_alone():
    model = OnlineAUC()
    model.learn_one({}, True)
    assert model.predict_proba_one({})[True] > 0.5


def test_without_river_the_extra_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "aucmax.river")
    monkeypatch.setitem(sys.modules, "river", None)
    with pytest.raises(ImportError, match=r"pip install 'aucmax\[river\]'"):
        importlib.import_module("aucmax.river")


def test_the_example_of_the_page_runs():
    scope = {}
    exec(re.search(r"```python\n(from river.*?)```", PAGE.read_text(), re.DOTALL)[1], scope)
    assert scope["score"].get() > 0.9
