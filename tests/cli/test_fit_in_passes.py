"""`aucmax fit --memory`: files that need not fit in memory."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import make_columns, run, write
from nameless_files import kept_bytes

import aucmax
from aucmax.cli import progress
from aucmax.scale import PassProgress
from aucmax.tables import read

FILES = {"--target": "is_fraud", "--positive": "fraud", "--drop": "id"}
OPTIONS = [word for pair in FILES.items() for word in pair]


@pytest.fixture
def files(tmp_path):
    for k in range(3):
        write(tmp_path / f"part{k}.csv", make_columns(seed=k))
    return tmp_path / "part*.csv"


def test_a_glob_is_fitted_in_passes_and_the_model_scores(files, tmp_path):
    output = tmp_path / "m.json"
    result = run("fit", files, *OPTIONS, "-o", output)
    assert "480 rows, 7 features, " in result.stdout and " passes\n" in result.stdout
    assert "AUC of the out-of-fold scores: 0.8" in result.stdout
    assert aucmax.load(output).classes_.tolist() == ["honest", "fraud"]
    evaluation = run("evaluate", tmp_path / "part0.csv", "--model", output)
    assert "AUC 0.8" in evaluation.stdout


def test_json_report(files, tmp_path):
    arguments = ("--memory", "2GB", "--loss", "squared", "--json", "--threshold-at", "fpr=0.1", "--weight", "copies")
    report = json.loads(run("fit", files, *OPTIONS, *arguments, "-o", tmp_path / "m.json").stdout)
    assert (report["rows"], report["positives"]) == (480, 96)
    assert report["passes"] >= 3
    assert report["auc_low"] < report["auc"] < report["auc_high"]
    assert np.isfinite(report["threshold"])
    assert "planet" in report["left_out"]


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--loss", "logistic", "--alpha", "0.1"),
        ("--loss", "hinge", "--alpha", "0.1", "--decision", "balanced"),
        ("--loss", "squared,squared_hinge", "--cv", 3, "--seed", 4, "--decision", "probability"),
        ("--weight", "copies", "--threshold-at", "tpr=0.5"),
        ("--solver", "cg", "--threshold-at", "fpr=0.1"),
        ("--solver", "newton", "--loss", "logistic", "--threshold-at", "fpr=0.1", "--weight", "copies"),
        ("--kernel", "rbf", "--threshold-at", "precision=0.5"),
    ],
    ids=str,
)
def test_the_model_is_that_of_memory(files, tmp_path, options):
    rows = [make_columns(seed=k) for k in range(3)]
    write(tmp_path / "all.csv", {name: [cell for part in rows for cell in part[name]] for name in rows[0]})
    arguments = (*OPTIONS, *options, "--json", "-o", tmp_path / "m.json")
    report = json.loads(run("fit", files, *arguments).stdout)
    scores = aucmax.load(tmp_path / "m.json").decision_function(read(tmp_path / "all.csv"))
    expected = json.loads(run("fit", tmp_path / "all.csv", "--no-baseline", *arguments).stdout)
    of_memory = aucmax.load(tmp_path / "m.json").decision_function(read(tmp_path / "all.csv"))
    np.testing.assert_allclose(scores, of_memory, atol=1e-5 * np.abs(of_memory).max())
    for name in ("alpha", "threshold"):
        assert report[name] == (None if expected[name] is None else pytest.approx(expected[name], rel=1e-4))
    for name in ("loss", "solver", "kernel", "l1_ratio", "left_out", "features", "positive", "rows", "positives"):
        assert report[name] == expected[name]


def test_a_kernel_is_fitted_in_passes(files, tmp_path):
    result = run("fit", files, *OPTIONS, "--kernel", "rbf", "--json", "-o", tmp_path / "m.json")
    found = json.loads(result.stdout)
    assert found["auc"] > 0.7 and found["kind"] == "kernel"
    shown = run("fit", files, *OPTIONS, "--kernel", "rbf", "-o", tmp_path / "m.json").stdout
    assert f"kernel: rbf, gamma {found['gamma']:.3g}" in shown
    assert aucmax.load(tmp_path / "m.json").metadata.training["kernel"] == "rbf"


@pytest.mark.parametrize("weight", [(), ("--weight", "copies")])
def test_evaluate_in_passes_is_evaluate_in_memory(files, tmp_path, weight):
    model = tmp_path / "m.json"
    run("fit", files, *OPTIONS, "--loss", "squared", "-o", model)
    one = tmp_path / "part1.csv"
    whole = json.loads(run("evaluate", one, "--model", model, *weight, "--json").stdout)
    found = json.loads(run("evaluate", one, "--model", model, *weight, "--memory", "2GB", "--json").stdout)
    assert set(found) == set(whole)
    for name, value in whole.items():
        assert found[name] == (pytest.approx(value, rel=1e-10) if isinstance(value, float) else value), name
    assert json.loads(run("evaluate", files, "--model", model, "--json").stdout)["rows"] == 480
    report = ("--memory", "2GB", "--report", tmp_path / "r.html")
    assert "need all rows in memory" in run("evaluate", one, "--model", model, *report, code=2).stderr


def test_evaluate_in_passes_names_the_file_and_the_row(files, tmp_path):
    model = tmp_path / "m.json"
    run("fit", files, *OPTIONS, "--loss", "squared", "-o", model)
    text = (tmp_path / "part2.csv").read_text()
    (tmp_path / "part2.csv").write_text(text.replace("honest", "unheard", 1))
    message = run("evaluate", files, "--model", model, code=1).stderr
    assert "part2.csv, rows 1 to 160" in message and "unheard" in message


def test_evaluate_reads_a_pipe(files, tmp_path):
    model = tmp_path / "m.json"
    run("fit", files, *OPTIONS, "--loss", "squared", "-o", model)
    one = tmp_path / "part1.csv"
    command = [sys.executable, "-m", "aucmax", "evaluate", "-", "--format", "csv", "--model", str(model), "--json"]
    piped = subprocess.run(command, input=one.read_bytes(), capture_output=True, check=True)
    expected = json.loads(run("evaluate", one, "--model", model, "--json").stdout)
    assert json.loads(piped.stdout) == expected | {"data": "/dev/stdin"}


REFUSED = {
    "stack": (("--stack",), 2, "--stack cannot be used with --memory or several files"),
    "time": (("--time", "hour"), 2, "--time cannot be used with --memory or several files"),
    "solver": (("--solver", "spam"), 2, "--solver spam visits single rows"),
    "checkpoint": (("--checkpoint", "c"), 2, "No such option"),
    "memory": (("--memory", "much"), 2, "number of bytes"),
    "too little": (("--memory", "10KB"), 1, "memory='10KB' is too little"),
    "weight": (("--weight", "weights"), 1, "part0.csv, rows 1 to 160: there is no column 'weights'"),
    "negative": (("--weight", "amount"), 1, "part0.csv, rows 1 to 160: the weight in column 'amount' is"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_passes_cannot_do_is_refused_in_one_line(files, tmp_path, kind):
    options, code, message = REFUSED[kind]
    assert message in run("fit", files, *OPTIONS, *options, "-o", tmp_path / "m.json", code=code).stderr


def test_data_that_cannot_be_fitted_are_refused_in_one_line(files, tmp_path):
    output = ("-o", tmp_path / "m.json")
    assert "no file matches" in run("fit", tmp_path / "*.parquet", *OPTIONS, *output, code=1).stderr
    folder = run("fit", tmp_path, *OPTIONS, "--memory", "1GB", *output, code=1).stderr
    assert "is a folder; name its files" in folder
    assert "there is no column 'fraud'" in run("fit", files, "--target", "fraud", *output, code=1).stderr
    assert "has only one class, ['Earth']" in run("fit", files, "--target", "planet", *output, code=1).stderr
    pq.write_table(pa.table({"a": np.arange(100.0), "y": np.arange(100) % 2}), tmp_path / "short.parquet")
    path = tmp_path / "short.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    message = run("fit", path, "--memory", "1GB", "--target", "y", *output, code=1).stderr
    assert "short.parquet is not a valid Parquet file" in message
    assert not (tmp_path / "m.json").exists()


def test_a_short_fit_prints_no_lines_of_progress(files, tmp_path):
    assert run("fit", files, *OPTIONS, "--loss", "squared", "-o", tmp_path / "m.json").stderr == ""


@pytest.fixture
def every_pass(monkeypatch):
    """Print a line for every pass, however short."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)


