"""`aucmax fit --memory`: files that need not fit in memory."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import make_columns, run, write

import aucmax
from aucmax.scale.fit_checkpoint import FitCheckpoint

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
    assert "480 rows, 7 features, read" in result.stdout
    assert "AUC of the out-of-fold scores: 0.8" in result.stdout
    assert aucmax.load(output).classes_.tolist() == ["honest", "fraud"]
    evaluation = run("evaluate", tmp_path / "part0.csv", "--model", output)
    assert "AUC 0.8" in evaluation.stdout


def test_json_report(files, tmp_path):
    arguments = ("--memory", "2GB", "--loss", "squared", "--json", "--threshold-at", "fpr=0.1", "--weight", "copies")
    found = json.loads(run("fit", files, *OPTIONS, *arguments, "-o", tmp_path / "m.json").stdout)
    assert (found["rows"], found["positives"], found["passes"]) == (480, 96, 4)
    assert found["auc_low"] < found["auc"] < found["auc_high"]
    assert np.isfinite(found["threshold"])
    assert "planet" in found["left_out"]


def test_the_logistic_loss(files, tmp_path):
    result = run("fit", files, *OPTIONS, "--loss", "logistic", "--alpha", "0.1", "-o", tmp_path / "m.json")
    assert "solver newton" in result.stdout


def test_a_kernel_is_fitted_in_passes(files, tmp_path):
    result = run("fit", files, *OPTIONS, "--kernel", "rbf", "--json", "-o", tmp_path / "m.json")
    found = json.loads(result.stdout)
    assert found["auc"] > 0.7 and found["kind"] == "kernel"
    shown = run("fit", files, *OPTIONS, "--kernel", "rbf", "-o", tmp_path / "m.json").stdout
    assert f"kernel: rbf, gamma {found['gamma']:.3g}" in shown
    assert aucmax.load(tmp_path / "m.json").metadata.training["kernel"] == "rbf"


def test_a_checkpoint_is_used_and_removed(files, tmp_path):
    plain, resumed, checkpoint = tmp_path / "plain.json", tmp_path / "resumed.json", tmp_path / "fit.sums"
    options = (*OPTIONS, "--loss", "squared", "--memory", "2GB")
    run("fit", files, *options, "-o", plain)
    sums = FitCheckpoint(checkpoint)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aucmax.cli.commands.fit.save", lambda *unused: (_ for _ in ()).throw(OSError("stopped")))
        assert "stopped" in run("fit", files, *options, "--checkpoint", checkpoint, "-o", resumed, code=1).stderr
    assert sums.path.exists()
    run("fit", files, *options, "--checkpoint", checkpoint, "-o", resumed)
    assert not checkpoint.exists()
    assert aucmax.load(resumed).scorer.coef.tobytes() == aucmax.load(plain).scorer.coef.tobytes()


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


def test_options_that_passes_do_not_have_are_refused(files, tmp_path):
    output = ("-o", tmp_path / "m.json")
    assert "--stack cannot be used" in run("fit", files, *OPTIONS, "--stack", *output, code=2).stderr
    one = ("fit", tmp_path / "part0.csv", *OPTIONS, "--checkpoint", tmp_path / "c", *output)
    assert "--checkpoint is for fits in passes" in run(*one, code=2).stderr
    assert "number of bytes" in run("fit", files, *OPTIONS, "--memory", "much", *output, code=2).stderr
    assert "no file matches" in run("fit", tmp_path / "*.parquet", *OPTIONS, *output, code=1).stderr


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
    wrong = run("fit", files, "--memory", "2GB", "--loss", "logistic", "-o", tmp_path / "m.json", code=1)
    assert "too many to cross-validate in passes; use the squared loss" in wrong.stderr


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
    """Also with a checkpoint, and with 200,000 columns, of which dense rows would take 16 GB."""
    files = write_wide(tmp_path, 10_000, 200_000)
    options = ("--alpha", "500", "--solver", "cg", "--checkpoint", tmp_path / "s", "-o", tmp_path / "m.json")
    assert peak_of("fit", files, "--memory", "900MB", *options) < 900e6
