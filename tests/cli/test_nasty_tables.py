"""Tables as strangers send them: the expected findings and outcome; the shell and Python agree."""

import csv
import json
from pathlib import Path

import pytest

pytest.importorskip("click")
from command_line import expect_error, run
from nasty_tables import make_tables
from sklearn.pipeline import make_pipeline

from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.tables import TableEncoder, encode_target, read

pytestmark = pytest.mark.thorough

TABLES = make_tables()
GOOD = [name for name, table in TABLES.items() if table.error is None]
BAD = [name for name, table in TABLES.items() if table.error is not None]


@pytest.fixture
def write_table(tmp_path, monkeypatch):
    """Write the table of that name in a working directory of its own."""
    monkeypatch.chdir(tmp_path)

    def write(name):
        Path("data.csv").write_bytes(TABLES[name].content)
        return TABLES[name]

    return write


def fit(table, *more):
    arguments = ("fit", "data.csv", "--target", "target", "-o", "model.json", "--no-baseline")
    return run(*arguments, *table.options, *more)


def reading(table):
    return {"encoding": table.options[1]} if "--encoding" in table.options else {}


def option(table, name):
    return [table.options[i + 1] for i, word in enumerate(table.options) if word == name]


def is_clean(text):
    return all(character.isprintable() or character == "\n" for character in text)


def columns_by_code(findings):
    found = {}
    for finding in findings:
        found.setdefault(finding["code"], []).extend(finding["columns"])
    return found


def test_there_are_at_least_30():
    assert len(TABLES) >= 30 and len(BAD) >= 10


@pytest.mark.parametrize("name", GOOD)
def test_findings_and_outcome(write_table, name):
    table = write_table(name)
    result = fit(table, "--json")
    report = json.loads(result.stdout)
    assert columns_by_code(report["findings"]) == table.findings
    assert report["rows"] == table.rows
    assert table.n_features is None or report["features"] == table.n_features
    shown = [line.split()[1] for line in result.stderr.splitlines() if line.startswith("warning: ")]
    assert shown == [finding["code"] for finding in report["findings"]]
    assert is_clean(result.stderr)


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_fitted_says_why(write_table, tmp_path, name):
    table = write_table(name)
    arguments = ("fit", "data.csv", "--target", "target", "-o", "model.json", *table.options)
    assert table.error in expect_error(tmp_path, *arguments)


@pytest.mark.filterwarnings("ignore::aucmax.tables.column_learning.MixedColumnWarning")
@pytest.mark.parametrize("name", GOOD)
def test_shell_and_encoder_agree_to_the_last_bit(write_table, name):
    table = write_table(name)
    fit(table, "--ignore", ",".join(table.findings) or "AUC101")
    shown = run("score", "data.csv", "--model", "model.json", *(["--encoding", "latin-1"] if reading(table) else []))
    rows = list(csv.DictReader(shown.stdout.splitlines()))
    data = read("data.csv", **reading(table))
    positive = next(iter(option(table, "--positive")), None)
    y, _ = encode_target(data, "target", positive)
    encoder = TableEncoder(keep=option(table, "--keep"), drop=option(table, "--drop"))
    cv = next(iter(option(table, "--cv")), 5)
    model = make_pipeline(encoder, AUCClassifierCV(loss=["squared"], cv=cv, random_state=0))
    scores = model.fit(data.drop("target"), y).decision_function(data.drop("target"))
    assert [float(row["score"]) for row in rows] == scores.tolist()


def test_a_column_called_score_can_stand_in_front_of_the_scores(write_table):
    table = write_table("a column called score")
    fit(table)
    lines = run("score", "data.csv", "--model", "model.json", "--id", "score").stdout.splitlines()
    assert len(lines) == table.rows + 1 and len(lines[0].split(",")) == 4


def test_one_against_the_rest_is_evaluated_as_it_was_trained(write_table):
    table = write_table("one against the rest")
    assert json.loads(fit(table, "--json").stdout)["negative"] == "not fraud"
    report = json.loads(run("evaluate", "data.csv", "--model", "model.json", "--json").stdout)
    labels = [row["target"] for row in csv.DictReader(table.content.decode().splitlines())]
    assert report["positives"] == labels.count("fraud") and report["rows"] == len(labels)
    Path("data.csv").write_bytes(table.content.replace(b"honest", b"dishonest"))
    assert "has labels ['dishonest']" in run("evaluate", "data.csv", "--model", "model.json", code=1).stderr


def test_ignored_findings_are_not_shown(write_table):
    table = write_table("leak")
    assert "AUC102" in fit(table).stderr
    result = fit(table, "--ignore", "auc102", "--json")
    assert result.stderr == "" and json.loads(result.stdout)["findings"] == []
    arguments = ("fit", "data.csv", "--target", "target", "-o", "m.json", "--ignore", "AUC999")
    assert "unknown code 'AUC999'" in run(*arguments, code=2).stderr


def test_compare_shows_the_same_findings(write_table):
    write_table("copy")
    arguments = ("compare", "data.csv", "--target", "target", "--models", "exact,cg", "--cv", 2)
    assert "warning: AUC103 columns 'income', 'income_2'" in run(*arguments).stderr
    dropped = json.loads(run(*arguments, "--drop", "income_2", "--json").stdout)
    assert dropped["findings"] == [] and dropped["left_out"] == {"income_2": "dropped as asked"}


def test_columns_to_keep_and_drop_must_be_there_and_usable(write_table, tmp_path):
    write_table("uuid")
    arguments = ("fit", "data.csv", "--target", "target", "-o", "model.json")
    assert "no column 'incme'; did you mean one of ['income'" in expect_error(tmp_path, *arguments, "--drop", "incme")
    assert "cannot be kept: {'u': \"free text" in expect_error(tmp_path, *arguments, "--keep", "u")
