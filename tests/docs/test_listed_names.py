"""Lists in the pages name what the code has: kinds of scorers with their fields, and values of `decision`."""

import inspect
import re
from pathlib import Path

import pytest

import aucmax
from aucmax.models.scorer import SCORERS, scorer_class

DOCS = Path(__file__).parents[2] / "docs"
CLASSIFIERS = [name for name in aucmax.__all__ if name.endswith("Classifier") or name.endswith("ClassifierCV")]


def table_rows(page, heading):
    """The cells of the rows of a table, by the name in code of the first one."""
    section = (DOCS / page).read_text().split(heading, 1)[1]
    table = re.search(r"(^\|.*\n)+", section, re.MULTILINE).group()
    rows = [line.strip("|\n ").split(" | ") for line in table.splitlines()[2:]]
    return {first.strip('`"'): rest for first, *rest in rows}


def names_in_code(text):
    return set(re.findall(r"`(\w+)`", text))


@pytest.mark.parametrize("kind", SCORERS)
def test_the_fields_of_every_kind_of_scorer_are_documented(kind):
    with pytest.raises(ValueError, match="lacks the keys") as error:
        scorer_class(kind).from_dict({})
    fields = set(re.findall(r"'(\w+)'", str(error.value)))
    documented, _ = table_rows("model-format.md", "`scorer`, by its `kind`:")[kind]
    assert fields <= names_in_code(documented)


def test_only_kinds_of_scorers_that_exist_are_documented():
    assert set(table_rows("model-format.md", "`scorer`, by its `kind`:")) == set(SCORERS)


def decisions_of(name):
    """The values that the parameter `decision` of an estimator takes."""
    classes = [base for base in getattr(aucmax, name).__mro__ if "parameter_constraints" in vars(base)]
    options = [vars(base)["parameter_constraints"].get("decision") for base in classes]
    return next((set(option[0].names) for option in options if option), set())


def test_the_estimators_of_every_decision_are_documented():
    rows = table_rows("predictions.md", "## Where `predict` cuts")
    assert set(rows) == {decision for name in CLASSIFIERS for decision in decisions_of(name)}
    for decision, (_, estimators) in rows.items():
        expected = {name for name in CLASSIFIERS if decision in decisions_of(name)}
        listed = names_in_code(estimators)
        assert expected == (set(CLASSIFIERS) - listed if estimators.startswith("all but") else listed)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_what_is_said_of_sample_weights_and_probabilities(name):
    estimator = getattr(aucmax, name)
    paragraph = re.search(
        r"^All classifiers take `sample_weight`.*?\n\n", (DOCS / "models.md").read_text(), re.M | re.S
    )
    weighted = "sample_weight" in inspect.signature(estimator.fit).parameters
    assert weighted != (name in names_in_code(paragraph.group()))
    section = (DOCS / "predictions.md").read_text().split("## Probabilities\n", 1)[1].split("##", 1)[0]
    with_probabilities, without = section.rsplit(". ", 1)
    assert name in names_in_code(with_probabilities if hasattr(estimator, "predict_proba") else without)
