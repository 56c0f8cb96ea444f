"""Penalty tables: errors, error functions, subsets, invalid columns."""

import numpy as np
import pytest
from changepoint_problems import without_errors

from aucmax.aum import aum
from aucmax.changepoint import PenaltyTable, Segmentations

SEGMENTATIONS = Segmentations(np.array([50.0, 9.0, 8.0, 1.0]), [np.arange(1, k + 1) for k in range(4)], length=10)


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


def test_a_subset_keeps_the_rows_of_its_sequences():
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


def error_functions(example, min_log_lambda, fp, fn):
    n_labels = np.full(max(example) + 1, 9)
    return PenaltyTable.from_rows(example, min_log_lambda, fp, fn, n_labels).error_functions()


def test_error_functions_drop_errors_that_no_penalty_removes():
    table = ([0, 0, 0, 1, 1], [-np.inf, 0.0, 1.0, -np.inf, 2.0])
    errors = error_functions(*table, fp=[2, 1, 0, 0, 0], fn=[1, 1, 1, 0, 1])
    np.testing.assert_array_equal(errors.example, [0, 0, 1])
    np.testing.assert_array_equal(errors.v, [-1.0, 0.0, -2.0])
    np.testing.assert_array_equal(errors.fp, [1, 1, 0])
    np.testing.assert_array_equal(errors.fn, [0, 0, -1])


def test_error_functions_clip_errors_below_those_that_no_penalty_removes():
    errors = error_functions([0, 0, 0], [-np.inf, 0.0, 1.0], [2, 0, 1], [0, 0, 1])
    np.testing.assert_array_equal(errors.v, [-1.0, 0.0])
    np.testing.assert_array_equal(errors.fp, [0, 1])
    np.testing.assert_array_equal(errors.fn, [-1, 0])


def test_of_rows_of_equal_penalty_the_last_is_selected():
    table = ([0, 0, 0, 0, 1, 1], [-np.inf, -np.inf, 1.0, 1.0, -np.inf, 0.0])
    errors = error_functions(*table, fp=[0, 2, 1, 0, 1, 0], fn=[3, 0, 0, 1, 0, 1])
    plain = error_functions([0, 0, 1, 1], [-np.inf, 1.0, -np.inf, 0.0], [2, 0, 1, 0], [0, 1, 0, 1])
    for name in ("example", "v", "fp", "fn"):
        np.testing.assert_array_equal(getattr(errors, name), getattr(plain, name))


def test_error_functions_keep_sequences_whose_errors_never_change():
    table = ([0, 0, 1, 2, 2], [-np.inf, 0.0, -np.inf, -np.inf, 2.0])
    errors = error_functions(*table, fp=[1, 0, 0, 0, 0], fn=[0, 0, 0, 0, 1])
    assert errors.n_examples == 3
    assert aum(errors, [0.0, 5.0, 0.0]).right[1] == 0.0


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
        ({"fp": [1]}, "fp has 1 rows"),
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
        without_errors([1, 1]).errors_at(log_penalty)


def test_table_of_segmentations_selects_the_least_penalised():
    table = PenaltyTable.from_segmentations([SEGMENTATIONS], [[(0, 10, "1change")]])
    for penalty in (0.1, 5.0, 20.0, 60.0):
        size = int(np.argmin(SEGMENTATIONS.loss + penalty * np.arange(4)))
        assert table.errors_at([np.log(penalty)])[0] == (size != 1)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: PenaltyTable.from_rows([0, 2], [0, 0], [1, 1], [0, 0], [1, 1, 1]), "each of 0 .. 2 needs a row"),
        (lambda: PenaltyTable.from_segmentations([], []), "no segmentations"),
        (lambda: PenaltyTable.from_segmentations([SEGMENTATIONS], [[(0, 11, "1change")]]), "beyond the 10 values"),
    ],
)
def test_invalid_input_is_refused_with_the_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()
