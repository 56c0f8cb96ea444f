"""Supervised changepoints without ruptures: brute force, rational arithmetic, other solvers, reference values."""

import json
import os
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from aucmax.aum import aum, error_auc
from aucmax.changepoint import (
    FEATURE_NAMES,
    IntervalRegression,
    PenaltyLearner,
    PenaltyRegressor,
    PenaltyTable,
    Segmentations,
    benchmark_names,
    feature_matrix,
    feature_vector,
    label_errors,
    load_benchmark,
    make_toy_sequences,
    model_selection_path,
    plot_sequence,
    segment,
    target_intervals,
)
from aucmax.tables import read

FIXTURES = Path(os.environ.get("AUCMAX_FIXTURES", "")) / "aum" / "changepoint"
NUMBERS = {"Inf": np.inf, "-Inf": -np.inf, "NaN": np.nan}
stored_only = pytest.mark.skipif(
    "AUCMAX_FIXTURES" not in os.environ, reason="set AUCMAX_FIXTURES to the folder of the reference problems"
)
data_only = pytest.mark.skipif("AUCMAX_DATA" not in os.environ, reason="set AUCMAX_DATA to the folder of data sets")


def stored(name):
    return json.loads((FIXTURES / f"{name}.json").read_text())


def numbers(values):
    return np.array([NUMBERS.get(value, value) if isinstance(value, str) else value for value in values], dtype=float)


# Labels


def random_labels(rng, length=40):
    ends = np.sort(rng.choice(length + 1, size=6, replace=False))
    return [(int(a), int(b), str(rng.choice(["0changes", "1change", ">0changes"]))) for a, b in ends.reshape(3, 2)]


def test_label_errors_count_every_region():
    rng = np.random.default_rng(0)
    for _ in range(200):
        labels = random_labels(rng)
        changes = [np.sort(rng.choice(np.arange(1, 40), size=k, replace=False)) for k in range(6)]
        found = label_errors(changes, rng.permutation(np.array(labels, dtype=object)).tolist())
        for positions, fp, fn in zip(changes, found.fp, found.fn):
            counts = [sum(start < p <= end for p in positions) for start, end, _ in labels]
            kinds = [kind for _, _, kind in labels]
            assert fp == sum((k == "0changes" and c > 0) or (k == "1change" and c > 1) for k, c in zip(kinds, counts))
            assert fn == sum(k != "0changes" and c == 0 for k, c in zip(kinds, counts))


@stored_only
def test_label_errors_of_the_stored_problem():
    given = stored("label_error")
    labels = list(zip(*given["labels"].values()))
    sizes, positions = (np.array(given["changes"][key]) for key in ("n_segments", "position"))
    found = label_errors([positions[sizes == size] for size in given["errors"]["n_segments"]], labels)
    assert (found.fp.tolist(), found.fn.tolist()) == (given["errors"]["fp"], given["errors"]["fn"])


def test_labels_and_changes_may_be_any_iterables():
    labels, changes = [(0, 4, "0changes"), (4, 8, "1change")], [[], [5], [5, 3]]
    truth = label_errors([[], [5], [3, 5]], labels)
    written = np.array(labels, dtype=object), iter(labels), [list(label) for label in labels]
    for other in written:
        found = label_errors(changes, other)
        assert (found.fp.tolist(), found.fn.tolist()) == (truth.fp.tolist(), truth.fn.tolist())


@pytest.mark.parametrize(
    "label, message",
    [
        (("0", 3, "1change"), r"the start or end of label \('0', 3, '1change'\) is not a number"),
        ((0, None, "1change"), "the start or end of label .* is not a number"),
        ((0, 3, ["1change"]), "unknown kind of label"),
        (None, "label None is not a triple"),
        ("abc", "label 'abc' is not a triple"),
        ((0.2, 0.5, "1change"), r"\(0.2, 0.5\] '1change' can never be satisfied"),
    ],
)
def test_invalid_labels_are_refused_with_the_reason(label, message):
    with pytest.raises(ValueError, match=message):
        label_errors([[1]], [label])


