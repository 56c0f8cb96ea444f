"""Saving and loading models: to the last bit, atomically, and only valid files are loaded."""

import json
import os
from contextlib import suppress

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from aucmax import models
from aucmax.models import Calibration, LinearScorer, ModelFileError, ModelMetadata, SavedModel, model_file
from aucmax.tables import Table, TableEncoder


def linear_model(coef, intercept=0.0, classes=(0, 1), **metadata):
    return SavedModel(ModelMetadata(classes, **metadata), LinearScorer(coef, intercept))


@pytest.fixture
def table():
    return Table({"age": np.array([31.0, np.nan, 50.0]), "town": ["Rome", "Oslo", "Rome"]})


@pytest.fixture
def model(table):
    return linear_model(
        [0.1, -1 / 3, 5e-324, 1.7976931348623157e308],
        -0.0,
        ("no", "yes"),
        encoder=TableEncoder(max_categories=2).fit(table),
        threshold=0.25,
        calibration=Calibration(2.0, -1.0),
        training={"rows": 3, "auc": 0.875, "interval": [0.8, 0.9], "note": "Grüße", "alpha": None},
    )


@pytest.fixture
def path(model, tmp_path):
    models.save(model, tmp_path / "model.json")
    return tmp_path / "model.json"


def test_everything_is_restored(model, path):
    again = models.load(path)
    assert again.to_dict() == model.to_dict()
    assert again.scorer.coef.tobytes() == model.scorer.coef.tobytes()
    assert np.signbit(again.scorer.intercept)
    assert again.metadata.encoder.to_dict() == model.metadata.encoder.to_dict()
    assert again.metadata.feature_names == tuple(model.metadata.encoder.get_feature_names_out())


def test_random_doubles_are_restored(tmp_path):
    bits = np.random.default_rng(0).integers(0, 2**63, size=5000, dtype=np.uint64)
    coef = bits.view(float)[np.isfinite(bits.view(float))]
    models.save(linear_model(coef, 0.1), tmp_path / "model.json")
    assert models.load(tmp_path / "model.json").scorer.coef.tobytes() == coef.tobytes()


def test_the_file_is_plain_json_with_documented_fields(path):
    content = json.loads(path.read_text())
    assert content["format"] == "aucmax-model" and content["version"] == 1
    assert set(content) == {"format", "version", "metadata", "scorer", "checksum"}
    assert set(content["scorer"]) == {"kind", "coef", "intercept"} and content["scorer"]["kind"] == "linear"
    fields = {"encoder", "feature_names", "classes", "threshold", "calibration", "training", "held_out_scores"}
    assert set(content["metadata"]) == fields


def test_a_truncated_file_is_refused(path, tmp_path):
    content, cut = path.read_bytes(), tmp_path / "cut.json"
    for size in range(len(content)):
        cut.write_bytes(content[:size])
        with pytest.raises(ModelFileError, match=r"cut\.json: "):
            models.load(cut)


def test_a_changed_byte_is_refused_or_changes_nothing(model, path, tmp_path):
    content, changed = path.read_bytes(), tmp_path / "changed.json"
    for at in range(len(content)):
        for byte in (content[at] ^ 1, content[at] ^ 4):
            changed.write_bytes(content[:at] + bytes([byte]) + content[at + 1 :])
            with suppress(ModelFileError):
                assert models.load(changed).to_dict() == model.to_dict()


def rewrite(path, change, sign=True):
    """Change the content of a file; with a matching checksum, so that the other checks are reached."""
    content = json.loads(path.read_text())
    content.pop("checksum")
    change(content)
    content["checksum"] = model_file._checksum(content) if sign else "0" * 64
    path.write_text(json.dumps(content))


def test_another_version_is_refused(path):
    rewrite(path, lambda content: content.update(version=2))
    with pytest.raises(ModelFileError, match=r"version 2; .* update aucmax"):
        models.load(path)


def test_a_changed_value_is_refused(path):
    rewrite(path, lambda content: content["scorer"]["coef"].__setitem__(0, 0.2), sign=False)
    with pytest.raises(ModelFileError, match="checksum"):
        models.load(path)


