"""Names and labels with control characters, markup, formulas and mathematics: shown escaped, stored as they are."""

import csv
import io
import json
from pathlib import Path

import pytest

pytest.importorskip("click")
from command_line import expect_error, run, write

from aucmax.cli.score import ScoreWriter, without_formulas
from aucmax.cli.terminal import printable
from aucmax.tables.cells import as_column
from aucmax.tables.table_writer import text_writer

CLEAR = "\x1b[2J\x1b]0;owned\x07"
BIDI = "\u202e"


def is_clean(text):
    return all(character.isprintable() or character == "\n" for character in text)


def hostile_columns(columns):
    """The table with control characters and markup in every name and label."""
    labels = [f"{CLEAR}[red]yes" if label == "fraud" else f"[/]no{BIDI}" for label in columns["is_fraud"]]
    return {
        f"amount{CLEAR}": columns["amount"],
        f"[bold]hour[/bold]{BIDI}": columns["hour"],
        f"planet\r{CLEAR}": columns["planet"],
        f"target{CLEAR}": labels,
    }


@pytest.mark.parametrize("name", [f"a{CLEAR}.csv", f"[red]{BIDI}.csv", "a\udcff.csv"])
def test_control_characters_never_reach_the_screen(folder, columns, name):
    table = hostile_columns(columns)
    write(name, table)
    target = f"target{CLEAR}"
    shown = [run("fit", name, "--target", target, "-o", f"m{CLEAR}.json", "--no-baseline")]
    shown.append(run("evaluate", name, "--model", f"m{CLEAR}.json"))
    shown.append(run("score", name, "--model", f"m{CLEAR}.json", "-o", f"s{CLEAR}.csv"))
    shown.append(run("compare", name, "--target", target, "--models", "exact,cg", "--cv", "2"))
    shown.append(run("fit", name, "--target", CLEAR, "-o", "m.json", code=1))
    shown.append(run("fit", name, "--target", target, "--positive", CLEAR, "-o", "m.json", code=1))
    shown.append(run("score", f"{CLEAR}absent.csv", "--model", f"m{CLEAR}.json", code=1))
    shown.append(run("fit", name, "--solver", CLEAR, "-o", "m.json", code=2))
    shown.append(run(CLEAR, code=2))
    assert all(is_clean(result.stdout) and is_clean(result.stderr) for result in shown)
    assert "[red]yes" in shown[1].stdout and "\\x1b[2J" in shown[1].stdout
    with open(f"s{CLEAR}.csv", newline="") as file:
        assert {row["prediction"] for row in csv.DictReader(file)} <= set(table[target])
    described = json.loads(run("fit", name, "--target", target, "-o", "m.json", "--no-baseline", "--json").stdout)
    assert described["positive"] == f"{CLEAR}[red]yes"


@pytest.mark.filterwarnings("default")
def test_warnings_are_escaped(folder, columns):
    write("data.csv", {f"town{CLEAR}": columns["country"], "hour": columns["hour"], "y": columns["is_fraud"]})
    run("fit", "data.csv", "--target", "y", "-o", "m.json", "--no-baseline")
    write("new.csv", {f"town{CLEAR}": ["Atlantis"] * 160, "hour": columns["hour"]})
    result = run("score", "new.csv", "--model", "m.json", "-o", "s.csv")
    assert "town\\x1b[2J" in result.stderr and is_clean(result.stderr)


@pytest.mark.parametrize("name", ["a$x_$_.csv", "a$\\frac{$.csv", f"{CLEAR}.csv", "$.csv"])
def test_file_names_in_titles_are_not_mathematics(folder, columns, name):
    pytest.importorskip("matplotlib")
    write(name, columns)
    result = run("compare", name, "--target", "is_fraud", "--models", "exact,cg", "--cv", "2", "--plot", "p.svg")
    assert Path("p.svg").stat().st_size and result.stdout.endswith("figure: p.svg\n")


def test_results_are_not_lost_if_the_figure_cannot_be_written(folder, monkeypatch):
    def fail(*arguments):
        raise OSError("the disk is full")

    monkeypatch.setattr("aucmax.cli.commands.compare.write_plot", fail)
    arguments = ("data.csv", "--target", "is_fraud", "--models", "exact,cg", "--cv", "2", "--plot", "p.png")
    assert "exact" in run("compare", *arguments, code=1).stdout
    assert json.loads(run("compare", *arguments, "--json", code=1).stdout)["data"] == "data.csv"


def test_formulas_are_quoted_if_asked(folder, columns):
    ids = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "-5", "+3.5", "plain", "a=b"]
    write("data.csv", columns | {"id": ids * 20, "is_fraud": [f"={label}" for label in columns["is_fraud"]]})
    run("fit", "data.csv", "--target", "is_fraud", "-o", "m.json", "--no-baseline")
    arguments = ("score", "data.csv", "--model", "m.json", "--id", "id")
    plain = [line.split(",") for line in run(*arguments).stdout.splitlines()]
    safe = [line.split(",") for line in run(*arguments, "--excel-safe").stdout.splitlines()]
    quoted = ["'=1+1", "'+cmd|' /C calc'!A0", "'-2+3", "'@SUM(1)", "-5", "+3.5", "plain", "a=b"]
    assert [row[0] for row in plain[1:9]] == ids and [row[0] for row in safe[1:9]] == quoted
    assert [row[1:-1] for row in plain] == [row[1:-1] for row in safe]  # the scores, some of them negative
    assert {row[-1] for row in safe[1:]} <= {"'=fraud", "'=honest"}


def test_scores_on_a_terminal_are_escaped():
    out = io.BytesIO()
    columns = {f"id{CLEAR}": as_column([CLEAR]), "score": as_column([0.5])}
    ScoreWriter(text_writer(out), terminal=True).write_columns(columns)
    escaped = "\\x1b[2J\\x1b]0;owned\\x07"
    assert out.getvalue().decode() == f"id{escaped},score\n{escaped},0.5\n"


def test_what_is_escaped():
    assert printable("größer [b] 価格 $x_$") == "größer [b] 価格 $x_$"
    assert printable("a\tb\u200b\udcff\U000e0001") == "a\\tb\\u200b\\udcff\\U000e0001"
    assert without_formulas(as_column(["\t=1", "-1.5"])).to_pylist() == ["'\t=1", "-1.5"]


def test_a_missing_column_is_shown_escaped(folder, columns):
    message = expect_error(folder, "fit", "data.csv", "--target", CLEAR, "-o", "m.json")
    assert "\\x1b" in message
