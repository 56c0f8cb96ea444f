"""Models out and in: to the last bit, whole or not at all, and nothing but a sound file is loaded."""

import json
import os
from contextlib import suppress

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from aucmax import AUCClassifier, models
from aucmax.models import LinearModel, ModelFileError, storage
from aucmax.models.model import Calibration
from aucmax.tables import Columns, Table
from aucmax.tables.table import TEXT


@pytest.fixture
def table():
    return Table({"age": np.array([31.0, np.nan, 50.0]), "town": np.array(["Rome", "Oslo", "Rome"], dtype=TEXT)})


@pytest.fixture
def model(table):
    return LinearModel(
        coef=[0.1, -1 / 3, 5e-324, 1.7976931348623157e308],
        intercept=-0.0,
        classes=("no", "yes"),
        columns=Columns.learn(table, max_categories=2),
        threshold=0.25,
        calibration=Calibration(2.0, -1.0),
        training={"rows": 3, "auc": 0.875, "interval": [0.8, 0.9], "note": "Grüße", "alpha": None},
    )


@pytest.fixture
def path(model, tmp_path):
    models.save(model, tmp_path / "model.json")
    return tmp_path / "model.json"


def test_everything_comes_back(model, path):
    again = models.load(path)
    assert again.to_dict() == model.to_dict()
    assert again.coef.tobytes() == model.coef.tobytes()
    assert np.signbit(again.intercept)
    assert again.columns == model.columns and again.feature_names == model.columns.names


def test_random_doubles_come_back(tmp_path):
    bits = np.random.default_rng(0).integers(0, 2**63, size=5000, dtype=np.uint64)
    coef = bits.view(float)[np.isfinite(bits.view(float))]
    models.save(LinearModel(coef, 0.1, (0, 1)), tmp_path / "model.json")
    assert models.load(tmp_path / "model.json").coef.tobytes() == coef.tobytes()


def test_the_file_is_plain_json_of_the_promised_parts(path):
    content = json.loads(path.read_text())
    assert content["format"] == "aucmax-model" and content["version"] == 1 and content["kind"] == "linear"
    parts = {"columns", "feature_names", "classes", "coef", "intercept", "threshold", "calibration", "training"}
    assert set(content) == parts | {"format", "version", "kind", "checksum"}


def test_a_file_cut_off_anywhere_is_refused(path, tmp_path):
    whole, cut = path.read_bytes(), tmp_path / "cut.json"
    for size in range(len(whole)):
        cut.write_bytes(whole[:size])
        with pytest.raises(ModelFileError, match=r"cut\.json: "):
            models.load(cut)


def test_a_changed_byte_is_refused_or_changes_nothing(model, path, tmp_path):
    whole, changed = path.read_bytes(), tmp_path / "changed.json"
    for at in range(len(whole)):
        for byte in (whole[at] ^ 1, whole[at] ^ 4):
            changed.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
            with suppress(ModelFileError):
                assert models.load(changed).to_dict() == model.to_dict()


def rewrite(path, change, sign=True):
    """Change the content of a file; with a checksum that agrees, so that the other checks are met."""
    content = json.loads(path.read_text())
    content.pop("checksum")
    change(content)
    content["checksum"] = storage._checksum(content) if sign else "0" * 64
    path.write_text(json.dumps(content))


def test_another_version_is_refused(path):
    rewrite(path, lambda content: content.update(version=2))
    with pytest.raises(ModelFileError, match=r"version 2 .* update aucmax"):
        models.load(path)


def test_a_changed_value_is_refused(path):
    rewrite(path, lambda content: content["coef"].__setitem__(0, 0.2), sign=False)
    with pytest.raises(ModelFileError, match="checksum"):
        models.load(path)


DAMAGE = {
    "format": (lambda c: c.update(format="other"), "not an aucmax model"),
    "version": (lambda c: c.update(version=True), "version True"),
    "kind": (lambda c: c.update(kind="forest"), "unknown kind of model 'forest'"),
    "kind_type": (lambda c: c.update(kind=["linear"]), "unknown kind"),
    "lacks": (lambda c: c.pop("coef"), r"lacks \['coef'\]"),
    "more": (lambda c: c.update(code="import os"), r"unknown \['code'\]"),
    "coef_text": (lambda c: c.update(coef=["1", 2, 3, 4]), "coef must hold finite numbers"),
    "coef_bool": (lambda c: c.update(coef=[True, 2, 3, 4]), "coef must hold finite numbers"),
    "coef_huge": (lambda c: c.update(coef=[10**400, 2, 3, 4]), "coef must hold finite numbers"),
    "coef_short": (lambda c: c.update(coef=[1.0]), "but 1 coefficients"),
    "coef_nested": (lambda c: c.update(coef=[[1.0]] * 4), "coef must hold"),
    "names_short": (lambda c: c.update(feature_names=["a"]), "1 feature names"),
    "names_type": (lambda c: c.update(feature_names=[1, 2, 3, 4]), "must hold texts"),
    "columns": (lambda c: c["columns"]["columns"].pop(), "the columns give"),
    "columns_type": (lambda c: c.update(columns=[]), "columns of the model"),
    "intercept": (lambda c: c.update(intercept=None), "intercept of the model must be a finite number"),
    "threshold": (lambda c: c.update(threshold="0"), "threshold of the model must be a finite number or null"),
    "calibration": (lambda c: c.update(calibration={"slope": 1}), r"lacks \['intercept'\]"),
    "training": (lambda c: c.update(training=[]), "training of the model must be an object"),
    "target": (lambda c: c["training"].update(target=["y"]), "target of training must be a text or null"),
    "zero_based": (lambda c: c["training"].update(zero_based=0), "zero_based of training must be true or false"),
    "classes_one": (lambda c: c.update(classes=["a"]), "two labels"),
    "classes_same": (lambda c: c.update(classes=["a", "a"]), "two labels"),
    "classes_mixed": (lambda c: c.update(classes=["a", 1]), "two labels of one type"),
    "classes_null": (lambda c: c.update(classes=[None, 1]), "classes must be texts"),
}