def change_metadata(**values):
    return lambda content: content["metadata"].update(**values)


def change_scorer(**values):
    return lambda content: content["scorer"].update(**values)


DAMAGE = {
    "format": (lambda c: c.update(format="other"), "not an aucmax model"),
    "version": (lambda c: c.update(version=True), "version True"),
    "lacks": (lambda c: c.pop("scorer"), r"lacks the keys \['scorer'\]"),
    "more": (lambda c: c.update(code="import os"), r"unknown keys \['code'\]"),
    "scorer": (lambda c: c.update(scorer=[]), "scorer of the model must be an object"),
    "metadata": (lambda c: c.update(metadata=None), "metadata of the model must be an object"),
    "kind": (change_scorer(kind="forest"), "unknown kind of scorer 'forest'"),
    "kind_type": (change_scorer(kind=["linear"]), "unknown kind"),
    "kind_lacks": (lambda c: c["scorer"].pop("kind"), "unknown kind of scorer None"),
    "coef_lacks": (lambda c: c["scorer"].pop("coef"), r"the scorer lacks the keys \['coef'\]"),
    "coef_string": (change_scorer(coef=["1", 2, 3, 4]), "coef must hold finite numbers"),
    "coef_bool": (change_scorer(coef=[True, 2, 3, 4]), "coef must hold finite numbers"),
    "coef_huge": (change_scorer(coef=[10**400, 2, 3, 4]), "the integer 10+ is too large"),
    "coef_short": (change_scorer(coef=[1.0]), "4 feature names, but the scorer has 1"),
    "coef_nested": (change_scorer(coef=[[1.0]] * 4), "coef must hold"),
    "coef_more": (
        change_scorer(code="import os"),
        r"the scorer lacks the keys \[\] and has the unknown keys \['code'\]",
    ),
    "intercept": (change_scorer(intercept=None), "intercept of the scorer must be a finite number"),
    "names_short": (change_metadata(feature_names=["a"]), "1 feature names"),
    "names_type": (change_metadata(feature_names=[1, 2, 3, 4]), "must hold strings"),
    "columns": (lambda c: c["metadata"]["encoder"]["columns"].pop(), "the encoder gives"),
    "encoder_type": (change_metadata(encoder=[]), "encoder of the metadata"),
    "metadata_more": (change_metadata(code="import os"), r"the metadata .* unknown keys \['code'\]"),
    "threshold": (change_metadata(threshold="0"), "threshold of the metadata must be a finite number or null"),
    "calibration": (change_metadata(calibration={"slope": 1}), r"lacks the keys \['intercept'\]"),
    "training": (change_metadata(training=[]), "training of the metadata must be an object"),
    "target": (
        lambda c: c["metadata"]["training"].update(target=["y"]),
        "target of training must be a string or null",
    ),
    "zero_based": (
        lambda c: c["metadata"]["training"].update(zero_based=0),
        "zero_based of training must be true or false",
    ),
    "classes_one": (change_metadata(classes=["a"]), "two different labels"),
    "classes_same": (change_metadata(classes=["a", "a"]), "two different labels"),
    "classes_mixed": (change_metadata(classes=["a", 1]), "labels of the same type"),
    "classes_null": (change_metadata(classes=[None, 1]), "classes must be strings"),
}


@pytest.mark.parametrize(("change", "message"), DAMAGE.values(), ids=DAMAGE)
def test_every_field_is_validated(path, change, message):
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
            models.save(linear_model([1.0]), path)
        monkeypatch.undo()
        assert path.read_bytes() == before
        assert os.listdir(path.parent) == ["model.json"]