def test_regions_that_touch_do_not_overlap():
    assert label_errors([[4]], [(0, 4, "1change"), (4, 8, "0changes")]).fp.tolist() == [0]


# The model selection path


def test_model_path_is_the_argmin_in_rational_arithmetic():
    rng = np.random.default_rng(1)
    for _ in range(200):
        size = int(rng.integers(1, 9))
        loss, complexity = rng.integers(0, 30, size=size), np.cumsum(rng.integers(1, 4, size=size))
        path = model_selection_path(loss, complexity)
        crossings = {
            Fraction(int(loss[i] - loss[j]), int(complexity[j] - complexity[i]))
            for i in range(size) for j in range(i + 1, size)
        }  # fmt: skip
        for row, (low, high) in enumerate(zip(path.min_lambda, path.max_lambda)):
            inside = Fraction(low) + 1 if high == np.inf else (Fraction(low) + Fraction(high)) / 2
            values = [int(a) + inside * int(b) for a, b in zip(loss, complexity)]
            assert values.index(min(values)) == path.model[row]
            assert low == 0.0 or low in {float(crossing) for crossing in crossings}
        assert path.min_lambda[0] == 0.0 and path.max_lambda[-1] == np.inf
        assert (path.min_lambda[1:] == path.max_lambda[:-1]).all() and (np.diff(path.min_lambda) > 0).all()


def test_model_path_is_the_argmin_on_a_grid():
    rng = np.random.default_rng(2)
    loss, complexity = np.sort(rng.exponential(size=30))[::-1], np.arange(30)
    path = model_selection_path(loss, complexity)
    for penalty in np.geomspace(1e-4, 10, 300):
        assert path.select(penalty) == np.argmin(loss + penalty * complexity)


def test_ends_of_a_model_path():
    path = model_selection_path([3, 2, 1], [0, 1, 2])
    assert (path.select(0.0), path.select(np.inf)) == (2, 0)
    for penalty in (-1.0, np.nan):
        with pytest.raises(ValueError, match=f"penalty is {penalty}"):
            path.select(penalty)


@stored_only
def test_stored_model_paths():
    for given in stored("model_selection"):
        path, truth = model_selection_path(given["loss"], given["complexity"]), given["path"]
        assert np.array(given["complexity"])[path.model].tolist() == truth["complexity"]
        np.testing.assert_allclose(path.min_lambda, numbers(truth["min_lambda"]), rtol=1e-12)
        np.testing.assert_allclose(path.max_lambda, numbers(truth["max_lambda"]), rtol=1e-12)


# Target intervals


def brute_target(low, errors):
    """Of all intervals between rows with the fewest errors throughout, the longest, the later of equal ones."""
    ends = [*low[1:], np.inf]
    least = np.flatnonzero(errors == errors.min())
    runs = [(a, b) for a in least for b in least if a <= b and (errors[a : b + 1] == errors.min()).all()]
    first, last = max(runs, key=lambda run: (ends[run[1]] - low[run[0]], run[1], -run[0]))
    return (-np.inf if errors[0] == errors.min() else low[first]), ends[last]


def test_target_is_the_longest_interval_of_fewest_errors():
    rng = np.random.default_rng(3)
    for _ in range(300):
        low = np.concatenate(([-np.inf], np.sort(rng.choice(10, size=int(rng.integers(0, 7)), replace=False))))
        errors = rng.integers(0, 3, size=low.size)
        found = target_intervals(np.array([0, low.size]), low, errors)
        assert tuple(found[0]) == brute_target(low, errors)


def test_targets_of_lists():
    assert target_intervals([0, 4], [-np.inf, 0, 1, 5], [2, 0, 1, 3]).tolist() == [[0.0, 1.0]]


