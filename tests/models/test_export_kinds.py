"""Every kind of score in every format: it is exported and gives the same scores, or it is refused in one sentence."""

from pathlib import Path

import numpy as np
import pytest
from command_line import run
from sklearn.ensemble import ExtraTreesClassifier
from sqlite_exports import run_query

import aucmax
from aucmax.kernels.functions import Coordinates
from aucmax.kernels.nystroem import KernelScore, Term
from aucmax.models import (
    EnsembleScorer,
    ExportError,
    KernelScorer,
    LinearScorer,
    MeanScorer,
    ModelMetadata,
    SavedModel,
    ScaledScorer,
    StackScorer,
    export,
    save,
    saved_model,
)
from aucmax.models.exports import FORMATS
from aucmax.models.scorer import SCORERS
from aucmax.selection.blending import Blend

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] + RNG.normal(size=40) > 0
LINEAR = LinearScorer([1.0, -2.0], 0.5)
KERNEL = KernelScorer(
    KernelScore(X[:3], (Term("rbf", np.array([1.0, -2.0, 3.0]), 0.5, Coordinates(np.array([1.0, 2.0]))),), -0.25)
)
FOREST = EnsembleScorer.of(ExtraTreesClassifier(5, random_state=0).fit(X, Y))
TREE = saved_model(aucmax.AUCTreeClassifier().fit(X, Y)).scorer
STUMP = saved_model(aucmax.AUCTreeClassifier().fit(np.zeros((40, 2)), Y)).scorer


def stack(*members):
    m = len(members)
    return StackScorer(members, Blend(np.arange(m) - 0.5, 1.0 + np.arange(m), np.full(m, 1.0 / m)), 0.75)


EXPORTED = {
    "linear": LINEAR,
    "kernel": KERNEL,
    "tree": TREE,
    "tree without a split": STUMP,
    "scaled": ScaledScorer(np.array([0.5, 1.0]), np.array([2.0, 4.0]), LINEAR),
    "stack of linear models": stack(LINEAR, LinearScorer([0.0, 1.0], 0.0)),
    "stack of one kernel model": stack(KERNEL),
    "stack of a kernel model and folds": stack(KERNEL, MeanScorer((LINEAR, stack(LINEAR)))),
    "scaled stack": ScaledScorer(None, np.array([2.0, 4.0]), stack(LINEAR, KERNEL)),
    "mean": MeanScorer((LINEAR, LINEAR, KERNEL)),
}
REFUSED = {
    "ensemble": (FOREST, "'ensemble', with a forest or boosting"),
    "stack of a forest": (stack(KERNEL, FOREST), "'stack', with a forest or boosting"),
    "stack of kernel models": (stack(KERNEL, KERNEL), "'stack', with several kernel models"),
    "folds of forests in a stack": (
        stack(LINEAR, MeanScorer((FOREST, FOREST))),
        "'stack', with a forest or boosting",
    ),
    "mean of trees": (MeanScorer((TREE, TREE)), "'mean', with a tree"),
}


def model_of(scorer):
    return SavedModel(ModelMetadata((0, 1)), scorer)


def test_every_kind_of_scorer_is_here():
    assert {scorer.kind for scorer in [*EXPORTED.values(), *(scorer for scorer, _ in REFUSED.values())]} == {*SCORERS}


@pytest.mark.parametrize("kind", EXPORTED)
def test_scores_in_sql_are_the_same(kind, tmp_path):
    export(model_of(EXPORTED[kind]), tmp_path / "model.sql", to="sql")
    found = run_query(tmp_path / "model.sql", "data", {"x0": X[:, 0].tolist(), "x1": X[:, 1].tolist()})["score"]
    np.testing.assert_allclose(found, EXPORTED[kind](X), rtol=0, atol=1e-13)  # sums in another order


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("kind", EXPORTED)
def test_it_is_written_in_every_format(kind, to, tmp_path):
    if to == "onnx":
        pytest.importorskip("onnx")
    export(model_of(EXPORTED[kind]), tmp_path / "exported", to=to)
    assert (tmp_path / "exported").stat().st_size


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_single_expression_is_refused_with_what_to_do_instead(kind, to, tmp_path):
    scorer, name = REFUSED[kind]
    instead = "score rows with `aucmax score`, or with aucmax.load in Python"
    with pytest.raises(ExportError) as refused:
        export(model_of(scorer), tmp_path / "exported", to=to)
    assert str(refused.value) == f"a model of kind {name} in it, cannot be written as one expression; {instead}"
    assert not (tmp_path / "exported").exists()


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize(
    "names, message", [(["a", "a"], "several columns are named 'a'"), (["a", "\ud800"], "not valid Unicode")]
)
def test_names_that_no_format_can_hold_are_refused(names, message, to, tmp_path):
    model = SavedModel(ModelMetadata((0, 1), feature_names=names), LINEAR)
    with pytest.raises(ExportError, match=message):
        export(model, tmp_path / "exported", to=to)
    assert not (tmp_path / "exported").exists()


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"to='c'; give one of"):
        export(model_of(LINEAR), tmp_path / "model.c", to="c")


@pytest.mark.parametrize("to", FORMATS)
def test_a_refused_export_leaves_the_file_that_was_there(to, tmp_path):
    (tmp_path / "exported").write_text("before")
    with pytest.raises(ExportError):
        export(model_of(FOREST), tmp_path / "exported", to=to)
    assert [path.name for path in tmp_path.iterdir()] == ["exported"]
    assert (tmp_path / "exported").read_text() == "before"


@pytest.mark.parametrize("to", FORMATS)
def test_the_shell_says_so_in_one_line(to, tmp_path, monkeypatch):
    pytest.importorskip("click")
    monkeypatch.chdir(tmp_path)
    save(model_of(stack(KERNEL, FOREST)), "model.json")
    error = run("export", "model.json", "--to", to, "-o", "exported", code=1).stderr
    assert error.startswith("error: a model of kind 'stack', with a forest or boosting in it, cannot be written")
    assert not Path("exported").exists()