def test_a_long_fit_prints_a_line_for_each_pass(files, tmp_path, every_pass):
    arguments = ("fit", files, *OPTIONS, "--loss", "squared", "-o", tmp_path / "m.json")
    result = run(*arguments)
    lines = result.stderr.splitlines()
    assert f"{len(lines)} passes" in result.stdout
    assert lines[0].startswith("pass 1: columns and labels, 480 rows in ")
    assert lines[1].startswith("pass 2: encoding, 480 rows in ")
    quiet = run(*arguments, "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")


def test_a_long_evaluation_prints_a_line(files, tmp_path, every_pass):
    run("fit", files, *OPTIONS, "--loss", "squared", "--quiet", "-o", tmp_path / "m.json")
    result = run("evaluate", files, "--model", tmp_path / "m.json")
    assert result.stderr.startswith("pass 1: scores, 480 rows in ") and result.stderr.count("\n") == 1


def test_lines_of_progress_are_at_least_a_second_apart(monkeypatch, capsys):
    clock = iter([0.0, 0.5, 1.2, 1.2, 1.3, 2.3, 2.3])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.pass_progress("reading") as show:
        for number in range(1, 5):
            show(PassProgress("scores", number, 1000, 1000, 0.1, ended=False))
            show(PassProgress("scores", number, 1000, 1000, 0.1, ended=True))
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == ["pass 2", "pass 4"]


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGKILL])
def test_a_fit_that_is_stopped_leaves_no_file(tmp_path, signal_number):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    rng = np.random.default_rng(0)
    y = rng.random(200_000) < 0.3
    columns = {f"x{j}": rng.normal(size=y.size) + 0.1 * y for j in range(10)}
    pq.write_table(pa.table({**columns, "y": y}), tmp_path / "rows.parquet")
    command = [sys.executable, "-m", "aucmax", "fit", tmp_path / "rows.parquet", "--memory", "1GB", "--target", "y"]
    command += ["--loss", "hinge", "-o", tmp_path / "m.json"]
    with subprocess.Popen(
        list(map(str, command)), env=os.environ | {"TMPDIR": str(temporary)}, stderr=subprocess.PIPE, text=True
    ) as fit:
        limit = time.monotonic() + 60
        while not kept_bytes(temporary, fit.pid) and time.monotonic() < limit:
            time.sleep(0.05)
        time.sleep(0.5)
        assert kept_bytes(temporary, fit.pid) > 0
        fit.send_signal(signal_number)
        _, messages = fit.communicate(timeout=60)
    assert fit.returncode == (130 if signal_number == signal.SIGINT else -signal.SIGKILL)
    if signal_number == signal.SIGINT:
        assert messages.splitlines()[-1] == "error: interrupted"
    assert not list(temporary.iterdir())
    assert not (tmp_path / "m.json").exists()