@stored_only
def test_stored_target_intervals():
    for given in stored("target_intervals"):
        low, errors = numbers(given["min_log_lambda"]), np.array(given["errors"])
        assert target_intervals(np.array([0, low.size]), low, errors)[0].tolist() == numbers(given["target"]).tolist()


# Features


def feature_by_name(name, values):
    if name.startswith("n."):
        number, transform = float(values.size), name.split(".")[1]
    else:
        series, transform, statistic = name.split(".", 2)
        kind, way = series.split()
        part = {"data": values, "residual": values - np.mean(values), "diff": values[1:] - values[:-1]}[kind]
        part = {"orig": part, "abs": abs(part), "square": part * part}[way]
        if statistic.startswith("quantile"):
            number = np.percentile(part, float(statistic.split(".")[1][:-1]))
        else:
            number = {"sum": np.sum(part), "mean": np.mean(part), "sd": np.sqrt(np.var(part, ddof=1))}[statistic]
    with np.errstate(all="ignore"):
        ways = {"identity": lambda x: x, "sqrt": np.sqrt, "log": np.log, "square": lambda x: x * x}
        return np.log(np.log(number)) if transform == "loglog" else ways[transform](number)


def sums_to_zero(name):
    """The sign of the sum of residuals is rounding; ours is zero."""
    return name.startswith("residual orig") and name.endswith(("sum", "mean"))


def test_features_by_their_names():
    values = np.random.default_rng(4).normal(size=37)
    found = dict(zip(FEATURE_NAMES, feature_vector(values), strict=True))
    for name in FEATURE_NAMES:
        if not sums_to_zero(name):
            np.testing.assert_allclose(found[name], feature_by_name(name, values), rtol=1e-10, err_msg=name)


@stored_only
def test_stored_features():
    given = stored("feature_vector")
    assert list(FEATURE_NAMES) == given["names"]
    compared = [not sums_to_zero(name) for name in FEATURE_NAMES]
    found, truth = feature_vector(given["data"])[compared], numbers(given["features"])[compared]
    np.testing.assert_allclose(found, truth, rtol=1e-10)


def test_features_of_large_values_may_be_infinite_but_do_not_warn():
    assert not np.isfinite(feature_vector([1e140, -1e140, 0.0])).all()


def test_shortest_sequences_have_features():
    table = feature_matrix([[2.0], [1.0, 1.0]])
    assert table.shape == (2, len(FEATURE_NAMES)) and table[:, 0].tolist() == [1.0, 2.0]


# Penalty tables


def random_table(rng, n=30):
    """Sequences with up to 6 rows; false positives fall to 0 as the penalty grows, false negatives rise from 0."""
    rows = []
    for i in range(n):
        count = int(rng.integers(1, 7))
        low = np.concatenate(([-np.inf], np.sort(rng.normal(size=count - 1))))
        fp, fn = rng.integers(0, 3, size=count), rng.integers(0, 3, size=count)
        fp[-1] = fn[0] = 0
        rows += [(i, *row) for row in zip(low, fp, fn)]
    example, low, fp, fn = (np.array(column) for column in zip(*rows))
    return example, low, fp, fn, np.full(n, 4)


def test_errors_at_a_penalty_are_those_of_its_row():
    rng = np.random.default_rng(6)
    example, low, fp, fn, n_labels = random_table(rng)
    order = rng.permutation(example.size)
    table = PenaltyTable.from_rows(example[order], low[order], fp[order], fn[order], n_labels)
    pred = rng.normal(size=30)
    for i, found in enumerate(table.errors_at(pred)):
        row = max(r for r in np.flatnonzero(example == i) if low[r] <= pred[i])
        assert found == fp[row] + fn[row]


def test_error_functions_agree_with_the_table():
    rng = np.random.default_rng(7)
    table = PenaltyTable.from_rows(*random_table(rng))
    errors, pred = table.error_functions(), rng.normal(size=30)
    passed = errors.v <= -pred[errors.example]
    assert errors.fp[passed].sum() + errors.total_fn + errors.fn[passed].sum() == table.errors_at(pred).sum()


