import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("click")
from click.testing import CliRunner

from aucmax.cli import scoring
from aucmax.cli.commands import aucmax
from aucmax.losses import Squared
from aucmax.metrics import roc_auc
from aucmax.models import LinearScorer, ModelMetadata, SavedModel, load, save
from aucmax.solvers import SOLVERS
from aucmax.tables import Table, TableEncoder

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def table(rng, n=160):
    """A table with numbers, missing values, categories, free text, a constant, weights and a target."""
    y = np.arange(n) % 5 == 0
    amount = rng.normal(size=n) + 1.5 * y
    return {
        "id": [f"payment {i}" for i in range(n)],
        "amount": ["" if i % 40 == 7 else repr(float(value)) for i, value in enumerate(amount)],
        "hour": rng.integers(0, 24, n).tolist(),
        "country": rng.choice(["IT", "NO", "SE"], n).tolist(),
        "planet": ["Earth"] * n,
        "copies": rng.integers(1, 4, n).tolist(),
        "is_fraud": np.where(y, "fraud", "honest").tolist(),
    }


def write(path, columns):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))


@pytest.fixture
def columns():
    return table(np.random.default_rng(0))


@pytest.fixture
def folder(tmp_path, monkeypatch, columns):
    """A folder of its own with data.csv, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUCMAX_DATA", raising=False)
    write("data.csv", columns)
    return tmp_path


def run(*arguments, code=0):
    result = CliRunner().invoke(aucmax, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output + repr(result.exception)
    if code:
        assert result.stderr.strip().startswith("error: ")
        assert len(result.stderr.strip().splitlines()) == 1
    return result


def fit(*arguments, code=0):
    arguments = (
        ("data.csv", "--target", "is_fraud", *arguments) if not arguments or arguments[0] != "bad.csv" else arguments
    )
    return run("fit", *arguments, "-o", "model.json", "--no-baseline", code=code)


def refused(folder, *arguments, code=1):
    """The message of a command that fails and leaves no file behind."""
    before = sorted(path.name for path in folder.iterdir())
    message = run(*arguments, code=code).stderr
    assert sorted(path.name for path in folder.iterdir()) == before
    return message


def test_fit_reports_its_auc_beside_a_baseline(folder):
    shown = run("fit", "data.csv", "--target", "is_fraud", "-o", "model.json").stdout
    assert "160 rows, 7 features" in shown
    assert "positive class: 'fraud' (the rarer class; choose with --positive): 32 rows, 20 %" in shown
    assert "left out: id: free text" in shown and "left out: planet: constant" in shown
    assert "alpha: " in shown and "logistic" in shown
    assert "cross-validated AUC, 5 folds:" in shown and " tie" in shown
    assert (folder / "model.json").exists()


def test_fit_prints_pure_json_with_a_verdict(folder):
    arguments = ("--target", "is_fraud", "-o", "model.json", "--json", "--cv", 3)
    plain = json.loads(run("fit", "data.csv", *arguments).stdout)
    assert plain["positive"] == "fraud" and plain["positives"] == 32 and plain["rows"] == 160
    assert plain["verdict"] in ("better", "tie", "worse")
    assert {row["name"] for row in plain["out_of_fold"]["rows"]} == {"aucmax", "logistic"}
    assert plain["alpha"] == load("model.json").metadata.training["alpha"]


def test_fit_can_be_quiet(folder):
    result = fit("--quiet")
    assert result.output == "" and (folder / "model.json").exists()


def test_positive_label_can_be_chosen(folder):
    assert "positive class: 'honest': 128 rows" in fit("--positive", "honest").stdout
    assert load("model.json").metadata.classes == ("fraud", "honest")


def test_the_same_seed_gives_the_same_model(folder):
    models = []
    for seed in (1, 1):
        fit("--seed", seed)
        models.append(load("model.json"))
    assert np.array_equal(models[0].scorer.coef, models[1].scorer.coef)
    assert models[0].metadata.training["auc"] == models[1].metadata.training["auc"]


@pytest.mark.parametrize("arguments", [(), ("--solver", "cg"), ("--alpha", 0.5), ("--l1-ratio", 0.5)])
@pytest.mark.parametrize("demand", ["fpr=0.1", "tpr=0.8", "precision=0.4"])
def test_options_of_fit_and_a_threshold(folder, arguments, demand):
    fit(*arguments, "--threshold-at", demand)
    model = load("model.json")
    assert np.isfinite(model.metadata.threshold)
    if "--alpha" in arguments:
        assert model.metadata.training["alpha"] == 0.5


def test_a_loss_can_be_chosen(folder):
    assert "(squared_hinge loss, L2, solver newton)" in fit("--loss", "squared_hinge").stdout
    assert load("model.json").metadata.training["loss"] == "squared_hinge"
    fit("--loss", "exponential", "--solver", "uniexp")
    assert load("model.json").metadata.training["loss"] == "exponential"


def test_of_several_losses_the_best_on_the_folds_is_kept(folder):
    fit("--loss", "squared, hinge", "--alpha", 0.1)
    kept = load("model.json")
    found = {}
    for loss in ("squared", "hinge"):
        fit("--loss", loss, "--alpha", 0.1)
        found[loss] = load("model.json").scorer.coef
    assert np.array_equal(kept.scorer.coef, found[kept.metadata.training["loss"]])


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (("--loss", "cubic"), "unknown ['cubic']; choose from ['squared',", 2),
        (("--loss", "squared,hinge", "--solver", "exact"), "--solver exact supports the losses ['squared']", 2),
        (("--loss", "squared", "--solver", "oam"), "--solver oam supports the losses ['hinge']", 2),
        (("--loss", "sigmoid"), "on the command line with --solver", 1),
    ],
)
def test_losses_that_cannot_be_fitted_are_refused(folder, arguments, message, code):
    arguments = ("fit", "data.csv", "--target", "is_fraud", "-o", "model.json", "--no-baseline", *arguments)
    assert message in refused(folder, *arguments, code=code)


def test_the_weight_column_is_not_a_feature(folder):
    assert "6 features" in fit("--weight", "copies").stdout
    metadata = load("model.json").metadata
    assert metadata.training["weight"] == "copies" and "copies" not in metadata.feature_names


@pytest.mark.filterwarnings("default::sklearn.exceptions.ConvergenceWarning")
def test_every_solver_fits_from_the_command_line(folder):
    for name in [name for name, kind in SOLVERS.items() if Squared in kind.losses]:
        fit("--solver", name)
        assert load("model.json").metadata.training["auc"] > 0.7


def test_score_is_the_model_on_every_row(folder):
    fit()
    run("score", "data.csv", "--model", "model.json", "-o", "scores.csv", "--id", "id")
    rows = list(csv.DictReader(Path("scores.csv").read_text().splitlines()))
    assert [row["id"] for row in rows] == [f"payment {i}" for i in range(160)]
    assert list(rows[0]) == ["id", "score", "probability", "prediction"]
    auc = roc_auc(np.arange(160) % 5 == 0, [float(row["score"]) for row in rows])
    plain = json.loads(run("evaluate", "data.csv", "--model", "model.json", "--json").stdout)
    assert auc == plain["auc"]
    assert sum(row["prediction"] == "fraud" for row in rows) == plain["tp"] + plain["fp"]


def test_scores_go_to_stdout_or_to_a_file_alike(folder):
    fit()
    shown = run("score", "data.csv", "--model", "model.json").stdout
    plain = json.loads(run("score", "data.csv", "--model", "model.json", "-o", "new/s.csv", "--json").stdout)
    assert plain["rows"] == 160 and Path("new/s.csv").read_text() == shown


def test_order_of_columns_does_not_matter(folder, columns):
    fit()
    write("other.csv", dict(reversed(columns.items())))
    arguments = ("--model", "model.json")
    assert run("score", "other.csv", *arguments).stdout == run("score", "data.csv", *arguments).stdout


def test_scores_do_not_depend_on_chunks(folder, monkeypatch):
    fit()
    whole = run("score", "data.csv", "--model", "model.json").stdout
    read_chunks = scoring.read_chunks
    monkeypatch.setattr(scoring, "read_chunks", lambda path, **more: read_chunks(path, rows=7, **more))
    assert run("score", "data.csv", "--model", "model.json").stdout == whole


def test_evaluate_shows_auc_and_decisions(folder):
    fit("--threshold-at", "fpr=0.1")
    shown = run("evaluate", "data.csv", "--model", "model.json").stdout
    assert "160 rows, 32 of them 'fraud'" in shown
    assert "AUC 0." in shown and "95 % interval" in shown
    assert "predicted fraud" in shown and "actual honest" in shown


def test_evaluate_with_weights_equals_copies(folder, columns):
    fit()
    times = [int(k) for k in columns["copies"]]
    copied = {name: [cell for cell, k in zip(cells, times) for _ in range(k)] for name, cells in columns.items()}
    write("copied.csv", copied)
    weighted = json.loads(run("evaluate", "data.csv", "--model", "model.json", "--weight", "copies", "--json").stdout)
    plain = json.loads(run("evaluate", "copied.csv", "--model", "model.json", "--json").stdout)
    for name in ("auc", "tp", "fp", "fn", "tn", "tpr", "fpr", "precision", "f1", "break_even"):
        assert weighted[name] == pytest.approx(plain[name], rel=1e-12)


def test_matrices_need_no_target(folder):
    rng = np.random.default_rng(0)
    y = np.arange(100) % 4 == 0
    np.savez("data.npz", X=rng.normal(size=(100, 3)) + y[:, None], y=y.astype(int))
    run("fit", "data.npz", "-o", "model.json", "--no-baseline")
    assert json.loads(run("evaluate", "data.npz", "--model", "model.json", "--json").stdout)["auc"] > 0.7
    assert len(run("score", "data.npz", "--model", "model.json").stdout.splitlines()) == 101


def test_libsvm_files_are_fitted_and_scored(folder):
    lines = [f"{1 if i % 4 == 0 else -1} 1:{(i % 4 == 0) + i % 7} 3:{i % 5}" for i in range(80)]
    Path("data.svm").write_text("\n".join(lines) + "\n")
    run("fit", "data.svm", "-o", "model.json", "--no-baseline")
    Path("few.svm").write_text("0 1:2\n0 1:3\n")
    assert len(run("score", "few.svm", "--model", "model.json").stdout.splitlines()) == 3


def test_indices_start_as_in_training(folder):
    """Rows in which index 0 never occurs are still of a zero-based file."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 4 == 0
    X = rng.normal(size=(80, 3)) + np.outer(y, [0, 2, -2])
    lines = [f"{int(label)} 0:{a} 1:{b} 2:{c}\n" for label, (a, b, c) in zip(y, X)]
    Path("data.svm").write_text("".join(lines))
    run("fit", "data.svm", "-o", "model.json", "--no-baseline")
    Path("few.svm").write_text("".join(line.replace(line.split()[1] + " ", "") for line in lines))
    model = load("model.json")
    scores = model.decision_function(X * [0, 1, 1])
    plain = json.loads(run("evaluate", "few.svm", "--model", "model.json", "--json").stdout)
    assert plain["auc"] == pytest.approx(roc_auc(y, scores)) and plain["auc"] > 0.9
    rows = csv.DictReader(run("score", "few.svm", "--model", "model.json").stdout.splitlines())
    np.testing.assert_allclose([float(row["score"]) for row in rows], scores, atol=1e-12)