def write_wide(folder, n_rows, n_columns, n_files=2):
    """libsvm files of many columns, of which the first ten tell the label."""
    rng = np.random.default_rng(0)
    for k in range(n_files):
        lines = []
        for positive in rng.random(n_rows // n_files) < 0.3:
            columns = np.unique(np.append(rng.integers(1, 11, 3), [*rng.integers(11, n_columns, 20), n_columns]))
            values = rng.random(columns.size) + (columns < 11) * positive
            pairs = " ".join(f"{j}:{v:.4f}" for j, v in zip(columns, values))
            lines.append(f"{int(positive)} {pairs} # row")
        (folder / f"wide{k}.svm").write_text("\n".join(lines) + "\n")
    return folder / "wide*.svm"


def test_wide_libsvm_files_are_fitted_without_cross_validation(tmp_path):
    files = write_wide(tmp_path, 600, 20_000)
    result = run("fit", files, "--memory", "2GB", "--alpha", "500", "-o", tmp_path / "m.json")
    assert "20,000 features" in result.stdout and "not cross-validated" in result.stdout
    assert "squared loss, L2, solver cg" in result.stdout
    found = json.loads(run("evaluate", files, "--model", tmp_path / "m.json", "--memory", "2GB", "--json").stdout)
    assert found["auc"] > 0.8
    more = ("--loss", "logistic", "--threshold-at", "fpr=0.1")
    logistic = run("fit", files, "--memory", "2GB", "--alpha", "500", *more, "-o", tmp_path / "m.json")
    assert "logistic loss, L2, solver newton" in logistic.stdout and "out-of-fold scores" in logistic.stdout
    for options, message in (
        (("--loss", "logistic,squared"), "too many to compare losses in passes"),
        (("--decision", "probability"), "too many to cross-validate in passes"),
    ):
        wrong = run("fit", files, "--memory", "2GB", *options, "-o", tmp_path / "m.json", code=1)
        assert message in wrong.stderr


PEAK = """
import resource, sys
from aucmax.cli import main
sys.argv = ["aucmax", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def peak_of(*arguments):
    """The most memory that a command used, in bytes."""
    command = [sys.executable, "-c", PEAK, *map(str, arguments), "--quiet"]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


@pytest.mark.thorough
def test_peak_memory_is_below_the_limit(tmp_path):
    """Measured in a process of its own, all libraries included."""
    rng = np.random.default_rng(0)
    for k in range(4):
        y = rng.random(100_000) < 0.2
        columns = {f"x{j}": rng.normal(size=y.size) + 0.1 * y for j in range(50)}
        pq.write_table(pa.table({**columns, "y": y}), tmp_path / f"{k}.parquet", row_group_size=25_000)
    assert (
        peak_of("fit", tmp_path / "*.parquet", "--target", "y", "--memory", "900MB", "-o", tmp_path / "m.json")
        < 900e6
    )


@pytest.mark.thorough
def test_peak_memory_of_wide_files_is_below_the_limit(tmp_path):
    """Of 200,000 columns, of which dense rows would take 16 GB."""
    files = write_wide(tmp_path, 10_000, 200_000)
    options = ("--alpha", "500", "--solver", "cg", "-o", tmp_path / "m.json")
    assert peak_of("fit", files, "--memory", "900MB", *options) < 900e6