def test_some_sequences_keep_their_rows():
    table = PenaltyTable.from_rows(*random_table(np.random.default_rng(8)))
    chosen, pred = np.array([5, 2, 29]), np.array([0.1, -0.3, 0.2])
    everywhere = np.zeros(30)
    everywhere[chosen] = pred
    assert table.subset(chosen).errors_at(pred).tolist() == table.errors_at(everywhere)[chosen].tolist()
    np.testing.assert_array_equal(table.subset(chosen).target_intervals(), table.target_intervals()[chosen])


def test_false_negatives_at_penalty_zero_are_subtracted_for_aum():
    table = PenaltyTable.from_rows(
        [0, 0, 0, 1, 1], [-np.inf, 0, 1, -np.inf, 0], [0] * 3 + [1, 0], [1, 0, 2, 0, 0], [2, 1]
    )
    errors = table.error_functions()
    assert errors.total_fn == 1.0 and np.isfinite(aum(errors, [0.0, 0.0]).value)
    assert table.errors_at([-5.0, -5.0]).tolist() == [1, 1]


def test_rows_of_equal_penalty_are_one_for_errors_targets_and_aum():
    table = PenaltyTable.from_rows(
        [0, 0, 0, 1, 1], [-np.inf, 1.0, 1.0, -np.inf, 0.0], [2, 1, 0, 1, 0], [0, 0, 1, 0, 1], [3, 3]
    )
    assert table.errors_at([5.0, 5.0]).tolist() == [1, 1]
    assert table.error_functions().total_fn == 2.0
    assert table.target_intervals().tolist() == [[1.0, np.inf], [-np.inf, np.inf]]


def test_a_mask_selects_sequences_like_their_indices():
    table = PenaltyTable.from_rows(*random_table(np.random.default_rng(8)))
    mask = np.arange(30) % 3 == 0
    by_mask, by_list, by_index = (table.subset(each) for each in (mask, mask.tolist(), np.flatnonzero(mask)))
    for found in (by_mask, by_list):
        for name in ("starts", "min_log_lambda", "fp", "fn", "n_labels"):
            np.testing.assert_array_equal(getattr(found, name), getattr(by_index, name))


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"fp": [-5, 0]}, r"fp\[0\] is -5; a number of errors cannot be negative"),
        ({"fp": [np.inf, 0]}, r"fp\[0\] is inf"),
        ({"fn": [0, np.nan]}, r"fn\[1\] is nan"),
        ({"fp": [3, 0]}, "row 0 has 3 false positives and 0 false negatives of 2 labels"),
        ({"fp": 1}, "fp must be 1-d"),
        ({"min_log_lambda": [-np.inf, np.inf]}, r"min_log_lambda\[1\] is inf"),
        ({"example": 0}, "example has shape"),
        ({"example": [0.0, 0.0]}, "type float64; it must hold an integer"),
        ({"n_labels": [-1]}, "n_labels must hold"),
        ({"n_labels": [np.nan]}, "n_labels must hold"),
        ({"n_labels": 2}, "n_labels must hold"),
    ],
)
def test_invalid_tables_are_refused_with_the_reason(changed, message):
    columns = {"example": [0, 0], "min_log_lambda": [-np.inf, 0.0], "fp": [1, 0], "fn": [0, 1], "n_labels": [2]}
    with pytest.raises(ValueError, match=message):
        PenaltyTable.from_rows(**{**columns, **changed})


@pytest.mark.parametrize(
    "log_penalty, message", [([0.0, np.nan], r"\[1\] is nan"), ([0.0] * 3, r"shape \(3,\)"), ([0.0], r"shape \(1,\)")]
)
def test_errors_need_one_penalty_for_each_sequence(log_penalty, message):
    with pytest.raises(ValueError, match=message):
        never_wrong([1, 1]).errors_at(log_penalty)


