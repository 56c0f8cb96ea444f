"""Help, documentation and lists; starting the command line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

pytest.importorskip("click")
from click.testing import CliRunner
from command_line import run
from pyarrow import csv as pa_csv
from pyarrow import parquet

from aucmax import TableEncoder, save
from aucmax.cli import commands
from aucmax.cli.group import COMMANDS, aucmax
from aucmax.comparison.reproduction import PAPERS
from aucmax.models import Calibration, LinearScorer, ModelMetadata, SavedModel
from aucmax.solvers import SOLVERS

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_lists_name_everything(folder):
    assert [item["name"] for item in json.loads(run("solvers", "--json").stdout)] == list(SOLVERS)
    assert all(name in run("solvers").stdout for name in SOLVERS)
    sets = {item["name"]: item["available"] for item in json.loads(run("datasets", "--json").stdout)}
    assert sets["digits"] and not sets["a9a"]
    assert "digits" in run("datasets").stdout


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_and_is_documented(name):
    command = aucmax.get_command(None, name)
    shown = run(name, "--help").stdout
    assert " ".join(command.help.split()) in " ".join(shown.split())
    assert f"## `aucmax {name}`" in PAGE.read_text()
    assert all(parameter.param_type_name == "argument" or parameter.help for parameter in command.params)


def test_options_that_the_page_names_exist():
    page = PAGE.read_text()
    options = [option for name in COMMANDS for option in aucmax.get_command(None, name).params]
    known = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page)) - known == {"--help"}


def test_papers_are_listed_with_a_hint_if_their_folder_is_not_there(folder):
    hint = "there is no folder papers; run this in a clone of aucmax, or name its folder with --papers"
    result = run("reproduce", "--list")
    assert result.stderr == f"warning: {hint}\n" and "dan_2019" in result.stdout
    assert [item["cells"] for item in json.loads(run("reproduce", "--json").stdout)] == [0] * len(PAPERS)
    for arguments in (("dan_2019",), ("--pages",), ("--pages", "--list")):
        assert run("reproduce", *arguments, code=1).stderr == f"error: {hint}\n"
    assert not (folder / "papers").exists()
    clone = Path(__file__).parents[2] / "papers"
    assert run("reproduce", "--list", "--papers", clone).stderr == ""


def test_without_arguments_the_commands_are_listed():
    result = CliRunner().invoke(aucmax, [])
    assert all(name in result.output for name in COMMANDS)


def test_every_command_stands_in_the_list():
    files = {path.stem for path in Path(commands.__file__).parent.glob("*.py")}
    assert files - {"__init__"} == set(COMMANDS)


def test_the_list_of_commands_quotes_their_help():
    assert {name: aucmax.get_command(None, name).help.splitlines()[0] for name in COMMANDS} == COMMANDS


@pytest.mark.parametrize("module", ["click", "rich"])
def test_without_click_or_rich_it_says_how_to_install_them(module):
    code = f"import sys; sys.modules[{module!r}] = None; import aucmax; from aucmax.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", code, "solvers"], capture_output=True, text=True)
    assert result.returncode == 1
    assert "pip install '.[cli]'" in result.stderr and "Traceback" not in result.stderr


HEAVY = (
    "numpy",
    "scipy.sparse",
    "scipy.stats",
    "sklearn",
    "numba",
    "click",
    "rich",
    "pyarrow",
    "pandas",
    "matplotlib",
)


def loaded_modules(code):
    """Which of the heavy packages are loaded after this code."""
    script = f"import sys\ntry:\n    {code}\nfinally:\n    print(*[m for m in {HEAVY} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    return result.stdout.splitlines()[-1].split()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_imports_nothing_heavy(arguments):
    code = f"sys.argv = ['aucmax', *{arguments}]; from aucmax.cli import main; main()"
    assert loaded_modules(code) == ["click"]


def test_importing_the_package_imports_nothing_heavy():
    assert loaded_modules("import aucmax") == []


def test_an_estimator_imports_no_more_than_scikit_learn():
    """No reader, no plots, no statistics, and Numba only when a loop is first called."""
    theirs = loaded_modules("import sklearn.linear_model, sklearn.model_selection")
    ours = loaded_modules("from aucmax import AUCClassifierCV")
    assert set(ours) <= set(theirs)


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_scoring_with_a_linear_model_imports_what_it_needs(tmp_path, monkeypatch, name):
    """pandas is pyarrow's own choice, which imports it when it is installed."""
    monkeypatch.chdir(tmp_path)
    rows = pa.table({"age": [31.5, 42.0], "town": ["Rome", "Oslo"]})
    pa_csv.write_csv(rows, "rows.csv")  # with quotation marks
    parquet.write_table(rows, "rows.parquet")
    metadata = ModelMetadata((0, 1), encoder=TableEncoder().fit(rows), calibration=Calibration(1.0, 0.0))
    save(SavedModel(metadata, LinearScorer([1.0, 0.5, -0.5], 0.0)), "model.json")
    arguments = ["score", name, "--model", "model.json", "-o", "scores.csv"]
    code = f"sys.argv = ['aucmax', *{arguments}]; from aucmax.cli import main; main()"
    assert set(loaded_modules(code)) - {"pandas"} == {"numpy", "click", "pyarrow"}
    assert Path("scores.csv").read_text().splitlines()[0] == "score,probability,prediction"


def test_the_package_runs_as_a_module():
    result = subprocess.run([sys.executable, "-m", "aucmax", "--help"], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.startswith("Usage: aucmax [OPTIONS] COMMAND")
    assert "by directly maximising AUC." in result.stdout