@pytest.mark.parametrize("fact", [float("nan"), np.float64("inf"), object(), np.arange(3)])
def test_training_facts_must_be_plain(tmp_path, fact):
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        models.save(linear_model([1.0], training={"fact": fact}), tmp_path / "model.json")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(
    "wrong", [{"coef": [np.nan]}, {"intercept": np.inf}, {"coef": []}, {"coef": [[1.0]]}], ids=str
)
def test_coefficients_must_be_a_finite_vector(wrong):
    with pytest.raises(ValueError, match="coef"):
        LinearScorer(**{"coef": [1.0], "intercept": 0.0} | wrong)


@pytest.mark.parametrize("wrong", [{"threshold": np.nan}, {"calibration": (np.inf, 0.0)}], ids=str)
def test_thresholds_and_calibrations_must_be_finite(wrong):
    with pytest.raises(ValueError, match="threshold and calibration must be finite"):
        ModelMetadata((0, 1), **wrong)


def test_scores_labels_and_probabilities():
    X = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.5]])
    model = linear_model([1.0, -1.0], 0.5, (-1, 1), calibration=Calibration(2.0, 0.5))
    scores = np.array([1.5, -1.5, 0.5])
    for form in (X, X.astype(np.float32), sparse.csr_array(X), sparse.csr_matrix(X)):
        np.testing.assert_allclose(model.decision_function(form), scores, rtol=1e-15)
    assert model.predict(X).tolist() == [1, -1, 1]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(2 * scores + 0.5), rtol=1e-15)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-15)


def test_classes_of_an_estimator_become_plain():
    assert ModelMetadata(np.array([0, 1])).to_dict()["classes"] == [0, 1]
    assert ModelMetadata(np.array(["a", "b"])).to_dict()["classes"] == ["a", "b"]


def test_the_threshold_itself_is_positive():
    model = linear_model([1.0], 0.0, ("no", "yes"), threshold=2.0)
    assert model.predict(np.array([[2.0], [1.9]])).tolist() == ["yes", "no"]


def test_without_calibration_there_are_no_probabilities():
    with pytest.raises(ValueError, match="not calibrated"):
        linear_model([1.0]).predict_proba(np.eye(1))


def test_wrong_width_is_an_error():
    with pytest.raises(ValueError, match="X has 2 columns, the model has 1"):
        linear_model([1.0]).decision_function(np.eye(2))


def test_columns_are_found_by_name():
    pd = pytest.importorskip("pandas")
    model = linear_model([1.0, 10.0, 100.0], feature_names=["a", "b", "c"])
    frame = pd.DataFrame({"c": [3.0], "more": [9.0], "b": [2.0], "a": [1.0]})
    assert model.decision_function(frame) == [321.0]
    assert model.decision_function(frame[["a", "b", "c"]].to_numpy()) == [321.0]
    assert linear_model(model.scorer.coef).decision_function(frame[["c", "b", "a"]]) == [123.0]
    with pytest.raises(ValueError, match=r"X lacks the columns \['c'\]"):
        model.decision_function(frame[["a", "b"]])


def test_lists_are_scored_and_scores_must_be_finite():
    model = linear_model([1.0, 2.0], calibration=Calibration(1.0, 0.0))
    assert model.predict([[1, 1], [-1, 0]]).tolist() == [1, 0]
    with pytest.raises(ValueError, match="2D array"):
        model.predict([1, 2])
    for method in (model.decision_function, model.predict, model.predict_proba):
        for value in (np.nan, np.inf, 1.7e308):
            with pytest.raises(ValueError, match="score of row 2 is not finite"):
                method([[1.0, 1.0], [value, value]])


def test_features_of_tables_and_matrices(model, table):
    np.testing.assert_array_equal(model.features(table), model.metadata.encoder.transform(table))
    plain = linear_model([1.0, 2.0, 3.0])
    assert plain.features(Table(X=sparse.csr_array(np.eye(2)))).shape == (2, 3)


def test_a_model_is_shown_in_one_line():
    metadata = ModelMetadata(("legit", "fraud"), training={"auc": 0.71890})
    shown = repr(SavedModel(metadata, LinearScorer([1.0, -1.0], 0.5)))
    assert shown == "<SavedModel: LinearScorer of 2 features, 'fraud' above 'legit', cross-validated AUC 0.7189>"