# Learning

QUICK = {"cv": 3, "random_state": 0}


def learnable(n=40, seed=0, noise=0.5):
    """Features of which the first two predict the midpoint of the interval of log penalties without errors."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    middle = 3.0 * X[:, 0] - X[:, 1] + noise * rng.normal(size=n)
    low = np.column_stack([np.full(n, -np.inf), middle - rng.exponential(1, n), middle + rng.exponential(1, n)])
    fp, fn = np.tile([2, 0, 0], n), np.tile([0, 0, 1], n)
    return X, PenaltyTable.from_rows(np.repeat(np.arange(n), 3), low.ravel(), fp, fn, np.full(n, 3))


def test_learned_penalties_beat_a_constant_one():
    (X, table), (new_X, new) = learnable(), learnable(seed=1)
    scores = {
        model: PenaltyRegressor(model, **QUICK).fit(X, table).score(new_X, new)
        for model in ("constant", "interval", "aum")
    }
    assert scores["constant"] + 0.1 < min(scores["interval"], scores["aum"])


def test_descent_lowers_aum_and_keeps_the_best_number_of_steps():
    X, table = learnable(noise=2.0)
    model, first = (PenaltyRegressor(name, cv=3, random_state=5).fit(X, table) for name in ("aum", "interval"))
    assert model.n_iter_ == int(np.argmax(model.trace_["validation_auc"])) > 0
    errors = table.error_functions()
    assert aum(errors, -model.predict(X)).value < aum(errors, -first.predict(X)).value


def test_intercept_has_the_fewest_errors():
    X, table = learnable(noise=2.0)
    model = PenaltyRegressor(**QUICK).fit(X, table)
    pred = model.predict(X)
    shifts = np.linspace(-5, 5, 1001)
    assert table.errors_at(pred).sum() <= min(table.errors_at(pred + shift).sum() for shift in shifts)
    np.testing.assert_allclose(X @ model.coef_ + model.intercept_, pred, atol=1e-12)


def test_sequences_without_labels_have_no_effect():
    X, table = learnable()
    columns = (table.example, len(table)), (table.min_log_lambda, -np.inf), (table.fp, 0), (table.fn, 0)
    longer = PenaltyTable.from_rows(*(np.append(*column) for column in columns), np.append(table.n_labels, 0))
    model = PenaltyRegressor(**QUICK)
    plain = clone(model).fit(X, table).predict(X)
    np.testing.assert_array_equal(model.fit(np.vstack([X, np.full(5, 9.0)]), longer).predict(X), plain)


def test_same_seed_gives_the_same_model():
    X, table = learnable()
    first, second = (PenaltyRegressor(**QUICK).fit(X, table) for _ in range(2))
    np.testing.assert_array_equal(first.coef_, second.coef_)


def test_other_column_names_or_order_than_in_training_are_refused():
    X, table = learnable()
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = PenaltyRegressor(**QUICK).fit(frame, table)
    assert model.n_features_in_ == 5 and list(model.feature_names_in_) == list("abcde")
    np.testing.assert_array_equal(model.predict(frame), PenaltyRegressor(**QUICK).fit(X, table).predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("edcba")])


def test_a_failed_refit_leaves_the_regressor_unchanged():
    X, table = learnable()
    model = PenaltyRegressor(**QUICK).fit(X, table)
    before = model.predict(X)
    few = PenaltyTable.from_rows([0, 0, 1, 1], [-np.inf, 0, -np.inf, 0], [1, 0, 0, 0], [0, 0, 0, 1], [1, 1])
    with pytest.raises(ValueError, match="too few to hold out"):
        model.fit(np.eye(2), few)
    np.testing.assert_array_equal(model.predict(X), before)


def test_auc_does_not_depend_on_the_intercept():
    X, table = learnable()
    pred = PenaltyRegressor(**QUICK).fit(X, table).predict(X)
    assert error_auc(table.error_functions(), -pred) == pytest.approx(error_auc(table.error_functions(), 7.0 - pred))


# Plots and files


def test_plot_frames_violated_labels():
    data = np.repeat([0.0, 3.0], 20)
    ax = plot_sequence(data, [(0, 10, "0changes"), (12, 25, "1change"), (30, 38, ">0changes")], [5, 20])
    shown = ax.get_legend().get_texts()
    assert [text.get_text() for text in shown] == [
        "0changes", "1change", ">0changes", "false positive", "false negative", "change",
    ]  # fmt: skip


def test_plot_accepts_labels_from_an_iterator_and_changes_in_any_order():
    labels, data = [(0, 10, "0changes"), (12, 25, "1change")], np.repeat([0.0, 3.0], 20)
    ax = plot_sequence(data, iter(labels), [20, 5])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "0changes",
        "1change",
        "false positive",
        "change",
    ]
    for changes in ([0, 5], [5, 40]):
        with pytest.raises(ValueError, match="at least one value before it and one after"):
            plot_sequence(data, labels, changes)


@data_only
def test_benchmark_set_has_the_published_targets():
    data = load_benchmark("H3K36me3_TDH_other")
    published = read(Path(os.environ["AUCMAX_DATA"]) / "changepoint" / data.name / "outputs.csv.xz")
    limits = {
        name: numbers(pair) for name, *pair in zip(*(published.column(column).tolist() for column in published.names))
    }
    np.testing.assert_allclose(
        data.table.target_intervals(), [limits[name] for name in data.sequences], rtol=1e-9
    )  # its files differ by 1e-11
    assert data.X.shape == (40, 36) and set(data.folds) == {"equal_labels"} and data.name in benchmark_names()


def test_missing_files_are_reported_with_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("AUCMAX_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=f"no folder {tmp_path}"):
        load_benchmark("systematic")
    (tmp_path / "changepoint" / "small").mkdir(parents=True)
    with pytest.raises(ValueError, match="no set 'systematic' in"):
        load_benchmark("systematic")
    with pytest.raises(ValueError, match="no set None in"):
        load_benchmark(None)
    monkeypatch.delenv("AUCMAX_DATA")
    with pytest.raises(FileNotFoundError, match="AUCMAX_DATA is not set"):
        benchmark_names()


# Invalid input


FOUND = Segmentations(np.array([50.0, 9.0, 8.0, 1.0]), [np.arange(1, k + 1) for k in range(4)], length=10)


def never_wrong(n_labels):
    return PenaltyTable.from_rows([0, 1], [0, 0], [0, 0], [0, 0], n_labels)


@pytest.mark.parametrize(
    "sequences, labels, message",
    [
        ([[1.0, 2.0, 3.0]], [[(0, 2, "0changes"), (1, 3, "1change")]], r"\(0, 2\] '0changes' and .* overlap"),
        ([[1.0, 2.0, 3.0]], [[(0, 4, "1change")]], "ends beyond the 3 values of sequence 0"),
        ([[1.0, 2.0], [1.0, np.nan]], [[], []], "sequence 1 has nan at index 1"),
        ([[1.0, np.inf]], [[]], "sequence 0 has inf at index 1"),
        ([[1.0, 2.0]], [[(0, 1, "2changes")]], "unknown kind of label '2changes' of sequence 0"),
        ([[1.0, 2.0]], [[(1, 1, "1change")]], "is not a region"),
        ([[1.0, 2.0]], [[(0, 1)]], "not a triple"),
        ([[1.0, 2.0]], [[], []], "1 sequences but labels of 2"),
        ([1.0, 2.0], [[], []], "several as a list"),
        ([], [], "no sequences"),
        ([[1.0, 2.0]], None, "labels are None; pass a list"),
        ([[1.0, 2.0]], [None], "labels of sequence 0 are None; pass a list"),
        ([[1.0, 2.0, 3.0]], [[(2, 3, "1change")]], r"\(2, 3\] '1change' of sequence 0 can never be satisfied"),
        ([[0.0], [1e160] * 3 + [-1e160] * 3], [[], []], r"sequence 1 has 1e\+160 at index 0, whose square overflows"),
    ],
)  # fmt: skip
def test_invalid_sequences_and_labels_are_refused_with_the_reason(sequences, labels, message):
    with pytest.raises(ValueError, match=message):
        PenaltyLearner().fit(sequences, labels)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: PenaltyRegressor("ridge").fit(*learnable()), "model='ridge'; give one of"),
        (lambda: PenaltyRegressor(validation_fraction=1.0).fit(*learnable()), "validation_fraction=1.0; give a"),
        (lambda: PenaltyRegressor(cv="5").fit(*learnable()), "cv='5'; give an integer of 2 or more"),
        (lambda: PenaltyRegressor().fit(learnable()[0][:5], learnable()[1]), "X has 5 rows, but the table 40"),
        (lambda: PenaltyTable.from_rows([0, 2], [0, 0], [1, 1], [0, 0], [1, 1, 1]), "each of 0 .. 2 needs a row"),
        (lambda: PenaltyRegressor().fit(np.eye(2), never_wrong([0, 0])), "no sequence has a label"),
        (lambda: PenaltyRegressor().fit(np.eye(2), never_wrong([1, 1])), "very small penalty"),
        (lambda: PenaltyRegressor(validation_fraction=None).fit(*learnable()), "validation_fraction=None; give"),
        (lambda: PenaltyRegressor(descent="x").fit(*learnable()), "descent='x'; give None or a Descent"),
        (lambda: PenaltyRegressor(descent={}).fit(*learnable()), "descent={}; give None or a Descent"),
        (lambda: PenaltyLearner(max_segments=1).fit([[1.0, 2.0]], [[]]), "max_segments=1; give an integer of 2"),
        (lambda: PenaltyLearner(IntervalRegression()).fit([[1.0]], [[]]), "give None or a PenaltyRegressor"),
        (lambda: PenaltyTable.from_segmentations([], []), "no segmentations"),
        (lambda: PenaltyTable.from_segmentations([FOUND], [[(0, 11, "1change")]]), "beyond the 10 values"),
        (lambda: make_toy_sequences(0), "n=0; give an integer of 1 or more"),
        (lambda: model_selection_path([1.0, 2.0], [1, 1]), "ascending order"),
        (lambda: segment([1.0, 2.0], max_segments="20"), "max_segments='20'; give an integer of 1 or more"),
        (lambda: segment([1.0, 2.0], max_segments=np.inf), "max_segments=inf; give an integer of 1 or more"),
        (lambda: segment([1.0, 2.0], max_segments=2.7), "max_segments=2.7; give an integer of 1 or more"),
        (lambda: segment([1.0, 2.0], max_segments=0), "max_segments=0"),
    ],
)  # fmt: skip
def test_invalid_input_is_refused_with_the_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_segmentation_without_ruptures_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ruptures", None)
    with pytest.raises(ModuleNotFoundError, match=r"aucmax\[changepoint\]"):
        segment([1.0, 2.0, 3.0])


def test_table_of_segmentations_selects_the_least_penalised():
    table = PenaltyTable.from_segmentations([FOUND], [[(0, 10, "1change")]])
    for penalty in (0.1, 5.0, 20.0, 60.0):
        size = int(np.argmin(FOUND.loss + penalty * np.arange(4)))
        assert table.errors_at([np.log(penalty)])[0] == (size != 1)


def test_toy_labels_agree_with_the_changes():
    data = make_toy_sequences(30)
    for labels, changes in zip(data.labels, data.changes):
        wrong = label_errors([changes], labels)
        assert wrong.fp.sum() + wrong.fn.sum() == 0
