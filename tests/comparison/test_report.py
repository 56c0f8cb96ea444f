"""The page of a comparison: its numbers against scikit-learn's, its markup, its escaping, its size, its choice."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.metrics import precision_score, recall_score, roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold

from aucmax.comparison import Comparison, ComparisonRow, compare
from aucmax.comparison.evaluated import evaluated_model
from aucmax.comparison.report import (
    Costs,
    Importance,
    ReportFacts,
    column_importances,
    explain_rows,
    render_report,
    with_importances,
)
from aucmax.comparison.report.choice import choose_model
from aucmax.comparison.report.operating_points import cheapest, operating_points, review
from aucmax.comparison.report.ranking import POINTS, make_ranking
from aucmax.tables.findings.finding import Finding

VOID = {"meta", "br"}
HOSTILE = '<script>alert("1")</script>&\'\x1b[2J\u202e\udcff'


class Page(HTMLParser):
    """The tables, strings and attributes of a page; fails if elements are not nested properly."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.tables, self.attributes, self.tags, self.text = [], {}, [], [], ""
        self._rows, self._caption, self.titles = [], "", []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self._rows, self._caption = [], ""
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "table":
            self.tables[self._caption] = self._rows

    def handle_data(self, data):
        if {"style", "script"} & set(self.open):
            return
        self.text += data
        if self.open and self.open[-1] == "h2":
            self.titles.append(data)
        if self.open and self.open[-1] == "caption":
            self._caption += data
        elif {"td", "th"} & set(self.open):
            self._rows[-1][-1] += data

    def rows(self, caption):
        """The rows of a table by their first cells."""
        return {cells[0]: cells[1:] for cells in self.tables[caption]}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1200, 4)) * [1.0, 10.0, 0.1, 1.0]
    y = (X[:, 0] - 0.1 * X[:, 1] + 1.5 * rng.normal(size=1200) > 2.8).astype(int)
    return X, y


def folds_of(X, y):
    return list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))


@pytest.fixture(scope="module")
def placements(comparison, data):
    """Of the rows by logistic regression: the share of the negatives of their fold below them, pair by pair."""
    X, y = data
    values = np.empty(y.size)
    for _, test in folds_of(X, y):
        scores = comparison.scores["logistic"][test]
        negatives = scores[y[test] == 0]
        values[test] = ((scores[:, None] > negatives) + 0.5 * (scores[:, None] == negatives)).mean(axis=1)
    return values


@pytest.fixture(scope="module")
def comparison(data):
    return compare(*data, ["logistic", "exact", "ridge balanced"], cv=folds_of(*data))


@pytest.fixture(scope="module")
def page(comparison, data):
    facts = ReportFacts(
        title="payments.csv",
        positive="'fraud'",
        period="2026-01-01 to 2026-06-30",
        columns=("age", "amount", "hour", "distance"),
        left_out={"id": "looks like an id"},
        findings=(Finding("AUC101", "column 'id' is left out", "keep it", ("id",)),),
        groups=np.where(np.arange(1200) % 3 == 0, "east", "west"),
        group_column="region",
        costs=Costs(missed=100.0, false_alarm=3.0),
        command="aucmax compare payments.csv --report p.html",
        seed=7,
        data_hash="c0ffee",
    )
    return render_report(comparison, with_importances(comparison, facts, data[0], facts.columns))


@pytest.fixture(scope="module")
def parsed(page):
    return Page(page)


def counts_above(y, scores, threshold):
    alerts = scores >= threshold
    return alerts.sum(), (alerts & (y == 1)).sum()


def test_the_page_is_small_and_loads_nothing(page, parsed):
    assert len(page.encode()) < 500_000
    assert not re.search(r"https?://|//[a-z]|url\(|@import|javascript:", page)
    linked = [value for _, name, value in parsed.attributes if name in ("href", "src", "action", "xlink:href")]
    assert linked and all(value.startswith("#") for value in linked)
    assert not {"img", "link", "iframe", "object", "embed", "base"} & set(parsed.tags)
    assert not any(name.startswith("on") for _, name, _ in parsed.attributes)


