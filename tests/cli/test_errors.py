"""Errors: one line on stderr, an exit code, and no files left behind."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("click")
from command_line import expect_error, fit, run, write

from aucmax.cli import score
from aucmax.models import load

BAD_TABLES = {
    "one class": (lambda c: c | {"is_fraud": ["honest"] * 160}, "only one class"),
    "three classes": (lambda c: c | {"is_fraud": list("abcd") * 40}, "has 4 classes"),
    "missing label": (lambda c: c | {"is_fraud": ["", *c["is_fraud"][1:]]}, "is missing in 1 rows, first in row 1"),
    "infinite": (lambda c: c | {"hour": ["inf", *c["hour"][1:]]}, "column 'hour' is infinite in row 1"),
    "header only": (lambda c: {name: [] for name in c}, "no rows"),
    "no features": (lambda c: {name: c[name] for name in ("planet", "is_fraud")}, "no column can be used"),
    "no target": (lambda c: {name: c[name] for name in ("hour", "country")}, "there is no column 'is_fraud'"),
    "few positives": (lambda c: c | {"is_fraud": ["fraud"] * 3 + ["honest"] * 157}, "rarer class has 3 rows"),
}


@pytest.mark.parametrize("kind", BAD_TABLES)
def test_bad_tables_are_refused(folder, columns, kind):
    change, message = BAD_TABLES[kind]
    write("bad.csv", change(columns))
    assert message in expect_error(folder, "fit", "bad.csv", "--target", "is_fraud", "-o", "model.json")
    assert message in expect_error(folder, "compare", "bad.csv", "--target", "is_fraud", "--plot", "x.png")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([-1] + [1] * 159, "is -1.0 in row 1; give 0, or a number from 1e-100 to 1e+100"),
        ([0] * 160, "all weights of the positive class are zero"),
        (["", *[1] * 159], "is nan in row 1"),
        (["inf", *[1] * 159], "is inf in row 1"),
        (["many"] * 160, "are not numbers"),
        ([int(i % 5 != 0) for i in range(160)], "all weights of the positive class are zero"),
    ],
)
def test_bad_weights_are_refused(folder, columns, cells, message):
    write("bad.csv", columns | {"copies": cells})
    arguments = ("--target", "is_fraud", "--weight", "copies", "-o", "model.json")
    assert message in expect_error(folder, "fit", "bad.csv", *arguments)


@pytest.mark.parametrize("text", [b"", b"\n\n", b"a,b\n1,2,3\n", b'a,b\n"1,2\n', b"\xff\xfe\x00", b"a,a\n1,2\n"])
def test_damaged_tables_are_refused(folder, text):
    Path("bad.csv").write_bytes(text)
    assert "bad.csv" in expect_error(folder, "fit", "bad.csv", "--target", "a", "-o", "model.json")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_matrices_that_are_not_finite_are_refused(folder, value):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.arange(60) % 3 == 0
    np.savez("good.npz", X=X, y=y)
    run("fit", "good.npz", "-o", "model.json", "--no-baseline")
    X[7, 1] = value
    np.savez("bad.npz", X=X, y=y)
    assert f"row 8 has {value} in column 2" in expect_error(folder, "fit", "bad.npz", "-o", "new.json")
    message = "the score of row 8 is not finite"
    assert message in expect_error(folder, "score", "bad.npz", "--model", "model.json", "-o", "scores.csv")
    assert message in expect_error(folder, "evaluate", "bad.npz", "--model", "model.json")


def test_a_table_that_cannot_be_scored_leaves_no_header(folder):
    fit()
    Path("other.csv").write_text("a,b\n1,2\n")
    result = run("score", "other.csv", "--model", "model.json", code=1)
    assert "lacks the columns" in result.stderr and result.stdout == ""


def test_a_matrix_for_a_model_of_named_columns_is_refused(folder):
    fit()
    np.savez("matrix.npz", X=np.ones((3, 2)), y=[0, 1, 1])
    assert "a matrix has no column names" in expect_error(folder, "score", "matrix.npz", "--model", "model.json")


@pytest.mark.parametrize("alpha", ["nan", "inf", "-1"])
def test_alpha_must_be_finite_and_not_negative(folder, alpha):
    expect_error(folder, "fit", "data.csv", "--target", "is_fraud", "-o", "model.json", "--alpha", alpha, code=2)


def test_a_truncated_model_is_refused(folder):
    fit()
    content = Path("model.json").read_bytes()
    for size in {0, 1, 2, len(content) - 2, len(content) - 1, *range(0, len(content), len(content) // 40)}:
        Path("cut.json").write_bytes(content[:size])
        message = expect_error(folder, "score", "data.csv", "--model", "cut.json", "-o", "scores.csv")
        assert "cut.json" in message


def test_a_column_missing_when_scoring_is_named(folder, columns):
    fit()
    del columns["hour"]
    write("bad.csv", columns)
    for command in (("score", "bad.csv", "-o", "scores.csv"), ("evaluate", "bad.csv")):
        assert "lacks the columns ['hour']" in expect_error(folder, *command, "--model", "model.json")


def test_a_bad_row_far_down_leaves_no_scores_behind(folder, columns):
    fit()
    write("bad.csv", columns | {"hour": [*columns["hour"][:-1], "noon"]})
    message = expect_error(folder, "score", "bad.csv", "--model", "model.json", "-o", "scores.csv")
    assert "column 'hour' was numeric in training, but now holds 'noon'" in message


def test_another_label_when_evaluating_is_named(folder, columns):
    fit()
    write("bad.csv", columns | {"is_fraud": ["yes", "no"] * 80})
    assert "the classes of the model are ['honest', 'fraud']" in expect_error(
        folder, "evaluate", "bad.csv", "--model", "model.json"
    )


def test_inputs_are_never_overwritten(folder):
    fit()
    for command in (
        ("fit", "data.csv", "--target", "is_fraud", "-o", "./data.csv"),
        ("score", "data.csv", "--model", "model.json", "-o", "model.json"),
    ):
        assert "is also an input" in expect_error(folder, *command)


def test_absent_files_and_labels_are_named(folder):
    fit()
    gone = "nothing.csv: No such file or directory"
    assert gone in expect_error(folder, "fit", "nothing.csv", "--target", "a", "-o", "new.json")
    assert gone in expect_error(folder, "compare", "nothing.csv")
    assert "nothing.csv.xz: No such" in expect_error(folder, "compare", "nothing.csv.xz")
    assert gone in expect_error(folder, "score", "nothing.csv", "--model", "model.json", "-o", "scores.csv")
    assert "nothing.json" in expect_error(folder, "score", "data.csv", "--model", "nothing.json")
    assert "unknown data set 'digit'" in expect_error(folder, "compare", "digit")
    assert "AUCMAX_DATA is not set" in expect_error(folder, "compare", "a9a")
    assert "has no label 'even'; choose the positive classes" in expect_error(
        folder, "compare", "digits", "--positive", "even"
    )
    assert "no label 'theft'" in expect_error(
        folder, "fit", "data.csv", "--target", "is_fraud", "--positive", "theft", "-o", "new.json"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit", "data.csv"), "--output"),
        (("fit", "data.csv", "-o", "m.json", "--solver", "spm"), "'spm' is not"),
        (("fit", "data.csv", "-o", "m.json", "--threshold-at", "fpr"), "give fpr=, tpr= or precision="),
        (("fit", "data.csv", "-o", "m.json", "--threshold-at", "fpr=2"), "a rate from 0 to 1"),
        (("fit", "data.csv", "-o", "m.json", "--l1-ratio", "2"), "--l1-ratio"),
        (("fit", "data.csv", "-o", "m.json", "--cv", "1"), "--cv"),
        (("compare", "digits", "--models", "aucmax,spm"), "unknown ['spm']"),
        (("compare", "digits", "--plot", "x.txt"), "the file extension must be one of"),
        (
            ("compare", "digits", "--target", "a", "--weight", "b"),
            "--target and --weight cannot be used with a data set",
        ),
        (("compare", "digits", "--reference", "spm"), "--reference: 'spm'; choose from ['aucmax',"),
        (("compare", "digits", "--seed", "99999999999"), "--seed"),
        (("fit", "data.csv", "-o", "m.json", "--format", "xls"), "--format"),
        (("score", "data.csv", "--model", "m.json", "--json"), "--json requires --output"),
        (("nonsense",), "No such command 'nonsense'"),
        (("fit", "--nonsense"), "No such option"),
    ],
)
def test_usage_errors(folder, arguments, message):
    assert message in expect_error(folder, *arguments, code=2)


@pytest.mark.parametrize("memory", [(), ("--memory", "2GB")])
@pytest.mark.parametrize(
    ("rate", "message"),
    [
        ("precision=1", "no threshold reaches precision 1.0; give at most 0."),
        ("fpr=0.001", "no threshold keeps fpr at 0.001: a negative has the highest score; relax the rate"),
    ],
)
def test_a_threshold_that_no_score_meets_is_refused(folder, columns, memory, rate, message):
    amount = columns["amount"].copy()
    amount[1] = "1e6"  # a negative far above all others, on whatever fold
    write("bad.csv", {"amount": amount, "hour": columns["hour"], "is_fraud": columns["is_fraud"]})
    arguments = ("--target", "is_fraud", "-o", "model.json", "--no-baseline", "--threshold-at", rate, *memory)
    assert message in expect_error(folder, "fit", "bad.csv", *arguments)


def test_interrupting_leaves_no_file_behind(folder, monkeypatch):
    fit()

    def interrupt(model, table, *rest):
        raise KeyboardInterrupt

    monkeypatch.setattr(score, "_score_columns", interrupt)
    message = expect_error(folder, "score", "data.csv", "--model", "model.json", "-o", "scores.csv", code=130)
    assert message.strip() == "error: interrupted"


def test_output_cannot_be_a_dash(folder):
    assert "omit -o to write to stdout" in expect_error(
        folder, "fit", "data.csv", "--target", "is_fraud", "-o", "-", code=1
    )


def test_a_loop_of_links_is_refused(folder):
    Path("a.json").symlink_to("b.json")
    Path("b.json").symlink_to("a.json")
    arguments = ("fit", "data.csv", "--target", "is_fraud")
    assert "a.json: Too many levels of symbolic links" in expect_error(folder, *arguments, "-o", "a.json")
    assert "Too many levels of symbolic links" in expect_error(folder, "score", "a.json", "--model", "b.json")


@pytest.mark.parametrize("weight", ["1e307", "1e101", "5e-324"])
def test_extreme_weights_are_refused(folder, columns, weight):
    write("bad.csv", columns | {"copies": [weight] * 160})
    arguments = ("--target", "is_fraud", "--weight", "copies", "-o", "model.json")
    message = f"the weight in column 'copies' is {float(weight)} in row 1; give 0, or a number from 1e-100 to 1e+100"
    assert message in expect_error(folder, "fit", "bad.csv", *arguments)


@pytest.mark.parametrize("weight", ["1e-99", "1e99"])
def test_equal_weights_of_any_size_count_like_ones(folder, columns, weight):
    arguments = ("--target", "is_fraud", "--weight", "copies", "--alpha", "0.1", "--no-baseline")
    for name, cell in {"scaled": weight, "one": "1"}.items():
        write(f"{name}.csv", columns | {"copies": [cell] * 160})
        run("fit", f"{name}.csv", *arguments, "-o", f"{name}.json")
    scaled, one = (np.array(load(f"{name}.json").scorer.coef) for name in ("scaled", "one"))
    np.testing.assert_allclose(scaled, one, rtol=1e-9)
