"""aucmax.save and aucmax.load: every estimator and pipeline scores as before, to the last bit."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aucmax
from aucmax.changepoint import PenaltyRegressor
from aucmax.models import ModelFileError
from aucmax.models.scorer import SCORERS

MODELS = {
    "linear": aucmax.AUCClassifier(),
    "squared hinge": aucmax.AUCClassifier(loss="squared_hinge", l1_ratio=0.5, alpha=0.01),
    "cv": aucmax.AUCClassifierCV(cv=3, random_state=0),
    "kernel": aucmax.KernelAUCClassifier(n_components=20, cv=3, random_state=0),
    "aum": aucmax.AUMClassifier(max_epochs=3, random_state=0),
    "tree": aucmax.AUCTreeClassifier(),
    "contingency": aucmax.ContingencySVMClassifier(max_epochs=50, tol=0.1),
    "scaled": make_pipeline(StandardScaler(), aucmax.AUCClassifierCV(cv=3, random_state=0)),
    "scaled tree": make_pipeline(StandardScaler(with_std=False), aucmax.AUCTreeClassifier()),
}


@pytest.fixture
def frame(table):
    X, y, _ = table(120, 4)
    return pd.DataFrame(X, columns=["age", "income", "debt", "hours"]), np.where(y > 0, "yes", "no")


def reloaded(model, folder):
    aucmax.save(model, folder / "model.json")
    return aucmax.load(folder / "model.json")


def outputs(model, X):
    """Everything that a model says about rows."""
    names = [n for n in ("decision_function", "predict", "predict_proba", "predict_log_proba") if hasattr(model, n)]
    return {name: getattr(model, name)(X) for name in names}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")  # of an array
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_loaded_model_scores_as_before_to_the_last_bit(tmp_path, frame, model, dtype):
    X, y = frame
    X = X.astype(dtype)
    fitted = clone(model).fit(X, y)
    loaded = reloaded(fitted, tmp_path)
    for rows in (X, X[X.columns[::-1]], X.to_numpy()):
        expected = outputs(fitted, X if isinstance(rows, pd.DataFrame) else rows.copy())
        for name, values in expected.items():
            np.testing.assert_array_equal(getattr(loaded, name)(rows), values)
    assert loaded.classes_.tolist() == ["no", "yes"]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("name", ["cv", "kernel", "scaled"])
def test_thresholds_survive(tmp_path, frame, name):
    X, y = frame
    fitted = clone(MODELS[name]).fit(X, y)
    last = fitted[-1] if name == "scaled" else fitted
    loaded = reloaded(fitted, tmp_path)
    for rate in ({"fpr": 0.1}, {"tpr": 0.9}, {"precision": 0.5}, {"fpr": 0.2, "pos_label": "no"}):
        assert loaded.threshold_at(**rate) == last.threshold_at(**rate)
    aucmax.save(fitted, tmp_path / "small.json", held_out_scores=False)
    with pytest.raises(ValueError, match="no held-out scores"):
        aucmax.load(tmp_path / "small.json").threshold_at(fpr=0.1)
    assert (tmp_path / "small.json").stat().st_size < (tmp_path / "model.json").stat().st_size


def test_weights_of_held_out_scores_survive(tmp_path, table):
    X, y, weight = table(200, 4)
    fitted = aucmax.AUCClassifierCV(cv=3, random_state=0).fit(X, y, weight)
    assert reloaded(fitted, tmp_path).threshold_at(fpr=0.1) == fitted.threshold_at(fpr=0.1)


def test_a_sparse_model_scores_sparse_rows(tmp_path, table):
    X, y, _ = table(120, 5)
    rows = sparse.csr_array(X)
    for model in (
        aucmax.AUCClassifierCV(cv=3, random_state=0),
        make_pipeline(StandardScaler(with_mean=False), aucmax.AUCClassifier()),
    ):
        fitted = model.fit(rows, y)
        expected = fitted.decision_function(rows)
        np.testing.assert_array_equal(reloaded(fitted, tmp_path).decision_function(rows), expected)


def mixed_frame(n=150):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 4 == 0
    amount = rng.normal(size=n) + y
    amount[::11] = np.nan
    country = rng.choice(["IT", "NO", "SE"], n)
    return pd.DataFrame({"amount": amount, "country": country, "new": rng.random(n) < 0.5}), y


@pytest.mark.parametrize("steps", [[], [StandardScaler()]], ids=["encoded", "encoded and scaled"])
@pytest.mark.parametrize("last", ["linear", "cv", "tree", "kernel"])
def test_a_pipeline_with_an_encoder_takes_data_frames(tmp_path, steps, last):
    X, y = mixed_frame()
    fitted = make_pipeline(aucmax.TableEncoder(), *map(clone, steps), clone(MODELS[last])).fit(X, y)
    loaded = reloaded(fitted, tmp_path)
    for rows in (X, X[["new", "amount", "country"]]):
        for name, values in outputs(fitted, X).items():
            np.testing.assert_array_equal(getattr(loaded, name)(rows), values)


def test_a_loaded_model_is_saved_again_unchanged(tmp_path, frame):
    loaded = reloaded(clone(MODELS["cv"]).fit(*frame), tmp_path)
    first = (tmp_path / "model.json").read_bytes()
    aucmax.save(loaded, tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == first


def test_a_model_of_the_shell_scores_a_data_frame(folder_with_model):
    model, data = folder_with_model
    frame = pd.read_csv(data)
    loaded = aucmax.load(model)
    scores = pd.read_csv(data.parent / "scores.csv")
    np.testing.assert_array_equal(loaded.decision_function(frame), scores["score"])
    np.testing.assert_array_equal(loaded.predict(frame), scores["prediction"])


@pytest.fixture
def folder_with_model(tmp_path, monkeypatch):
    pytest.importorskip("click")
    from command_line import make_columns, run, write

    monkeypatch.chdir(tmp_path)
    write("data.csv", make_columns())
    run("fit", "data.csv", "--target", "is_fraud", "-o", "model.json", "--no-baseline")
    run("score", "data.csv", "--model", "model.json", "-o", "scores.csv")
    return tmp_path / "model.json", tmp_path / "data.csv"


def test_a_stream_is_saved_for_scoring(tmp_path, table):
    X, y, _ = table(300, 4)
    model = aucmax.AUCClassifier()
    for rows in np.array_split(np.arange(300), 3):
        model.partial_fit(X[rows], y[rows], classes=[-1.0, 1.0])
    loaded = reloaded(model, tmp_path)
    for name, values in outputs(model, X).items():
        np.testing.assert_array_equal(getattr(loaded, name)(X), values)
    assert loaded.threshold_at(fpr=0.1) == model.threshold_at(fpr=0.1)
    assert not hasattr(loaded, "partial_fit")


def test_what_cannot_be_saved_is_refused_with_a_reason(tmp_path, frame):
    X, y = frame
    for model, message in {
        LogisticRegression().fit(X, y): r"LogisticRegression cannot be saved .*'AUCClassifier', .*use pickle",
        make_pipeline(PCA(2), aucmax.AUCClassifier()).fit(X, y): r"a pipeline with \['PCA'\] cannot be saved",
        make_pipeline(aucmax.TableEncoder(), aucmax.AUCClassifier()).fit(X.to_numpy(), y): "fitted to an array",
        PenaltyRegressor(): "PenaltyRegressor",
    }.items():
        with pytest.raises((TypeError, ValueError), match=message):
            aucmax.save(model, tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_an_unfitted_estimator_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        aucmax.save(aucmax.AUCClassifier(), tmp_path / "model.json")


def test_every_kind_of_scorer_is_saved_above(tmp_path, frame):
    kinds = set()
    for model in MODELS.values():
        reloaded(clone(model).fit(*frame), tmp_path)
        kinds.add(json.loads((tmp_path / "model.json").read_text())["scorer"]["kind"])
    in_test_stack = {"ensemble", "stack", "mean"}
    assert kinds == set(SCORERS) - in_test_stack


DAMAGE = {
    "a child before its parent": ("tree", lambda c: c["children"].__setitem__(0, [0, 0]), "after their parent"),
    "a column that is not there": ("tree", lambda c: c["column"].__setitem__(0, 9), "indices of features"),
    "half a column": ("tree", lambda c: c["column"].__setitem__(0, 0.5), "integers"),
    "no thresholds": ("tree", lambda c: c.__setitem__("threshold", []), "shape"),
    "a scale of zero": ("scaled", lambda c: c["scale"].__setitem__(0, 0.0), "positive"),
    "a short mean": ("scaled", lambda c: c["mean"].pop(), "shape"),
    "an unknown kind": ("scaled", lambda c: c["scorer"].__setitem__("kind", "exec"), "unknown kind"),
}


@pytest.mark.parametrize(("name", "damage", "message"), DAMAGE.values(), ids=DAMAGE)
def test_damaged_scorers_are_refused(tmp_path, frame, name, damage, message):
    from aucmax.models.model_file import _checksum

    path = tmp_path / "model.json"
    aucmax.save(clone(MODELS[name]).fit(*frame), path)
    content = json.loads(path.read_text())
    del content["checksum"]
    damage(content["scorer"])
    path.write_text(json.dumps(content | {"checksum": _checksum(content)}))
    with pytest.raises(ModelFileError, match=message):
        aucmax.load(path)


def test_a_pickle_is_not_loaded(tmp_path):
    (tmp_path / "model.json").write_bytes(pickle.dumps(print))
    with pytest.raises(ModelFileError, match="not an aucmax model file"):
        aucmax.load(tmp_path / "model.json")


@pytest.mark.parametrize("digits", ["1" + "0" * 30, "9223372036854775808", "1" * 5000])
def test_integers_that_no_array_holds_are_refused(tmp_path, digits):
    path = tmp_path / "model.json"
    path.write_text('{"format": "aucmax-model", "version": 1, "scorer": ' + digits + "}")
    with pytest.raises(ModelFileError, match=r"model.json: .*the integer \d+ is too large"):
        aucmax.load(path)