def test_a_model_without_zero_based_still_scores(folder):
    Path("data.svm").write_text("1 1:2 2:1\n0 1:1\n")
    save(SavedModel(ModelMetadata((0, 1)), LinearScorer([1.0, 0.0], 0.0)), "model.json")
    assert json.loads(run("evaluate", "data.svm", "--model", "model.json", "--json").stdout)["auc"] == 1


@pytest.mark.filterwarnings("default::UserWarning")
def test_unknown_categories_are_reported(folder, columns, monkeypatch):
    fit()
    read_chunks = scoring.read_chunks
    monkeypatch.setattr(scoring, "read_chunks", lambda path, **more: read_chunks(path, rows=50, **more))
    write("other.csv", columns | {"country": [name.lower() for name in columns["country"]]})
    note = "warning: 160 cells of column 'country' hold a category that did not occur in training"
    for command in (("score", "other.csv", "-o", "scores.csv"), ("evaluate", "other.csv")):
        assert run(*command, "--model", "model.json").stderr.startswith(note)
    assert run("score", "data.csv", "--model", "model.json").stderr == ""


def test_ids_are_copied_to_the_last_digit(folder):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    numbers = [2**53 + 1, 2**62 + 1]
    parquet.write_table(pa.table({"id": numbers, "x": [1.0, 2.0]}), "data.parquet")
    encoder = TableEncoder.learn(Table({"x": np.array([1.0, 2.0])}))
    save(SavedModel(ModelMetadata((0, 1), encoder), LinearScorer([1.0], 0.0)), "model.json")
    lines = run("score", "data.parquet", "--model", "model.json", "--id", "id").stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["id", *map(str, numbers)]