@pytest.mark.parametrize(("change", "message"), DAMAGE.values(), ids=DAMAGE)
def test_every_part_is_checked(path, change, message):
    rewrite(path, change)
    with pytest.raises(ModelFileError, match=message):
        models.load(path)


TEXTS = {
    "empty": b"",
    "list": b"[]",
    "nan": b'{"format": NaN}',
    "repeated": b'{"format": 1, "format": 2}',
    "not_utf8": b'{"format": "\xff"}',
    "deep": b"[" * 100_000,
    "long_number": b"1" * 10_000,
    "pickle": b"\x80\x04K\x01.",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_other_files_are_refused(tmp_path, text):
    (tmp_path / "other.json").write_bytes(text)
    with pytest.raises(ModelFileError):
        models.load(tmp_path / "other.json")


def test_a_failed_write_leaves_the_old_file_alone(model, path, monkeypatch):
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    for step in ("fsync", "replace"):
        monkeypatch.setattr(os, step, fail)
        with pytest.raises(OSError, match="disk full"):
            models.save(LinearModel([1.0], 0.0, (0, 1)), path)
        monkeypatch.undo()
        assert path.read_bytes() == before
        assert os.listdir(path.parent) == ["model.json"]


@pytest.mark.parametrize("fact", [float("nan"), np.float64("inf"), object(), np.arange(3)])
def test_training_facts_must_be_plain(tmp_path, fact):
    with pytest.raises(TypeError, match="what JSON cannot"):
        models.save(LinearModel([1.0], 0.0, (0, 1), training={"fact": fact}), tmp_path / "model.json")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(
    "wrong", [{"coef": [np.nan]}, {"intercept": np.inf}, {"coef": []}, {"coef": [[1.0]]}], ids=str
)
def test_models_must_be_finite_vectors(wrong):
    with pytest.raises(ValueError, match="coef"):
        LinearModel(**{"coef": [1.0], "intercept": 0.0, "classes": (0, 1)} | wrong)


def test_scores_labels_and_probabilities():
    X = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.5]])
    model = LinearModel([1.0, -1.0], 0.5, (-1, 1), calibration=Calibration(2.0, 0.5))
    scores = np.array([1.5, -1.5, 0.5])
    for form in (X, X.astype(np.float32), sparse.csr_array(X), sparse.csr_matrix(X)):
        np.testing.assert_allclose(model.decision_function(form), scores, rtol=1e-15)
    assert model.predict(X).tolist() == [1, -1, 1]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(2 * scores + 0.5), rtol=1e-15)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-15)


def test_classes_of_an_estimator_become_plain():
    assert LinearModel([1.0], 0.0, np.array([0, 1])).to_dict()["classes"] == [0, 1]
    assert LinearModel([1.0], 0.0, np.array(["a", "b"])).to_dict()["classes"] == ["a", "b"]


def test_the_threshold_itself_is_positive():
    model = LinearModel([1.0], 0.0, ("no", "yes"), threshold=2.0)
    assert model.predict(np.array([[2.0], [1.9]])).tolist() == ["yes", "no"]


def test_without_calibration_there_are_no_probabilities():
    with pytest.raises(ValueError, match="not calibrated"):
        LinearModel([1.0], 0.0, (0, 1)).predict_proba(np.eye(1))


def test_wrong_width_is_an_error():
    with pytest.raises(ValueError, match="X has 2 columns, the model has 1"):
        LinearModel([1.0], 0.0, (0, 1)).decision_function(np.eye(2))


def test_columns_are_found_by_name():
    pd = pytest.importorskip("pandas")
    model = LinearModel([1.0, 10.0, 100.0], 0.0, (0, 1), feature_names=["a", "b", "c"])
    frame = pd.DataFrame({"c": [3.0], "more": [9.0], "b": [2.0], "a": [1.0]})
    assert model.decision_function(frame) == [321.0]
    assert model.decision_function(frame[["a", "b", "c"]].to_numpy()) == [321.0]
    assert LinearModel(model.coef, 0.0, (0, 1)).decision_function(frame[["c", "b", "a"]]) == [123.0]
    with pytest.raises(ValueError, match=r"X lacks the columns \['c'\]"):
        model.decision_function(frame[["a", "b"]])


def test_lists_are_rows_and_rows_without_a_score_are_refused():
    model = LinearModel([1.0, 2.0], 0.0, (0, 1), calibration=Calibration(1.0, 0.0))
    assert model.predict([[1, 1], [-1, 0]]).tolist() == [1, 0]
    with pytest.raises(ValueError, match="2D array"):
        model.predict([1, 2])
    for method in (model.decision_function, model.predict, model.predict_proba):
        for value in (np.nan, np.inf, 1.7e308):
            with pytest.raises(ValueError, match="score of row 2 is not finite"):
                method([[1.0, 1.0], [value, value]])


def test_only_models_are_saved(tmp_path):
    with pytest.raises(TypeError, match=r"AUCClassifier is no model to save; .* LinearModel\(it\.coef_"):
        models.save(AUCClassifier(), tmp_path / "model.json")


def test_features_of_tables_and_matrices(model, table):
    np.testing.assert_array_equal(model.features(table), model.columns.encode(table))
    plain = LinearModel([1.0, 2.0, 3.0], 0.0, (0, 1))
    assert plain.features(Table(X=sparse.csr_array(np.eye(2)))).shape == (2, 3)
