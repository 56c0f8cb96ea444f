"""Kernel models as files, on the command line, and in comparisons."""

import csv
import json

import numpy as np
import pytest
from scipy import sparse

from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.models import KernelScorer, ModelFileError, ModelMetadata, SavedModel, load, save
from aucmax.models.model_file import _checksum


def rings(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < 0.4 * n).astype(int)
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(y > 0, 0.6, 1.4) + 0.35 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def fitted(form=np.asarray, **settings):
    X, y = rings()
    return KernelAUCClassifier(n_components=15, cv=3, random_state=0, **settings).fit(form(X), y)


def as_model(estimator):
    metadata = ModelMetadata((0, 1), calibration=estimator.calibration_)
    return SavedModel(metadata, KernelScorer(estimator.score_))


@pytest.mark.parametrize(
    ("form", "kernel"),
    [
        (np.asarray, "rbf"),
        (np.asarray, ["linear", "laplacian", "ranks"]),
        (sparse.csr_array, ["linear", "rbf"]),
    ],
    ids=["rbf", "several", "csr"],
)
def test_everything_is_restored(tmp_path, form, kernel):
    estimator, (X, _) = fitted(form, kernel=kernel, relevance=True), rings()
    assert len(estimator.score_.terms) > 1  # an average
    save(as_model(estimator), tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.to_dict() == as_model(estimator).to_dict()
    np.testing.assert_array_equal(again.decision_function(X), estimator.decision_function(X))
    np.testing.assert_allclose(again.predict_proba(X), estimator.predict_proba(X), atol=1e-15)


CHANGES = {
    "no terms": (lambda c: c.update(terms=[]), "no terms"),
    "kernel": (lambda c: c["terms"][0].update(kernel="cubic"), "unknown kernel 'cubic'"),
    "gamma": (lambda c: c["terms"][0].update(gamma=0), "gamma of a term must be positive"),
    "weights": (lambda c: c["terms"][0]["weights"].pop(), "weights of a term must have shape"),
    "scale": (lambda c: c["terms"][0]["scale"].__setitem__(0, -1.0), "scale of a term must be positive"),
    "lacking scale": (lambda c: c["terms"][0].update(scale=None), "lacks gamma or scale"),
    "lacking ranks": (lambda c: c["terms"][0].update(ranks=None), "lacks ranks"),
    "string": (lambda c: c["terms"][0]["weights"].__setitem__(0, "1"), "finite numbers"),
    "descending ranks": (lambda c: c["terms"][0]["ranks"]["values"][0].reverse(), "ascending"),
    "ragged landmarks": (lambda c: c["landmarks"]["rows"][0].pop(), "rows of equal length"),
    "no landmarks": (lambda c: c["landmarks"].update(rows=[]), "rows and columns"),
    "other landmarks": (lambda c: c.update(landmarks={"shape": [1, 2]}), "landmarks lacks the keys"),
    "unknown key": (lambda c: c.update(more=1), "unknown"),
}


@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES)
def test_every_field_is_validated(tmp_path, change, message):
    path = tmp_path / "model.json"
    save(as_model(fitted(kernel="ranks")), path)
    content = json.loads(path.read_text())
    del content["checksum"]
    change(content["scorer"])
    path.write_text(json.dumps(content | {"checksum": _checksum(content)}))
    with pytest.raises(ModelFileError, match=message):
        load(path)


SPARSE = {
    "half": (lambda X: X["indices"].__setitem__(0, 0.5), "must be integers"),
    "column": (lambda X: X["indices"].__setitem__(0, 9), "landmarks: .* column indices from 0 to 9"),
    "order": (lambda X: X["indptr"].reverse(), "indptr|index pointer"),
    "shape": (lambda X: X.update(shape=[3]), "must be integers"),
}


@pytest.mark.parametrize(("change", "message"), SPARSE.values(), ids=SPARSE)
def test_sparse_landmarks_are_checked(change, message):
    plain = as_model(fitted(sparse.csr_array, kernel="rbf")).to_dict()
    change(plain["scorer"]["landmarks"])
    with pytest.raises(ValueError, match=message):
        SavedModel.from_dict(plain)


def test_wrong_width_is_an_error():
    with pytest.raises(ValueError, match="X has 3 columns, the model has 2"):
        as_model(fitted(kernel="rbf")).decision_function(np.ones((1, 3)))


@pytest.fixture
def command_line(tmp_path, monkeypatch):
    testing = pytest.importorskip("click.testing")
    from aucmax.cli.group import aucmax

    monkeypatch.chdir(tmp_path)
    X, y = rings(200)
    with open("rings.csv", "w", newline="") as file:
        csv.writer(file).writerows([("a", "b", "inside"), *((*row, int(label)) for row, label in zip(X.tolist(), y))])

    def run(*arguments, code=0):
        result = testing.CliRunner().invoke(aucmax, arguments)
        assert result.exit_code == code, result.output
        return result.output

    return run


def test_command_line_fits_scores_and_evaluates(command_line):
    arguments = ("--target", "inside", "--kernel", "rbf", "--cv", "3", "--threshold-at", "fpr=0.1")
    shown = command_line("fit", "rings.csv", *arguments, "-o", "model.json")
    assert "kernel: rbf" in shown and "AUC204" not in shown
    command_line("score", "rings.csv", "--model", "model.json", "-o", "scores.csv")
    with open("scores.csv") as file:
        scores = [float(line["score"]) for line in csv.DictReader(file)]
    np.testing.assert_allclose(scores, load("model.json").decision_function(rings(200)[0]), atol=1e-12)
    evaluated = json.loads(command_line("evaluate", "rings.csv", "--model", "model.json", "--json"))
    assert evaluated["auc"] > 0.9 and evaluated["fpr"] < 0.2


def test_command_line_refuses_a_kernel_with_a_solver(command_line):
    arguments = ("--target", "inside", "--kernel", "auto", "--solver", "cg", "-o", "model.json")
    assert "--kernel supports the L2 penalty" in command_line("fit", "rings.csv", *arguments, code=2)