def test_one_positive_has_an_auc_without_an_interval(folder):
    fit()
    rows = Path("data.csv").read_text().splitlines(keepends=True)
    Path("one.csv").write_text("".join([*rows[:5], "".join(rows[7:10])]))
    for arguments in ((), ("--weight", "copies")):
        assert (
            "no interval: a class has a single row"
            in run("evaluate", "one.csv", "--model", "model.json", *arguments).stdout
        )
        plain = json.loads(run("evaluate", "one.csv", "--model", "model.json", "--json", *arguments).stdout)
        assert plain["positives"] == 1 and plain["low"] is None and 0 <= plain["auc"] <= 1


def test_rows_can_be_piped_through(folder):
    fit()
    shown = run("score", "data.csv", "--model", "model.json").stdout
    arguments = ("score", "-", "--format", "csv", "--model", "model.json", "-o", "/dev/stdout")
    command = [sys.executable, "-c", "from aucmax.cli import main; main()", *arguments]
    result = subprocess.run(command, input=Path("data.csv").read_text(), capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout == shown
    assert "160 rows scored: /dev/stdout" in result.stderr
    assert "cannot infer the format" in refused(folder, "score", "/dev/null", "--model", "model.json")


def test_a_model_goes_where_a_link_points(folder):
    Path("model.json").symlink_to("elsewhere.json")
    fit()
    assert Path("model.json").is_symlink() and load("elsewhere.json").n_features == 7


def test_compare_a_file_with_a_figure(folder):
    arguments = ("--target", "is_fraud", "--models", "aucmax,exact", "--plot", "new/figure.png")
    shown = run("compare", "data.csv", *arguments).stdout
    assert "exact" in shown and "the rarer class" in shown and " tie" in shown
    assert Path("new/figure.png").read_bytes().startswith(b"\x89PNG")


def test_a_folder_does_not_hide_a_data_set(folder):
    Path("digits").mkdir()
    assert "1,797 rows" in run("compare", "digits", "--models", "exact", "--cv", 2).stdout


def test_compare_a_data_set_as_json(folder):
    arguments = ("--models", "exact,cg", "--reference", "cg", "--cv", 3, "--json")
    plain = json.loads(run("compare", "breast_cancer", *arguments).stdout)
    assert plain["rows"] and plain["reference"] == "cg" and plain["n_folds"] == 3


def test_the_demo_ends_with_a_table_and_a_figure(folder):
    result = run("compare", "digits", "--plot", "demo/compare.png", "--models", "aucmax,exact")
    assert "1,797 rows" in result.stdout and Path("demo/compare.png").exists()
    assert result.stderr == ""


def test_lists_name_everything(folder):
    assert [item["name"] for item in json.loads(run("solvers", "--json").stdout)] == list(SOLVERS)
    assert all(name in run("solvers").stdout for name in SOLVERS)
    sets = {item["name"]: item["available"] for item in json.loads(run("datasets", "--json").stdout)}
    assert sets["digits"] and not sets["a9a"]
    assert "digits" in run("datasets").stdout


@pytest.mark.parametrize("name", sorted(aucmax.commands))
def test_every_command_has_help_and_is_documented(name):
    shown = run(name, "--help").stdout
    assert aucmax.commands[name].help in " ".join(shown.split())
    page = PAGE.read_text()
    assert f"## `aucmax {name}`" in page
    for parameter in aucmax.commands[name].params:
        assert parameter.param_type_name == "argument" or parameter.help
        longest = max(parameter.secondary_opts or parameter.opts, key=len)
        assert parameter.param_type_name == "argument" or longest in page


def test_without_arguments_the_commands_are_listed():
    result = CliRunner().invoke(aucmax, [])
    assert all(name in result.output for name in aucmax.commands)


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
    assert message in refused(folder, "fit", "bad.csv", "--target", "is_fraud", "-o", "model.json")
    assert message in refused(folder, "compare", "bad.csv", "--target", "is_fraud", "--plot", "x.png")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([-1] + [1] * 159, "is -1.0 in row 1; give a finite number of zero or more"),
        ([0] * 160, "all weights in column 'copies' are zero"),
        (["", *[1] * 159], "is nan in row 1"),
        (["inf", *[1] * 159], "is inf in row 1"),
        (["many"] * 160, "are not numbers"),
        ([int(i % 5 != 0) for i in range(160)], "all weights of the positive class are zero"),
    ],
)
def test_bad_weights_are_refused(folder, columns, cells, message):
    write("bad.csv", columns | {"copies": cells})
    arguments = ("--target", "is_fraud", "--weight", "copies", "-o", "model.json")
    assert message in refused(folder, "fit", "bad.csv", *arguments)


