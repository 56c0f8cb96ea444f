"""A fit in passes is the fit in memory."""

import numpy as np
import pytest
from scale.events import make_events, write_parquet
from sklearn.model_selection import PredefinedSplit

import aucmax
from aucmax import AUCClassifier, AUCClassifierCV, AUMClassifier, KernelAUCClassifier
from aucmax.losses import LOSSES
from aucmax.metrics import auc_interval
from aucmax.scale import LocalEngine, Source, evaluate, fit, passes
from aucmax.scale import source as sources
from aucmax.scale.folds import fold_seed, group_hashes, hash_folds, row_hashes
from aucmax.selection import choice
from aucmax.tables import TableEncoder
from aucmax.tables.cells import as_column

SETTINGS = {"target": "y", "pos_label": "fraud", "drop": ["w", "g"]}


def in_memory(table, drop=("y", "w", "g")):
    encoder = TableEncoder(drop=[name for name in drop if name != "y"])
    features = table.drop_columns(["y"])
    X = encoder.fit(features).transform(features)
    return X, np.array(table.column("y").to_pylist()) == "fraud"


def folds_of(n, random_state, n_folds=5):
    return PredefinedSplit(hash_folds(row_hashes(np.arange(n), fold_seed(random_state)), n_folds))


@pytest.fixture
def events(tmp_path):
    table = make_events()
    return table, write_parquet(table, tmp_path)


def test_the_whole_path_is_that_of_one_process(events):
    table, files = events
    X, y = in_memory(table)
    whole = AUCClassifierCV(loss="squared", cv=folds_of(len(table), 0)).fit(X, y)
    model = fit(files, AUCClassifierCV(loss="squared", random_state=0), **SETTINGS)[-1]
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-10)
    np.testing.assert_allclose(model.alphas_, whole.alphas_, rtol=1e-10)
    np.testing.assert_allclose(model.cv_auc_, whole.cv_auc_, atol=1e-10)
    assert model.cv_auc_bound_.max() < 1e-6  # every score is a cut point, but for rounding
    np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-6)
    np.testing.assert_allclose(np.sort(model.oof_scores_), np.sort(whole.oof_scores_), atol=1e-10)
    exact = auc_interval(y, whole.oof_scores_)
    np.testing.assert_allclose(model.oof_interval_, exact, atol=1e-10)


@pytest.mark.parametrize(
    "settings", [{}, {"alpha": 0.1, "l1_ratio": 0.5}, {"decision": "balanced"}, {"standardize": False}]
)
def test_a_fit_with_weights_is_that_of_one_process(events, settings):
    table, files = events
    X, y = in_memory(table)
    whole = AUCClassifier(**settings).fit(X, y, sample_weight=table.column("w").to_numpy())
    model = fit(files, AUCClassifier(**settings), target="y", pos_label="fraud", weight="w", drop=["g"])[-1]
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-8)
    assert model.alpha_ == pytest.approx(whole.alpha_, rel=1e-12)


def test_logistic_loss_is_minimised_in_passes(events):
    table, files = events
    X, y = in_memory(table)
    weight = table.column("w").to_numpy()
    whole = AUCClassifier(0.01, loss="logistic", solver=aucmax.solvers.Newton(tol=1e-13)).fit(
        X, y, sample_weight=weight
    )
    model = fit(files, AUCClassifier(0.01, loss="logistic"), target="y", pos_label="fraud", weight="w", drop=["g"])[
        -1
    ]
    assert model.objective_ == pytest.approx(whole.objective_, rel=1e-12)
    assert model.gap_ <= 1e-12 * model.objective_
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-5)


def test_the_path_of_the_logistic_loss_is_that_of_one_process(events):
    table, files = events
    X, y = in_memory(table)
    alphas = [0.1, 1e-2, 1e-3]
    whole = AUCClassifierCV(alphas, loss="logistic", cv=folds_of(len(table), 0)).fit(X, y)
    model = fit(files, AUCClassifierCV(alphas, loss="logistic", random_state=0), **SETTINGS)[-1]
    np.testing.assert_allclose(model.cv_auc_, whole.cv_auc_, atol=1e-4)  # of models whose gaps are 1e-6 in memory
    assert model.loss_ == "logistic" and model.alpha_ == whole.alpha_
    assert model.objective_ <= whole.objective_ * (1 + 1e-12)
    assert model.gap_ <= 1e-12 * model.objective_


def test_auto_chooses_the_loss_by_a_sample(events, monkeypatch):
    table, files = events
    X, y = in_memory(table)
    monkeypatch.setattr(choice, "AUTO", ("squared", "logistic"))
    whole = AUCClassifierCV(cv=folds_of(len(table), 0)).fit(X, y)
    model = fit(files, AUCClassifierCV(random_state=0), **SETTINGS)[-1]
    assert model.loss_ == whole.loss_ == "logistic"
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], whole.cv_results_["mean_test_score"], atol=1e-3)
    elastic = fit(files, AUCClassifierCV([0.1], l1_ratio=0.5, random_state=0), **SETTINGS)[-1]
    assert elastic.loss_ == "squared"


def test_the_same_partitions_give_the_same_bits_whatever_the_threads(events):
    _, files = events
    fits = [
        fit(files, AUCClassifierCV(loss="squared", random_state=0), engine=LocalEngine(k), **SETTINGS)[-1]
        for k in (1, 2, 5)
    ]
    for model in fits[1:]:
        assert model.coef_.tobytes() == fits[0].coef_.tobytes()
        assert model.cv_auc_.tobytes() == fits[0].cv_auc_.tobytes()
        assert model.oof_interval_ == fits[0].oof_interval_


