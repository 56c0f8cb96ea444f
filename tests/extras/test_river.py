"""The river adapter: river's own checks, features that come and go, labels of all kinds, the models of our own."""

import importlib
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit

pytest.importorskip("river")
from river import checks, datasets, evaluate, metrics, preprocessing

from aucmax import AUCClassifier
from aucmax.metrics import roc_auc
from aucmax.river import OnlineAUC
from aucmax.solvers import SOLVERS, SPAM, Exact

PAGE = Path(__file__).parents[2] / "docs" / "streams.md"
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
    """Dictionaries without the zeros, and booleans."""
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
    expected = AUCClassifier(decision="balanced", solver="exact").fit(X, y).decision_function(X)
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


def test_empty_cells_of_any_kind_of_frame_are_missing_features():
    columns = {"a": [1, None, 3, 0, None, 2], "b": [0.5, 1.0, None, 2.0, 3.0, 1.0]}
    labels = [True, False, True, False, False, True]
    cells = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    rows = [{name: cell for name, cell in row.items() if cell is not None} for row in cells]
    one = learned(OnlineAUC(), rows, labels)
    for frame in (pd.DataFrame(columns), pd.DataFrame(columns).astype({"a": "Int64"}), pl.DataFrame(columns)):
        model = OnlineAUC()
        model.learn_many(frame, labels)
        assert model.score_one({"a": 1.0, "b": 2.0}) == one.score_one({"a": 1.0, "b": 2.0})
        expected = [one.predict_proba_one(x)[True] for x in rows]
        np.testing.assert_array_equal(model.predict_proba_many(frame)[True], expected)


@pytest.mark.parametrize("batch_size", [1, 3, 10])
@pytest.mark.parametrize(
    ("frame", "labels", "message"),
    [
        (pd.DataFrame({"a": [1.0, 2.0, 1e200]}), [True, False, True], "squares overflow"),
        (pd.DataFrame({"b": [1.0, 2.0, 3.0]}), [True, False, "x"], "label 'x' beside"),
        (pd.DataFrame({"a": [1.0, 2.0, 3.0]}), [True, False], "3 rows and 2 labels"),
        (np.ones((3, 1)), [True, False, True], "type ndarray; give a pandas or polars frame"),
    ],
)
def test_a_frame_with_a_bad_row_is_refused_whole(frame, labels, message, batch_size):
    model = learned(OnlineAUC(batch_size=batch_size), [{"a": 1.0}, {"a": 0.0}], [True, False])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.learn_many(frame, labels)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (({"a": "Oslo"}, True), "feature 'a' is 'Oslo'; give finite numbers"),
        (({"a": np.nan}, True), "feature 'a' is nan"),
        (({"a": None}, True), "feature 'a' is None"),
        (({"a": 1.0}, "maybe"), "label 'maybe' beside"),
        (({"a": 1.0}, None), "label None; drop the rows without a label"),
        (({"a": 1.0}, np.nan), "label nan; drop"),
        (({"a": 1.0}, True, -1.0), "w is -1; give 0, or a number from 1e-100"),
        (({"a": 1.0}, True, "2"), "w has values that are not real numbers"),
        (({"a": 1e200, "b": 1.0}, True), "squares overflow"),
        (({"a": 10**400}, True), "give finite numbers"),
    ],
)
@pytest.mark.parametrize("batch_size", [1, 2, 4, 9])
def test_bad_rows_leave_the_model_as_it_was(row, message, batch_size):
    """The rows that wait among it."""
    model = learned(OnlineAUC(batch_size=batch_size), [{"a": 1.0}, {"a": 0.0}, {"a": 2.0}], [True, False, True])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.learn_one(*row)
    assert pickle.dumps(model) == before


def test_the_label_of_a_refused_row_is_not_kept():
    model = OnlineAUC()
    with pytest.raises(ValueError, match="squares overflow"):
        model.learn_one({"a": 1e200}, "x")
    learned(model, [{"a": 0.0}, {"a": 1.0}], [False, True])
    assert model.score_one({"a": 1.0}) > 0.0


def test_a_batch_that_fails_leaves_the_rows_that_wait(monkeypatch):
    model = learned(OnlineAUC(batch_size=3, pos_label="b"), [{"a": 1.0}, {"c": 2.0}], ["b", "b"])
    before = pickle.dumps(model)
    with monkeypatch.context() as patch, pytest.raises(ValueError, match="diverged"):
        patch.setattr(Exact, "epoch", lambda *args: (_ for _ in ()).throw(ValueError("diverged")))
        model.learn_one({"d": 1.0}, "a")
    assert pickle.dumps(model) == before
    model.learn_one({"d": 1.0}, "a")
    assert model.score_one({"d": 1.0}) < 0.0 < model.score_one({"a": 1.0})


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"solver": "cg"}, ValueError, "solver='cg' does not learn from streams .*'spam'"),
        ({"solver": "spm"}, ValueError, "unknown solver 'spm'"),
        ({"loss": "cubic"}, ValueError, "loss='cubic'; give one of"),
        ({"alpha": -1.0}, ValueError, "alpha=-1.0"),
        ({"batch_size": 0}, ValueError, "batch_size=0"),
        ({"batch_size": 1.5}, ValueError, "batch_size=1.5; give an integer of 1 or more"),
        ({"batch_size": "5"}, ValueError, "batch_size='5'; give an integer of 1 or more"),
        ({"seed": "x"}, ValueError, "'x' cannot be used to seed"),
        ({"solver": "opauc", "l1_ratio": 0.5}, ValueError, "OPAUC supports the penalties"),
        ({"solver": SPAM(step=-1.0)}, ValueError, "step=-1.0"),
        ({"solver": Exact(forgetting=2.0)}, ValueError, "forgetting=2.0"),
        ({"loss": "logistic"}, ValueError, "solver='auto' does not learn from streams .*; choose another loss"),
        ({"loss": "aum"}, ValueError, "loss='aum'; choose another loss"),
    ],
)
def test_bad_settings_are_refused_with_the_first_row(settings, error, message):
    model = OnlineAUC(**{"batch_size": 50, **settings})
    before = pickle.dumps(model)
    with pytest.raises(error, match=message):
        model.learn_one({"a": 1.0}, True)
    assert pickle.dumps(model) == before


def test_a_positive_label_that_does_not_come_is_named():
    with pytest.raises(ValueError, match="pos_label='yes' is not among"):
        learned(OnlineAUC(pos_label="yes"), [{"a": 1.0}, {"a": 2.0}], [True, False])


def test_labels_without_an_order_need_a_positive_one():
    with pytest.raises(ValueError, match="pass the positive one as pos_label"):
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
    with pytest.raises(ImportError, match=r"pip install '.\[river\]'"):
        importlib.import_module("aucmax.river")


def test_the_example_of_the_page_runs():
    scope = {}
    exec(re.search(r"```python\n(from river.*?)```", PAGE.read_text(), re.DOTALL)[1], scope)
    assert scope["score"].get() > 0.9