@pytest.mark.parametrize("text", [b"", b"\n\n", b"a,b\n1,2,3\n", b'a,b\n"1,2\n', b"\xff\xfe\x00", b"a,a\n1,2\n"])
def test_damaged_tables_are_refused(folder, text):
    Path("bad.csv").write_bytes(text)
    assert "bad.csv" in refused(folder, "fit", "bad.csv", "--target", "a", "-o", "model.json")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_matrices_that_are_not_finite_are_refused(folder, value):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.arange(60) % 3 == 0
    np.savez("good.npz", X=X, y=y)
    run("fit", "good.npz", "-o", "model.json", "--no-baseline")
    X[7, 1] = value
    np.savez("bad.npz", X=X, y=y)
    assert f"row 8 has {value} in column 2" in refused(folder, "fit", "bad.npz", "-o", "new.json")
    message = "the score of row 8 is not finite"
    assert message in refused(folder, "score", "bad.npz", "--model", "model.json", "-o", "scores.csv")
    assert message in refused(folder, "evaluate", "bad.npz", "--model", "model.json")


def test_a_table_that_cannot_be_scored_leaves_no_header(folder):
    fit()
    Path("other.csv").write_text("a,b\n1,2\n")
    result = run("score", "other.csv", "--model", "model.json", code=1)
    assert "lacks the columns" in result.stderr and result.stdout == ""