def test_partitions_do_not_matter_but_for_rounding(events, monkeypatch):
    table, files = events
    whole = fit(table, AUCClassifierCV(loss="squared", random_state=3), **SETTINGS)[-1]
    monkeypatch.setattr(sources, "PARTITION_ROWS", 500)
    assert len(Source.of(files)) > 6
    parts = fit(files, AUCClassifierCV(loss="squared", random_state=3), **SETTINGS)[-1]
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-10)
    np.testing.assert_allclose(parts.cv_auc_, whole.cv_auc_, atol=1e-12)


def test_rows_of_a_group_stay_in_one_fold(events):
    table, files = events
    X, y = in_memory(table)
    folds = hash_folds(group_hashes(as_column(table.column("g")), fold_seed(0)), 5)
    whole = AUCClassifierCV(loss="squared", cv=PredefinedSplit(folds)).fit(X, y)
    model = fit(
        files, AUCClassifierCV(loss="squared", random_state=0), target="y", pos_label="fraud", groups="g", drop=["w"]
    )[-1]
    np.testing.assert_allclose(model.cv_auc_, whole.cv_auc_, atol=1e-10)


@pytest.mark.parametrize("weight", [None, "w"])
def test_evaluate_is_exact(events, weight):
    table, files = events
    model = fit(files, AUCClassifierCV(loss="squared", random_state=0), **SETTINGS)
    found = evaluate(files, model, target="y", weight=weight)
    X, y = in_memory(table)
    scores = model[-1].decision_function(X)
    if weight is None:
        expected = auc_interval(y, scores)
        assert found.auc == expected.auc
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    else:
        weights = table.column("w").to_numpy()
        assert found.auc == pytest.approx(aucmax.metrics.roc_auc(y, scores, sample_weight=weights), rel=1e-12)
        influence = aucmax.metrics.auc_influence(y, scores, sample_weight=weights)
        assert found.std_error == pytest.approx(np.linalg.norm(influence), rel=1e-10)


def test_the_model_saves_and_loads(events, tmp_path):
    table, files = events
    model = fit(files, AUCClassifierCV(loss="squared", random_state=0), **SETTINGS)
    aucmax.save(model, tmp_path / "m.json")
    loaded = aucmax.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.decision_function(table), model.decision_function(table))
    assert loaded.classes_.tolist() == ["fine", "fraud"]


def test_other_estimators_and_losses_are_refused(events):
    _, files = events
    with pytest.raises(TypeError, match="AUMClassifier cannot be fitted to a source"):
        fit(files, AUMClassifier(), **SETTINGS)
    with pytest.raises(ValueError, match="needs an L2 penalty"):
        fit(files, AUCClassifierCV(loss="logistic", l1_ratio=0.5), **SETTINGS)
    with pytest.raises(ValueError, match="number of folds"):
        fit(files, AUCClassifierCV(cv=folds_of(10, 0)), **SETTINGS)


@pytest.mark.parametrize("loss", sorted(set(LOSSES) - {"squared", "logistic"}))
def test_losses_that_passes_cannot_fit_are_refused_with_what_to_do(events, loss):
    message = rf"loss='{loss}'; passes over a source fit the losses \['squared', 'logistic'\].* a sample of rows"
    models = [AUCClassifier(loss=loss)]
    models += [AUCClassifierCV(loss=loss)] if loss in ("squared_hinge", "hinge", "exponential") else []
    for model in models:
        with pytest.raises(ValueError, match=message):
            fit(events[1], model, **SETTINGS)
    with pytest.raises(ValueError, match=r"loss=\['squared', 'hinge'\]; passes"):
        fit(events[1], AUCClassifierCV(loss=["squared", "hinge"]), **SETTINGS)
    with pytest.raises(ValueError, match=r"fit kernels by the squared loss only; .* loss='squared'"):
        fit(events[1], KernelAUCClassifier(loss="squared_hinge"), **SETTINGS)


def test_progress_counts_the_rows_of_every_pass(events):
    table, files = events
    seen = []
    fit(files, AUCClassifierCV(loss="squared", random_state=0), progress=seen.append, **SETTINGS)
    last = {step.number: step for step in seen}
    assert [step.rows for step in last.values()] == [len(table)] * 4
    assert last[4].total == len(table) and last[4].seconds_left == 0.0
    assert "rows/s" in str(last[2])


def test_a_memory_limit_that_is_too_small_is_refused(events):
    with pytest.raises(ValueError, match="need at least"):
        fit(events[1], memory="1MB", **SETTINGS)
    with pytest.raises(ValueError, match="number of bytes"):
        fit(events[1], memory="much", **SETTINGS)


BAD_ROWS = {
    "short": ("3", r"bad\.csv, line 701: 1 fields, but the header has 3"),
    "no label": ("3,4,", r"bad\.csv, rows 513 to 768: target 'y' is missing in 1 rows, first in row 700"),
    "infinite": ("inf,4,1", r"bad\.csv: column 'a' is infinite in row 700"),
    "weight": ("3,-2,1", r"bad\.csv, rows 513 to 768: the weight in column 'b' is -2.0 in row 700"),
}


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_an_error_names_the_file_and_the_row(tmp_path, monkeypatch, kind):
    """In the second file, and not in its first chunk."""
    monkeypatch.setattr(passes, "CHUNK_ROWS", 256)
    row, message = BAD_ROWS[kind]
    lines = [f"{i * 7919 % 1013},{i % 5},{i % 2}" for i in range(1000)]
    (tmp_path / "a.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    lines[699] = row
    (tmp_path / "bad.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    with pytest.raises(ValueError, match=message):
        fit(tmp_path / "*.csv", AUCClassifier(), target="y", weight="b")
