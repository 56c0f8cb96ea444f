"""The other findings, their codes, and the page that explains them."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from aucmax.metrics import auc_interval
from aucmax.tables import CODES, Finding, NewRows, Table, TableEncoder, check_table
from aucmax.tables.findings.class_counts import few_of_a_class
from aucmax.tables.table_findings import check_matrix

PAGE = Path(__file__).parents[3] / "docs" / "findings.md"


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_every_code_has_a_section_of_the_page():
    sections = re.findall(r"^## `(AUC\d+)`: (.+)$", PAGE.read_text(), flags=re.MULTILINE)
    assert dict(sections) == CODES


def test_a_finding_is_json_and_one_line():
    finding = Finding("AUC103", "columns 'a\\nb' are copies", "drop one", ("a\nb", "c"))
    assert json.loads(json.dumps(finding.to_dict()))["columns"] == ["a\nb", "c"]
    assert len(str(finding).splitlines()) == 1 and str(finding).startswith("AUC103 ")
    with pytest.raises(ValueError, match="unknown code 'AUC000'"):
        Finding("AUC000", "", "")


def test_codes_can_be_ignored(rng):
    table = Table({"id": np.arange(50), "x": rng.normal(size=50), "one": np.ones(50), "y": np.arange(50) % 10 == 0})
    assert [finding.code for finding in check_table(table, "y")] == ["AUC101", "AUC107", "AUC108"]
    assert [finding.code for finding in check_table(table, "y", ignore=["AUC101", "AUC108"])] == ["AUC107"]
    with pytest.raises(ValueError, match="unknown code"):
        check_table(table, "y", ignore=["AUC1"])


def test_a_data_frame_is_checked_as_its_table(rng):
    pd = pytest.importorskip("pandas")
    columns = {"day": pd.date_range("2026-01-01", periods=60), "x": rng.normal(size=60), "y": np.arange(60) % 2}
    (finding,) = check_table(pd.DataFrame(columns), "y")
    assert finding.code == "AUC106" and finding.columns == ("day",) and "--time 'day'" in finding.advice


def test_seconds_since_1970_are_times(rng):
    columns = {"created_at": 1_700_000_000 + rng.integers(0, 10**7, 300), "x": rng.normal(size=300)}
    (finding,) = check_table(Table(columns | {"y": rng.integers(0, 2, 300)}), "y")
    assert finding.code == "AUC106" and finding.columns == ("created_at",)


def test_the_interval_of_few_positives_is_about_that_of_simulated_scores(rng):
    """Compared with DeLong's intervals of normal scores with an AUC of 0.8, for which Hanley and McNeil's is wide."""
    n_pos, n_neg = 12, 300
    (finding,) = few_of_a_class(np.repeat([0, 1], [n_neg, n_pos]))
    low, high = map(float, re.findall(r"about (\S+) to (\S+)$", finding.message)[0])
    shift = np.sqrt(2) * 0.8416  # of normal scores with AUC 0.8
    y = np.repeat([0, 1], [n_neg, n_pos])
    widths = [np.diff(auc_interval(y, rng.normal(size=y.size) + shift * y)[1:3]) for _ in range(300)]
    assert 1.0 < (high - low) / np.mean(widths) < 1.4


def test_twenty_of_each_class_are_enough():
    assert few_of_a_class(np.repeat([0, 1], [30, 20])) == []
    assert "only 19 negative rows" in few_of_a_class(np.repeat([0, 1], [19, 30]))[0].message


def test_a_matrix_is_checked_by_the_numbers_of_its_columns(rng):
    y = rng.integers(0, 2, 200)
    X = np.column_stack([rng.normal(size=200), 9 * y + rng.random(200)])
    assert [finding.columns for finding in check_matrix(X, y)] == [("column 2",)]


def test_the_share_outside_the_range_is_that_of_the_rows(rng):
    """Counted in chunks; a missing cell is not outside."""
    days = ["2026-01-01", "2026-02-01"] * 250
    encoder = TableEncoder().fit(Table({"a": rng.random(500), "t": ["x", "y"] * 250, "d": days}))
    rows = NewRows(encoder, 500)
    for _ in range(2):
        cells = {"a": [0.5, 7.0, -3.0, None], "t": ["x", "z", None, "y"], "d": ["2026-01-15", *["2027-01-01"] * 3]}
        new = Table(cells)
        rows.add(new, encoder.transform(new))
    assert rows.shares() == {"a": 0.5, "t": 0.25, "d": 0.75}
    messages = [finding.message for finding in rows.findings()]
    assert "50 % of the rows are outside the range of training, 0.00" in messages[0]
    assert "2 of 8 rows hold a category" in messages[1]
    assert "2026-01-01T00:00:00 to 2026-02-01T00:00:00" in messages[2]
    assert rows.findings(ignore=["AUC109"]) == [] and rows.to_dict()["rows"] == 8


@pytest.mark.parametrize("n", [10, 30, 100, 1000])
def test_new_rows_of_the_same_distribution_are_rarely_reported(n):
    """Of 200 columns at most 2; after 10 training rows, many of 1,000 new rows are outside their range."""
    rng = np.random.default_rng(n)
    names = [f"x{j}" for j in range(200)]
    encoder = TableEncoder().fit(Table(dict(zip(names, rng.normal(size=(200, n))))))
    rows = NewRows(encoder, n)
    new = Table(dict(zip(names, rng.normal(size=(200, 1000)))))
    rows.add(new, encoder.transform(new))
    assert len(rows.findings()) <= 2


def test_models_without_ranges_still_know_categories(rng):
    encoder = TableEncoder().fit(Table({"a": rng.random(50), "t": ["x", "y"] * 25}))
    content = encoder.to_dict()
    for column in content["columns"]:
        for name in ("low", "high", "note", "format"):
            del column[name]
    rows = NewRows(TableEncoder.from_dict(content))
    new = Table({"a": [9.0], "t": ["z"]})
    rows.add(new, encoder.transform(new))
    assert rows.shares() == {"t": 1.0}