def test_every_link_leads_somewhere_and_ids_are_distinct(parsed):
    ids = [value for _, name, value in parsed.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {value[1:] for _, name, value in parsed.attributes if name == "href"} <= set(ids)


def test_the_sections_come_in_order(parsed):
    assert parsed.titles == [
        "In short",
        "The data",
        "The models",
        "Differences",
        "Curves",
        "Thresholds",
        "What matters",
        "Stability",
        "What to do next",
        "How to repeat this",
    ]
    assert "2026-01-01 to 2026-06-30" in parsed.text and "AUC101" in parsed.text
    assert parsed.rows("Columns left out, and why")["id"] == ["looks like an id"]
    assert all(fact in parsed.text for fact in ("--report p.html", "c0ffee", "Seed7"))


def test_every_chart_has_a_name_and_a_table(page):
    assert page.count('class="chart"') == page.count('role="group" aria-label=') > 6
    assert page.count("<figure>") == page.count("<summary>Show as a table</summary>")


def test_the_first_sentence_counts_what_a_review_finds(placements, parsed, data):
    _, y = data
    rate = y.mean()
    share = next(share for share in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if share >= rate)
    last = np.sort(placements)[-round(share * 1200)]
    top = np.flatnonzero(placements >= last)
    found = y[top].sum()
    recall = f"{100 * found / y.sum():.3g}"
    reviewed = f"{100 * top.size / 1200:.3g}"
    sentence = f"Reviewing the top {reviewed} % of rows finds {recall} % of the rows that are 'fraud'; "
    assert sentence + f"{found} of {top.size} alerts are real." in parsed.text


def test_the_threshold_table_is_that_of_scikit_learn(placements, parsed, data):
    _, y = data
    fpr, tpr, thresholds = roc_curve(y, placements, drop_intermediate=False)
    table = parsed.rows("Thresholds of logistic")
    for rate in (0.001, 0.005, 0.01, 0.05):
        best = np.flatnonzero(tpr == tpr[fpr <= rate].max())[0]
        predicted = placements >= thresholds[best]
        alerts, found, missed, precision, cost = table[f"at most {100 * rate:g} % false alarms"]
        assert float(alerts) == pytest.approx(1000 * predicted.mean(), abs=0.5)
        assert found == f"{(predicted & (y == 1)).sum()} ({100 * round(recall_score(y, predicted), 3):.4g} %)"
        assert missed == str(y.sum() - (predicted & (y == 1)).sum())
        assert float(precision.rstrip(" %")) == pytest.approx(100 * precision_score(y, predicted), abs=0.051)
        errors = 100.0 * (~predicted & (y == 1)).sum() + 3.0 * (predicted & (y == 0)).sum()
        assert float(cost.replace(",", "")) == pytest.approx(errors / 1.2, abs=0.51)


def test_a_precision_is_reached_with_the_most_positives(comparison, placements, data):
    _, y = data
    ranking = make_ranking(comparison, "logistic")
    point = next(
        p for p in operating_points(ranking) if getattr(p, "rule", "").startswith("precision of at least 50")
    )
    reachable = []
    for threshold in np.unique(placements):
        alerts, found = counts_above(y, placements, threshold)
        if found / alerts >= 0.5:
            reachable.append(found)
    assert point.found == max(reachable) and point.precision >= 0.5


def test_a_precision_out_of_reach_is_said():
    result = evaluated_model("m", [True, False] * 10 + [False] * 2, np.arange(22.0))
    assert "precision of at least 90 %" in operating_points(make_ranking(result, "m"))
    cells = Page(render_report(result)).rows("Thresholds of m")["precision of at least 90 %"]
    assert cells[0] == "not reached"


def test_the_cheapest_threshold_is_the_cheapest(comparison, placements, data):
    _, y = data
    costs = Costs(missed=20.0, false_alarm=1.0)
    totals = [20.0 * y.sum()]
    for threshold in np.unique(placements):
        alerts, found = counts_above(y, placements, threshold)
        totals.append(20.0 * (y.sum() - found) + alerts - found)
    assert cheapest(make_ranking(comparison, "logistic"), costs).cost(costs) == min(totals)


def test_tied_rows_are_reviewed_together():
    result = evaluated_model("m", np.arange(100) < 10, np.arange(100) < 30)
    assert review(make_ranking(result, "m"), 0.1).alerts == 30


def test_weights_count_as_copies():
    rng = np.random.default_rng(0)
    labels = rng.random(80) < 0.3
    scores = rng.normal(size=80) + labels
    weight = rng.integers(1, 4, 80)
    weighted = make_ranking(evaluated_model("m", labels, scores, sample_weight=weight), "m")
    copied = make_ranking(evaluated_model("m", np.repeat(labels, weight), np.repeat(scores, weight)), "m")
    assert operating_points(weighted) == operating_points(copied)


def test_curves_are_downsampled_and_stay_on_the_curve(data):
    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.1
    scores = rng.normal(size=20_000) + labels
    ranking = make_ranking(evaluated_model("m", labels, scores), "m")
    fpr, tpr, _ = roc_curve(labels, scores)
    for x, y in (ranking.roc(), ranking.roc(0.1)):
        assert 100 < x.size <= POINTS
        assert np.max(np.abs(y - np.interp(x, fpr, tpr))) < 0.01
    assert ranking.roc(0.1)[0][-1] == pytest.approx(0.1)
    area = np.trapezoid(ranking.roc()[1], ranking.roc()[0])
    assert area == pytest.approx(roc_auc_score(labels, scores), abs=0.003)


def test_group_aucs_are_those_of_the_groups(placements, parsed, data):
    _, y = data
    east = np.arange(1200) % 3 == 0
    cells = parsed.rows("AUC by region")["east"]
    assert cells[0] == f"{roc_auc_score(y[east], placements[east]):.4f}"
    assert cells[2:] == ["400", str(y[east].sum())]
    assert len(parsed.tables["AUC by fold"]) == 5


def test_groups_of_another_length_are_refused(comparison):
    with pytest.raises(ValueError, match="groups has shape"):
        render_report(comparison, ReportFacts(groups=["a", "b"]))


def test_calibration_shows_observed_shares(comparison, parsed, data):
    _, y = data
    probabilities = comparison.probabilities["logistic"]
    rows = [cells for cells in parsed.tables["Calibration"][1:] if cells[0] == "logistic"]
    top = probabilities > np.quantile(probabilities, 0.9)
    assert float(rows[-1][2].rstrip(" %")) == pytest.approx(100 * y[top].mean(), abs=0.01)
    assert sum(int(cells[4].replace(",", "")) for cells in rows) == 1200


def test_a_single_model_has_no_differences(data):
    _, y = data
    page = Page(render_report(evaluated_model("mine", y == 1, data[0][:, 0])))
    assert "Paired differences" not in page.tables and "score of at least" in page.tables["Thresholds of mine"][0]
    assert "What matters" not in page.text


def of_equal_length(weights):
    lengths = [float(np.sqrt(sum(w * w for w in row))) for row in weights]
    return np.array([row * (np.mean(lengths) / length) for row, length in zip(weights, lengths)])


def test_importances_ignore_the_length_of_the_weights(comparison):
    factors = np.array([[1.0], [5.0], [0.2], [3.0]])
    scaled = replace(comparison, weights={"exact": comparison.weights["exact"] * factors})
    first, second = (column_importances(it, "exact") for it in (comparison, scaled))
    for before, after in zip(first, second, strict=True):
        assert before.column == after.column
        assert before.low / before.value == pytest.approx(after.low / after.value)


def test_importances_are_weights_with_a_jackknife_interval(comparison):
    weights = of_equal_length(comparison.weights["exact"])
    assert weights.shape == (4, 4)
    found = {it.column: it for it in column_importances(comparison, "exact", ["a", "b", "c", "d"])}
    pseudo = 4 * weights[:, 0].mean() - 3 * weights[:, 0]
    reach = 3.182446 * pseudo.std(ddof=1) / 2  # quantile of t with 3 degrees of freedom
    assert found["a"].value == pytest.approx(weights[:, 0].mean())
    assert found["a"].high - found["a"].value == pytest.approx(reach, rel=1e-6)
    assert found["a"].low > 0 > found["b"].high
    assert max(abs(found["c"].value), abs(found["d"].value)) < min(found["a"].value, -found["b"].value)


def test_explained_rows_add_up_to_the_score_difference(comparison, data):
    X, y = data
    scores = comparison.pooled["exact"].standardized[np.argsort(comparison.pooled["exact"].rows)]
    mean_weights = of_equal_length(comparison.weights["exact"]).mean(axis=0) / X.std(axis=0)
    for row in explain_rows(comparison, "exact", X, ["a", "b", "c", "d"]):
        total = sum(value for _, value in row.parts) + row.others
        assert total == pytest.approx(float(mean_weights @ (X[row.number - 1] - X.mean(axis=0))))
    top, alarm, hardest = (row.number - 1 for row in explain_rows(comparison, "exact", X))
    assert scores[top] == scores[y == 1].max() and scores[alarm] == scores[y == 0].max()
    assert scores[hardest] == scores[y == 1].min()


def test_hostile_names_are_escaped(data, tmp_path):
    X, y = data
    result = compare(X, y, {HOSTILE: "exact", "b" + HOSTILE: "cg"}, cv=2)
    facts = ReportFacts(
        title=HOSTILE,
        positive=HOSTILE,
        columns=(HOSTILE,),
        left_out={HOSTILE: HOSTILE},
        findings=(Finding("AUC103", HOSTILE, HOSTILE),),
        importances=(Importance(HOSTILE, 1.0, 0.5, 1.5),),
        groups=np.where(np.arange(1200) % 2, "x" + HOSTILE[:12], "y"),
        group_column=HOSTILE,
        command=HOSTILE,
    )
    result.report(tmp_path / "page.html", facts)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    parsed = Page(page)
    assert parsed.tags.count("script") == 1 and "alert(" in parsed.text
    assert "\x1b" not in page and "\u202e" not in page
    assert len(page.encode()) < 500_000


def test_many_names_do_not_make_a_large_page(comparison):
    names = tuple(f"column {'x' * 500} {j}" for j in range(5000))
    facts = ReportFacts(
        columns=names, left_out=dict.fromkeys(names, "y" * 1000), findings=(Finding("AUC103", "m" * 5000, "a"),) * 500
    )
    assert len(render_report(comparison, facts).encode()) < 500_000


def row(name, auc, verdict, *, linear=True, aucs=(), difference=0.0):
    settings = {"sd": 0.0, "train_auc": 1.0, "measures": {}, "fit_seconds": 1.0, "score_seconds": 1.0, "tuned": "no"}
    return ComparisonRow(
        name=name, auc=auc, low=0.0, high=1.0, nonzeros=3.0 if linear else None, converged=True, edges=(),
        aucs=aucs or (auc, auc), errors=(0.0, 0.0), difference=difference, verdict=verdict, **settings,
    )  # fmt: skip


def chosen(*rows, reference="logistic"):
    ordered = tuple(sorted(rows, key=lambda row: -row.auc))
    return choose_model(Comparison(ordered, reference, 0.005, 100, 20, 2)).row.name


def test_the_reference_is_chosen_unless_another_is_better():
    reference = row("logistic", 0.90, "reference")
    assert chosen(reference, row("a", 0.902, "equivalent"), row("b", 0.93, "undecided")) == "logistic"
    assert chosen(reference, row("a", 0.92, "better"), row("b", 0.93, "undecided")) == "a"


def test_a_linear_model_is_chosen_if_a_nonlinear_one_is_not_clearly_better():
    reference = row("logistic", 0.90, "reference")
    linear = row("linear", 0.94, "better", aucs=(0.93, 0.95))
    assert chosen(reference, linear, row("kernel", 0.95, "better", linear=False, aucs=(0.99, 0.91))) == "linear"
    assert chosen(reference, linear, row("kernel", 0.96, "better", linear=False, aucs=(0.95, 0.97))) == "kernel"


def test_a_linear_model_replaces_a_nonlinear_reference_it_equals():
    reference = row("forest", 0.90, "reference", linear=False)
    assert chosen(reference, row("a", 0.899, "equivalent"), reference="forest") == "a"
    assert chosen(reference, row("a", 0.86, "undecided", difference=-0.04), reference="forest") == "forest"


def test_a_report_that_cannot_be_written_leaves_the_comparison(comparison, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        comparison.report(tmp_path / "file" / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    comparison.report(tmp_path / "new" / "page.html")
    assert (tmp_path / "new" / "page.html").read_text().startswith("<!DOCTYPE html>")
