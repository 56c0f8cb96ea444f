"""A fit to files is the fit in memory, with the same folds."""

import os
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from nameless_files import kept_bytes
from scale.events import fit_in_memory, make_events, write_parquet
from sklearn.model_selection import StratifiedKFold

import aucmax
from aucmax import AUCClassifier, AUCClassifierCV, AUCTreeClassifier
from aucmax.metrics import auc_influence, auc_interval, roc_auc
from aucmax.scale import LocalEngine, Source, evaluate, fit
from aucmax.scale import source as sources
from aucmax.selection import choice
from aucmax.solvers import SOLVERS

SETTINGS = {"target": "y", "pos_label": "fraud", "drop": ["w", "g"]}
SMALL_CHUNKS = {"memory": "500KB", "engine": LocalEngine(1)}  # of about 300 rows


@pytest.fixture
def events(tmp_path):
    table = make_events()
    return table, write_parquet(table, tmp_path)


def assert_same_path(model, expected, tolerance=1e-10):
    np.testing.assert_allclose(model.alphas_, expected.alphas_, rtol=1e-10)
    np.testing.assert_allclose(model.cv_auc_, expected.cv_auc_, atol=tolerance)
    assert model.alpha_ == pytest.approx(expected.alpha_, rel=1e-10)
    assert model.loss_ == expected.loss_
    assert_same_weights(model, expected, tolerance)
    np.testing.assert_allclose(model.oof_scores_, expected.oof_scores_, atol=100 * tolerance)


def assert_same_weights(model, expected, tolerance=1e-10):
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=100 * tolerance)


# the iterative solvers stop at a gap of 1e-6 of the objective, where other roundings may end a step earlier
LOSSES = {"squared": 1e-10, "logistic": 1e-7, "squared_hinge": 1e-7, "exponential": 1e-7, "hinge": 1e-5}


