"""`aucmax stream`: learns what comes, saves it, and continues from where it was."""

import json
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("click")
from command_line import run

import aucmax
from aucmax.models.model_file import load_checkpoint
from aucmax.solvers import SOLVERS
from aucmax.tables import TableEncoder, encode_target, read

ONLINE = [name for name in SOLVERS if SOLVERS[name].online]
COMMAND = ("stream", "rows.csv", "--target", "y", "--checkpoint", "m.json", "--batch", 50, "--first-rows", 100)


def make_lines(n=1030, seed=0):
    """CSV lines of numbers, missing values and categories."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    a = rng.normal(size=n) + y
    b = rng.normal(size=n) * 100 + 1e5
    town = rng.choice(["Rome", "Oslo"], n)
    cells = zip(a.tolist(), b.tolist(), town.tolist(), y.tolist())
    rows = [f"{'' if i % 13 == 5 else a},{b!r},{c},{'yes' if t else 'no'}" for i, (a, b, c, t) in enumerate(cells)]
    return ["a,b,town,y", *rows]


@pytest.fixture
def lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = make_lines()
    write_lines("rows.csv", lines)
    return lines


def write_lines(path, lines):
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def contents(path="m.json"):
    """The model and the state of a stream, without the name of its file."""
    with open(path) as file:
        content = json.load(file)
    return content["scorer"], content["stream"] | {"source": None}, content["metadata"]["calibration"]


def test_the_model_is_a_fit_to_all_rows(lines):
    run(*COMMAND)
    table = read("rows.csv")
    y, classes = encode_target(table, "y")
    features = table.drop("y")
    encoder = TableEncoder().fit(features.slice(0, 100))
    fitted = aucmax.AUCClassifier(solver="exact").fit(encoder.transform(features), y)
    model = aucmax.load("m.json")
    assert model.metadata.classes == classes == ("no", "yes")
    np.testing.assert_allclose(model.scorer.coef, fitted.coef_[0], rtol=1e-9)
    assert model.metadata.training["rows"] == 1030
    auc = aucmax.metrics.roc_auc(y, model.decision_function(table))
    assert model.metadata.training["prequential_auc"] == pytest.approx(auc, abs=0.03)


def test_a_checkpoint_is_scored_and_evaluated_as_a_model(lines):
    run(*COMMAND)
    assert len(run("score", "rows.csv", "--model", "m.json").stdout.splitlines()) == 1031
    evaluation = json.loads(run("evaluate", "rows.csv", "--model", "m.json", "--json").stdout)
    assert evaluation["auc"] > 0.7


@pytest.mark.parametrize("solver", ONLINE)
def test_a_file_that_grows_is_read_once_and_to_the_last_bit(lines, solver):
    """In three runs, cut in the middle of batches, as in one."""
    run(*COMMAND, "--solver", solver)
    whole = contents()
    for end in (431, 777, 1031):
        write_lines("rows.csv", lines[:end])
        run(*COMMAND[:4], "--checkpoint", "parts.json", *COMMAND[6:], "--solver", solver)
        assert load_checkpoint("parts.json").n_rows == end - 1
    assert contents("parts.json") == whole


def test_json_lines_are_the_same_as_csv(lines):
    run(*COMMAND)
    names = lines[0].split(",")
    with open("rows.jsonl", "w") as file:
        for line in lines[1:]:
            cells = dict(zip(names, line.split(",")))
            row = {"b": float(cells["b"]), "town": cells["town"], "y": cells["y"]}
            first = {"a": float(cells["a"])} if cells["a"] else {}
            file.write(json.dumps(first | row) + "\n")
    run("stream", "rows.jsonl", "--target", "y", "--checkpoint", "j.json", *COMMAND[6:])
    assert contents("j.json")[0] == contents()[0]


def test_another_file_is_read_from_its_start(lines):
    write_lines("first.csv", lines[:501])
    write_lines("second.csv", [lines[0], *lines[501:]])
    for name in ("first.csv", "second.csv"):
        run("stream", name, "--checkpoint", "parts.json", "--target", "y", *COMMAND[6:])
    run(*COMMAND)
    parts, whole = contents("parts.json"), contents()
    assert parts[0] == whole[0] and parts[1]["source_rows"] == 530 and parts[1]["n_rows"] == 1030


def test_rows_are_skipped_as_asked(lines):
    write_lines("rows.csv", lines[:801])
    run(*COMMAND)
    write_lines("rows.csv", [lines[0], *lines[801:]])
    assert "rows.csv has 230 rows, but 800 were read" in run(*COMMAND, code=1).stderr
    run(*COMMAND, "--skip-rows", 0)
    parts = contents()
    write_lines("rows.csv", lines)
    run("stream", "rows.csv", "--checkpoint", "whole.json", "--target", "y", *COMMAND[6:])
    assert parts[0] == contents("whole.json")[0]


def test_fewer_rows_than_a_batch_are_saved_too(lines):
    write_lines("rows.csv", lines[:31])
    run(*COMMAND)
    assert load_checkpoint("m.json").n_rows == 30
    assert np.any(aucmax.load("m.json").scorer.coef)
    write_lines("rows.csv", lines)
    run(*COMMAND)
    assert load_checkpoint("m.json").n_rows == 1030


def test_columns_and_classes_of_a_model(lines):
    run("fit", "rows.csv", "--target", "y", "-o", "model.json", "--no-baseline", "--quiet", "--keep", "b")
    run("stream", "rows.csv", "--checkpoint", "m.json", "--model", "model.json")
    assert aucmax.load("m.json").metadata.encoder.to_dict() == aucmax.load("model.json").metadata.encoder.to_dict()
    message = run("stream", "rows.csv", "--checkpoint", "model.json", code=1).stderr
    assert "not a checkpoint of a stream" in message


def test_reports_and_drift(lines):
    turned = [line.replace("yes", "?").replace("no", "yes").replace("?", "no") for line in make_lines(1000, 1)[1:]]
    write_lines("rows.csv", lines + turned)
    result = run(*COMMAND, "--window", 200, "--every-rows", 500, "--json")
    reports = [json.loads(line) for line in result.stdout.splitlines()]
    assert [report["rows"] for report in reports] == [500, 1000, 1500, 2000, 2030]
    assert reports[1]["auc"] > 0.7 > 0.5 > reports[2]["auc"] and reports[0]["rows_per_second"] > 0
    assert "warning: drift: the AUC fell from 0.7" in result.stderr
    assert "warning: drift: the share of positives rose" in result.stderr


def test_options_that_contradict_the_checkpoint_are_refused(lines):
    run(*COMMAND)
    message = run(*COMMAND, "--solver", "spam", code=2).stderr
    assert "m.json was made with --solver exact, not spam" in message
    assert (
        "--forgetting is for the solver exact"
        in run(
            "stream",
            "rows.csv",
            "--target",
            "y",
            "--checkpoint",
            "n.json",
            "--solver",
            "oam",
            "--forgetting",
            0.9,
            code=2,
        ).stderr
    )


def expect_intact(lines, message):
    """A run over the file fails with the message, and saves the rows before; once the file is fixed it continues."""
    stderr = run(*COMMAND, code=1).stderr
    assert message in stderr
    write_lines("rows.csv", lines)
    run(*COMMAND)
    parts = contents()
    run("stream", "rows.csv", "--checkpoint", "whole.json", "--target", "y", *COMMAND[6:])
    assert parts == contents("whole.json")


@pytest.mark.parametrize(
    ("row", "line", "message"),
    [
        (901, "1.5,2", "rows.csv, line 902: 2 fields, but the header has 4"),
        (901, "1.5,2,Rome,maybe", "rows.csv, row 901: target 'y' has labels ['maybe']"),
        (901, "1.5,1e200,Rome,no", "rows.csv, row 901: the number 1e+200 is too large"),
        (901, "1.5,2,Rome,", "rows.csv, row 901: target 'y' is missing"),
        (60, "1.5,2,Rome,", "rows.csv, rows 1 to 100: target 'y' is missing in 1 rows, first in row 60"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_lost(lines, row, line, message):
    write_lines("rows.csv", [*lines[:row], line, *lines[row + 1 :]])
    expect_intact(lines, message)


def test_a_truncated_file_is_named_and_nothing_is_lost(lines):
    with open("rows.csv", "w") as file:
        file.write("\n".join(lines)[:-20])
    expect_intact(lines, "rows.csv, line 1031: ")


def test_files_that_are_not_there(lines):
    assert (
        "absent.csv: No such file"
        in run("stream", "absent.csv", "--target", "y", "--checkpoint", "m.json", code=1).stderr
    )
    assert "not parquet" in run("stream", "a.parquet", "--target", "y", "--checkpoint", "m.json", code=1).stderr


def test_a_full_disk_leaves_the_last_checkpoint(lines):
    write_lines("rows.csv", lines[:601])
    run(*COMMAND)
    before = contents()
    write_lines("rows.csv", lines)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        message = run(*COMMAND, code=1).stderr
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "m.json: File too large at row 1,030; the checkpoint of row 600 is intact" in message
    assert contents() == before
    run(*COMMAND)
    assert load_checkpoint("m.json").n_rows == 1030


def start(*arguments):
    script = "from aucmax.cli import main; main()"
    words = [sys.executable, "-c", script, *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(words, text=True, **pipes)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_rows_of_a_pipe_are_reported_at_once_and_saved_at_a_signal(lines, number, code):
    """Interrupted between rows of an incomplete batch; a second pipe continues as if it were the same."""
    run(*COMMAND)
    options = ("stream", "-", *COMMAND[2:4], "--checkpoint", "pipe.json", *COMMAND[6:])
    process = start(*options, "--every-rows", 400, "--every-seconds", 0.5)
    process.stdin.write("\n".join(lines[:531]) + "\n")
    process.stdin.flush()
    for expected in ("400 rows, ", "530 rows, "):  # 130 rows after half a second of silence
        assert process.stdout.readline().startswith(expected)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == code
    assert stderr == "error: interrupted; 530 rows are in pipe.json: the same command continues from there\n"
    process = start(*options)
    _, stderr = process.communicate("\n".join([lines[0], *lines[531:]]) + "\n", timeout=60)
    assert (process.returncode, stderr) == (0, "")
    pipe, whole = contents("pipe.json"), contents()
    assert pipe[0] == whole[0] and pipe[1]["estimator"] == whole[1]["estimator"]


def test_a_signal_before_the_first_rows_saves_nothing(lines):
    process = start("stream", "-", *COMMAND[2:], "--every-seconds", 0.2)
    process.stdin.write("a,b,town,y\n1,2,Rome,no\n")
    process.stdin.flush()
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in stderr