def test_a_matrix_for_a_model_of_named_columns_is_refused(folder):
    fit()
    np.savez("matrix.npz", X=np.ones((3, 2)), y=[0, 1, 1])
    assert "a matrix has no column names" in refused(folder, "score", "matrix.npz", "--model", "model.json")


@pytest.mark.parametrize("alpha", ["nan", "inf", "-1"])
def test_alpha_must_be_finite_and_not_negative(folder, alpha):
    refused(folder, "fit", "data.csv", "--target", "is_fraud", "-o", "model.json", "--alpha", alpha, code=2)


def test_a_truncated_model_is_refused(folder):
    fit()
    content = Path("model.json").read_bytes()
    for size in {0, 1, 2, len(content) - 2, len(content) - 1, *range(0, len(content), len(content) // 40)}:
        Path("cut.json").write_bytes(content[:size])
        message = refused(folder, "score", "data.csv", "--model", "cut.json", "-o", "scores.csv")
        assert "cut.json" in message


def test_a_column_missing_when_scoring_is_named(folder, columns):
    fit()
    del columns["hour"]
    write("bad.csv", columns)
    for command in (("score", "bad.csv", "-o", "scores.csv"), ("evaluate", "bad.csv")):
        assert "lacks the columns ['hour']" in refused(folder, *command, "--model", "model.json")


def test_a_bad_row_far_down_leaves_no_scores_behind(folder, columns):
    fit()
    write("bad.csv", columns | {"hour": [*columns["hour"][:-1], "noon"]})
    message = refused(folder, "score", "bad.csv", "--model", "model.json", "-o", "scores.csv")
    assert "column 'hour' was numeric in training, but now holds 'noon'" in message


def test_another_label_when_evaluating_is_named(folder, columns):
    fit()
    write("bad.csv", columns | {"is_fraud": ["yes", "no"] * 80})
    assert "the classes of the model are ['honest', 'fraud']" in refused(
        folder, "evaluate", "bad.csv", "--model", "model.json"
    )


def test_inputs_are_never_overwritten(folder):
    fit()
    assert "is also an input" in refused(folder, "fit", "data.csv", "--target", "is_fraud", "-o", "./data.csv")
    assert "is also an input" in refused(folder, "score", "data.csv", "--model", "model.json", "-o", "model.json")


def test_absent_files_and_labels_are_named(folder):
    fit()
    gone = "nothing.csv: No such file or directory"
    assert gone in refused(folder, "fit", "nothing.csv", "--target", "a", "-o", "new.json")
    assert gone in refused(folder, "compare", "nothing.csv")
    assert "nothing.csv.xz: No such" in refused(folder, "compare", "nothing.csv.xz")
    assert gone in refused(folder, "score", "nothing.csv", "--model", "model.json", "-o", "scores.csv")
    assert "nothing.json" in refused(folder, "score", "data.csv", "--model", "nothing.json")
    assert "unknown data set 'digit'" in refused(folder, "compare", "digit")
    assert "AUCMAX_DATA is not set" in refused(folder, "compare", "a9a")
    assert "has no label 'even'; choose the positive classes" in refused(
        folder, "compare", "digits", "--positive", "even"
    )
    assert "no label 'theft'" in refused(
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
    assert message in refused(folder, *arguments, code=2)


def test_a_threshold_that_no_score_meets_is_refused(folder, columns):
    amount = columns["amount"].copy()
    amount[1] = "1e6"  # a negative far above all others, on whatever fold
    write("bad.csv", {"amount": amount, "hour": columns["hour"], "is_fraud": columns["is_fraud"]})
    arguments = ("--target", "is_fraud", "-o", "model.json", "--no-baseline", "--threshold-at", "precision=1")
    assert "no threshold" in refused(folder, "fit", "bad.csv", *arguments)


def test_interrupting_leaves_no_file_behind(folder, monkeypatch):
    fit()

    def interrupt(model, table, *rest):
        raise KeyboardInterrupt

    monkeypatch.setattr(scoring, "_score_rows", interrupt)
    message = refused(folder, "score", "data.csv", "--model", "model.json", "-o", "scores.csv", code=130)
    assert message.strip() == "error: interrupted"


def test_labels_that_look_like_markup_are_shown_as_they_are(folder, columns):
    marked = {"fraud": "[red]yes[/]", "honest": "no"}
    write("bad.csv", columns | {"is_fraud": [marked[label] for label in columns["is_fraud"]]})
    run("fit", "bad.csv", "--target", "is_fraud", "-o", "model.json", "--no-baseline")
    assert "predicted [red]yes[/]" in run("evaluate", "bad.csv", "--model", "model.json").stdout


@pytest.mark.parametrize("module", ["click", "rich"])
def test_without_click_or_rich_it_says_how_to_install_them(module):
    code = f"import sys; sys.modules[{module!r}] = None; import aucmax; from aucmax.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 1
    assert "pip install 'aucmax[cli]'" in result.stderr and "Traceback" not in result.stderr


def test_output_cannot_be_a_dash(folder):
    assert "omit -o to write to stdout" in refused(
        folder, "fit", "data.csv", "--target", "is_fraud", "-o", "-", code=1
    )