@pytest.mark.parametrize("loss", LOSSES)
def test_the_weights_are_those_of_memory(events, loss):
    table, files = events
    estimator = AUCClassifier(0.1, loss=loss)
    model = fit(files, estimator, **SETTINGS, **SMALL_CHUNKS)[-1]
    expected = fit_in_memory(estimator, table)
    assert_same_weights(model, expected, LOSSES[loss])
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-6)
    assert model.solver_ == expected.solver_


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"alpha": 0.1, "l1_ratio": 0.5},
        {"decision": "balanced"},
        {"standardize": False},
        {"class_weight": {"fine": 1.0, "fraud": 7.0}},
        {"class_weight": "balanced"},
        {"solver": "cg"},
    ],
    ids=str,
)
def test_a_fit_with_weights_is_that_of_memory(events, settings):
    table, files = events
    estimator = AUCClassifier(**settings)
    model = fit(files, estimator, target="y", pos_label="fraud", weight="w", drop=["g"], **SMALL_CHUNKS)[-1]
    expected = fit_in_memory(estimator, table, weight="w")
    assert_same_weights(model, expected, 1e-8 if "solver" in settings or "l1_ratio" in settings else 1e-10)
    assert model.alpha_ == pytest.approx(expected.alpha_, rel=1e-12)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"loss": "squared"},
        {"loss": "squared", "l1_ratio": 0.5, "alphas": [0.1, 0.01]},
        {"loss": ["squared", "squared_hinge"], "alphas": [0.1, 0.01]},
        {"loss": "squared", "cv": 3, "choice": "one_se"},
        {"loss": "squared", "cv": StratifiedKFold(4)},
        {"loss": "squared", "decision": "probability"},
        {"loss": "squared", "decision": "balanced", "standardize": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("weight", [None, "w"])
def test_the_path_and_its_folds_are_those_of_memory(events, settings, weight):
    table, files = events
    estimator = AUCClassifierCV(**settings, random_state=3)
    options = SETTINGS | {"weight": weight, "drop": ["g"] if weight else ["w", "g"]}
    model = fit(files, estimator, **options, **SMALL_CHUNKS)[-1]
    expected = fit_in_memory(estimator, table, weight=weight)
    assert_same_path(model, expected, 1e-7 if model.loss_ != "squared" or "l1_ratio" in settings else 1e-10)
    np.testing.assert_allclose(model.oof_interval_, expected.oof_interval_, rtol=1e-9)


def test_auto_chooses_the_loss_of_memory(events, monkeypatch):
    table, files = events
    monkeypatch.setattr(choice, "AUTO", ("squared", "logistic"))
    estimator = AUCClassifierCV(random_state=0)
    model = fit(files, estimator, **SETTINGS)[-1]
    assert model.loss_ == "logistic"
    assert_same_path(model, fit_in_memory(estimator, table), 1e-7)


def as_numbers(groups):
    return pa.array([None if group is None else int(group[1:]) for group in groups.to_pylist()])


@pytest.mark.parametrize("kind", ["strings", "numbers"])
@pytest.mark.parametrize("missing", [False, True])
def test_groups_give_the_folds_of_memory(tmp_path, kind, missing):
    """Rows without a group are a group, which comes before the others."""
    table = make_events()
    groups = table.column("g").to_pylist()
    if missing:
        groups[5::50] = [None] * len(groups[5::50])
    groups = pa.array(groups) if kind == "strings" else as_numbers(pa.array(groups))
    table = table.set_column(table.column_names.index("g"), "g", groups)
    files = write_parquet(table, tmp_path)
    estimator = AUCClassifierCV(loss="squared", random_state=0)
    model = fit(files, estimator, target="y", pos_label="fraud", groups="g", drop=["w"], **SMALL_CHUNKS)[-1]
    filled = np.array(groups.fill_null("" if kind == "strings" else -1).to_pylist())
    assert_same_path(model, fit_in_memory(estimator, table, groups=filled))


def test_groups_that_are_numbers_in_one_file_and_strings_in_another(tmp_path):
    table = make_events(1000)
    parts = [table.slice(0, 500), table.slice(500)]
    numbers = as_numbers(parts[1].column("g"))
    parts[1] = parts[1].set_column(table.column_names.index("g"), "g", numbers)
    for k, part in enumerate(parts):
        pq.write_table(part, tmp_path / f"{k}.parquet")
    estimator = AUCClassifierCV(loss="squared", random_state=0)
    model = fit(str(tmp_path / "*.parquet"), estimator, **SETTINGS | {"drop": ["w"], "groups": "g"})[-1]
    groups = np.array(parts[0].column("g").to_pylist() + [str(number) for number in numbers.to_pylist()])
    assert_same_path(model, fit_in_memory(estimator, table, groups=groups))


def bits_of(model):
    return model.coef_.tobytes(), model.cv_auc_.tobytes(), model.oof_interval_


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_the_same_chunks_give_the_same_bits_whatever_the_threads(events, loss):
    _, files = events
    estimator = AUCClassifierCV([0.1, 0.01], loss=loss, random_state=0)
    fits = [bits_of(fit(files, estimator, engine=LocalEngine(k), **SETTINGS)[-1]) for k in (1, 2, 5)]
    assert fits[0] == fits[1] == fits[2]


def test_partitions_do_not_matter_but_for_rounding(events, monkeypatch):
    table, files = events
    estimator = AUCClassifierCV(loss="squared", random_state=3)
    in_one_part = fit(table, estimator, **SETTINGS)[-1]
    monkeypatch.setattr(sources, "PARTITION_ROWS", 300)
    assert len(Source.of(files)) == 9
    assert_same_path(fit(files, estimator, **SETTINGS)[-1], in_one_part)


def test_columns_of_numbers_are_used_as_they_are(events, tmp_path):
    table, _ = events
    numbers = table.select(["amount", "x", "w", "y"])
    files = write_parquet(numbers, tmp_path)
    estimator = AUCClassifierCV(loss="squared", random_state=0)
    model = fit(files, estimator, target="y", pos_label="fraud", weight="w", encode=False)
    assert_same_path(model, fit_in_memory(estimator, numbers, weight="w"))
    assert model.feature_names_in_.tolist() == ["amount", "x"]
    with pytest.raises(ValueError, match="column 'town' does not hold numbers; let the columns be encoded"):
        fit(table, estimator, target="y", pos_label="fraud", encode=False)


@pytest.mark.parametrize("weight", [None, "w"])
def test_evaluate_is_exact(events, weight):
    table, files = events
    model = fit(files, AUCClassifierCV(loss="squared", random_state=0), **SETTINGS)
    interval = evaluate(files, model, target="y", weight=weight, **SMALL_CHUNKS)
    scores = model.decision_function(table)
    is_pos = np.array(table.column("y").to_pylist()) == "fraud"
    if weight is None:
        assert interval == auc_interval(is_pos, scores)
        return
    weights = table.column("w").to_numpy()
    assert interval.auc == pytest.approx(roc_auc(is_pos, scores, sample_weight=weights), rel=1e-12)
    influence = auc_influence(is_pos, scores, sample_weight=weights)
    assert interval.std_error == pytest.approx(np.linalg.norm(influence), rel=1e-10)


def test_the_model_saves_and_loads(events, tmp_path):
    table, files = events
    model = fit(files, AUCClassifierCV(loss="squared", random_state=0), **SETTINGS)
    aucmax.save(model, tmp_path / "m.json")
    loaded = aucmax.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.decision_function(table), model.decision_function(table))
    assert loaded.classes_.tolist() == ["fine", "fraud"]


def test_estimators_that_need_all_rows_in_memory_are_refused(events):
    with pytest.raises(ValueError, match=r"AUCTreeClassifier needs its table in memory.* use AUCClassifier"):
        fit(events[1], AUCTreeClassifier(), **SETTINGS)


@pytest.mark.parametrize("solver", sorted({"spam", "sdca", "vrspam"} & set(SOLVERS)))
def test_solvers_that_visit_single_rows_are_refused_with_the_remedy(events, solver):
    with pytest.raises(ValueError, match=f"solver '{solver}' visits single rows.*'newton'.*partial_fit"):
        fit(events[1], AUCClassifier(0.1, solver=solver), **SETTINGS)


def test_progress_counts_the_rows_of_every_pass(events):
    table, files = events
    steps = []
    fit(files, AUCClassifierCV(loss="squared", random_state=0), progress=steps.append, **SETTINGS)
    last = {step.number: step for step in steps}
    assert list(last) == list(range(1, len(last) + 1))
    assert [step.description for step in last.values()][:2] == ["columns and labels", "encoding"]
    assert [step.rows for step in last.values()][:2] == [len(table)] * 2
    assert all(step.ended for step in last.values())
    assert last[1].total is None and last[2].total == len(table) and last[2].seconds_left == 0.0
    assert str(last[2]).startswith("pass 2: encoding, 3,000 rows in ") and "rows/s" in str(last[2])


def test_a_memory_limit_that_is_too_small_is_refused(events):
    with pytest.raises(ValueError, match=r"memory='10KB' is too little .* need at least 0\.4 MB with 1 thread"):
        fit(events[1], memory="10KB", engine=LocalEngine(1), **SETTINGS)
    with pytest.raises(ValueError, match="number of bytes"):
        fit(events[1], memory="much", **SETTINGS)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_encoded_rows_are_in_a_file_without_a_name_until_the_fit_ends(events, temporary):
    """So that nothing is left of it, whatever ends the process."""
    kept = []

    def progress(step):
        if step.number == 3:
            kept.append(kept_bytes(temporary))
        assert not os.listdir(temporary)

    fit(events[1], AUCClassifierCV(loss="squared", random_state=0), progress=progress, **SETTINGS)
    assert max(kept) > 3000 * (3 * 8 + 4)  # four numbers, and four categories and indicators
    assert kept_bytes(temporary) == 0


def test_the_temporary_file_is_closed_when_a_fit_fails(events, temporary):
    with pytest.raises(ValueError, match="visits single rows"):
        fit(events[1], AUCClassifier(0.1, solver="spam"), **SETTINGS)
    assert kept_bytes(temporary) == 0


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_without_room_on_the_disk_the_source_is_read_in_every_pass(events, temporary, monkeypatch, loss):
    estimator = AUCClassifierCV([0.1, 0.01], loss=loss, random_state=0)
    expected = bits_of(fit(events[1], estimator, **SETTINGS, **SMALL_CHUNKS)[-1])
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 1000))

    def progress(step):
        assert kept_bytes(temporary) == 0

    assert bits_of(fit(events[1], estimator, progress=progress, **SETTINGS, **SMALL_CHUNKS)[-1]) == expected


def test_rows_that_change_between_the_passes_are_refused(events, tmp_path):
    table, files = events
    path = tmp_path / "part1.parquet"

    def progress(step):
        if step.ended and step.number == 1:
            pq.write_table(table.slice(0, 900), path, row_group_size=400)

    with pytest.raises((ValueError, OSError), match=r"part1\.parquet"):
        fit(files, AUCClassifier(), progress=progress, **SETTINGS)


def test_a_file_that_vanishes_between_the_passes_is_named(events, tmp_path):
    def progress(step):
        if step.ended and step.number == 1:
            (tmp_path / "part2.parquet").unlink()

    with pytest.raises(OSError, match=r"part2\.parquet"):
        fit(events[1], AUCClassifier(), progress=progress, **SETTINGS)
