"""A model as a SELECT in standard SQL.

It adds a score, a probability and a predicted class to the rows of a table. Columns hold numbers, booleans, strings,
dates or timestamps, as the model's do; NULL is missing. Names are quoted identifiers and categories are string
literals, with their quotes doubled, so they cannot become code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from aucmax.estimators.tree import LEAF
from aucmax.models.exports.export_error import ExportError
from aucmax.models.exports.model_parts import KernelTerm, ModelParts, kernel_term
from aucmax.models.kernel_scorer import KernelScorer
from aucmax.models.linear_scorer import LinearScorer
from aucmax.models.tree_scorer import TreeScorer
from aucmax.tables.cells import MISSING, Scalar
from aucmax.tables.column_encoder import ColumnEncoder
from aucmax.tables.number_format import PLAIN, NumberFormat
from aucmax.tables.time_format import TimeFormat

MAX_NUMBERS = 100_000  # of the landmarks of a kernel term
_SEPARATOR = "\n        + "


def to_sql(model: ModelParts, table: str = "data") -> str:
    """The SELECT, from a table of that name."""
    _check_names(model.inputs)
    with_clause, score = _score(model)
    score_name = quote(model.output_name("score"))
    outputs = "".join(f",\n  {text} AS {name}" for name, text in _outputs(model, f"s.{score_name}"))
    return (
        "-- Scores of a model that aucmax fitted. The table is named in the line with FROM.\n"
        f"{with_clause}SELECT s.*{outputs}\n"
        "FROM (\n"  # the score comes first: it is found by its name even if the table has such a column too
        f"  SELECT (\n        {score}\n    ) AS {score_name},\n    t.*\n"
        f"  FROM {quote(table)} AS t\n"
        ") AS s;\n"
    )


def quote(name: str) -> str:
    """An identifier.

    Examples
    --------
    >>> quote("monthly income")
    '"monthly income"'
    """
    return '"' + name.replace('"', '""') + '"'


def literal(value: Scalar) -> str:
    """A string, a boolean or a number; those with a point are approximate numbers, as SQL calls them.

    Examples
    --------
    >>> literal("it's"), literal(0.1), literal(3), literal(True)
    ("'it''s'", '0.1e0', '3', 'TRUE')
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        if "\0" in value:
            raise ExportError(f"{value!r} holds a NUL character, which SQL strings cannot")
        return "'" + value.replace("'", "''") + "'"
    text = repr(value)
    return text if isinstance(value, int) or "e" in text else f"{text}e0"


def _check_names(names: Sequence[str]) -> None:
    """Refuse names that SQL cannot tell apart or write."""
    if len({name.lower() for name in names}) < len(names):
        raise ExportError("the names of some columns differ in case only, which most databases ignore; rename them")
    wrong = [name for name in names if not name or "\0" in name]
    if wrong:
        raise ExportError(f"{wrong[0]!r} cannot be the name of a column in SQL; rename it")


def _number(value: float) -> str:
    """A literal, in brackets if it is negative."""
    text = literal(float(value))
    return f"({text})" if value < 0 else text


def _features(column: ColumnEncoder) -> Iterator[str]:
    """The expressions of the features of a column."""
    cell = f"t.{quote(column.name)}"
    missing = f"{cell} IS NULL"
    if column.kind == "categorical":
        missing = _is_missing_string(cell)
        for category in column.categories:
            yield f"CASE WHEN TRIM({cell}) = {literal(category)} THEN 1e0 ELSE 0e0 END"
    else:
        yield from _values(column, cell)
    if column.missing_indicator:
        yield f"CASE WHEN {missing} THEN 1e0 ELSE 0e0 END"


def _is_missing_string(cell: str) -> str:
    return f"{cell} IS NULL OR TRIM({cell}) IN ({', '.join(map(literal, MISSING))})"


def _values(column: ColumnEncoder, cell: str) -> Iterator[str]:
    """The features of a number, a boolean or a time, without the one that indicates missing cells."""
    median = _number(column.median)
    if isinstance(column.format, TimeFormat):
        seconds = f"COALESCE(CAST(EXTRACT(EPOCH FROM {cell}) AS DOUBLE PRECISION), {median})"
        days = f"(FLOOR({seconds} / 86400e0) + 3e0)"
        yield seconds
        yield f"({days} - 7e0 * FLOOR({days} / 7e0))"
        if column.format.hour:
            yield f"(({seconds} - 86400e0 * FLOOR({seconds} / 86400e0)) / 3600e0)"
    elif column.kind == "boolean":
        yield f"CASE WHEN {cell} THEN 1e0 WHEN NOT {cell} THEN 0e0 ELSE {median} END"
    else:
        _check_plain(column)
        yield f"COALESCE(CAST({cell} AS DOUBLE PRECISION), {median})"


def _check_plain(column: ColumnEncoder) -> None:
    if isinstance(column.format, NumberFormat) and column.format != PLAIN:
        raise ExportError(
            f"column {column.name!r} holds numbers written in another way ({column.note}), which SQL does not read; "
            "make it a column of numbers and fit the model to that"
        )


def _encoded(model: ModelParts) -> list[str]:
    """The expressions of all features."""
    if model.columns is None:
        features = [f"CAST(t.{quote(name)} AS DOUBLE PRECISION)" for name in model.inputs]
    else:
        features = [feature for column in model.columns for feature in _features(column)]
    for mean, scale in model.scalings:
        features = [f"(({x} - {_number(m)}) / {_number(s)})" for x, m, s in zip(features, mean, scale, strict=True)]
    return features


def _score(model: ModelParts) -> tuple[str, str]:
    """A WITH clause, which may be empty, and the expression of the score."""
    scorer = model.scorer
    if isinstance(scorer, LinearScorer):
        terms = _linear_terms(model, np.asarray(scorer.coef))
        return "", _SEPARATOR.join([_number(scorer.intercept), *terms])
    if isinstance(scorer, TreeScorer):
        with_clause, score = "", _tree(scorer, _encoded(model))
    else:
        with_clause, score = _kernel_score(scorer, model)
    if model.columns is None:  # a CASE takes NULL for a number that is not smaller
        missing = " OR ".join(f"t.{quote(name)} IS NULL" for name in model.inputs)
        score = f"CASE WHEN {missing} THEN NULL ELSE\n        {score} END"
    return with_clause, score


def _linear_terms(model: ModelParts, coef: np.ndarray) -> Iterator[str]:
    """Weights times features; the weights of the categories of a column are chosen by one CASE."""
    if model.columns is None or model.scalings:
        yield from (f"{_number(w)} * {x}" for w, x in zip(coef, _encoded(model), strict=True))
        return
    start = 0
    for column in model.columns:
        weights = coef[start : start + len(column.feature_names)]
        start += len(weights)
        if column.kind == "categorical":
            yield _category_weights(column, weights)
        else:
            yield from (f"{_number(w)} * {x}" for w, x in zip(weights, _features(column), strict=True))


def _category_weights(column: ColumnEncoder, weights: np.ndarray) -> str:
    """The weight of the category of a row."""
    cell = f"t.{quote(column.name)}"
    lines = [f"WHEN TRIM({cell}) = {literal(name)} THEN {_number(w)}" for name, w in zip(column.categories, weights)]
    if column.missing_indicator:
        lines.append(f"WHEN {_is_missing_string(cell)} THEN {_number(weights[-1])}")
    return "\n            ".join(["CASE", *lines, "ELSE 0e0 END"])


def _tree(scorer: TreeScorer, features: list[str]) -> str:
    """A CASE per split, one within the other; children come after their parents."""
    nodes = scorer.nodes
    splits = np.flatnonzero(nodes.column != LEAF)
    depth = np.zeros(len(nodes.column), dtype=int)
    for node in splits:
        depth[nodes.children[node]] = depth[node] + 1
    cases = [_number(value) for value in nodes.log_odds - scorer.zero]
    for node in splits[::-1]:
        left, right = nodes.children[node]
        indent = "\n" + " " * (8 + 2 * depth[node])
        condition = f"{features[nodes.column[node]]} <= {_number(nodes.threshold[node])}"
        cases[node] = f"CASE WHEN {condition} THEN {cases[left]}{indent}ELSE {cases[right]} END"
        cases[left] = cases[right] = ""
    return cases[0]


def _kernel_score(scorer: KernelScorer, model: ModelParts) -> tuple[str, str]:
    """The landmarks of every term as a table of constants, and the sums over them."""
    tables = []
    terms = [_number(scorer.score.intercept)]
    features = _encoded(model)
    for k, term in enumerate(scorer.score.terms, 1):
        if term.coordinates is None:
            terms += [f"{_number(w)} * {x}" for w, x in zip(term.weights, features, strict=True)]
            continue
        parts = kernel_term(term, scorer.score.landmarks, MAX_NUMBERS, "SQL")
        tables.append(_landmarks(parts, k))
        terms.append(_kernel_sum(parts, features, k))
    return (f"WITH {', '.join(tables)}\n" if tables else ""), _SEPARATOR.join(terms)


def _landmarks(term: KernelTerm, k: int) -> str:
    rows = np.column_stack([term.weights, term.landmarks])
    names = ", ".join(["w", *(f"z{j}" for j in range(term.landmarks.shape[1]))])
    values = ",\n  ".join(f"({', '.join(map(_number, row))})" for row in rows)
    return f"landmarks{k}({names}) AS (VALUES\n  {values}\n)"


def _kernel_sum(term: KernelTerm, features: list[str], k: int) -> str:
    """The sum over the landmarks, of the features computed once per row."""
    if term.knots is not None:
        features = [_interpolated(x, *knots) for x, knots in zip(features, term.knots, strict=True)]
    scaled = [
        f"{x} / {_number(scale)} AS x{j}" for j, (x, scale) in enumerate(zip(features, term.scale, strict=True))
    ]
    columns = ",\n          ".join(scaled)
    differences = [f"(x.x{j} - z.z{j})" for j in range(len(features))]
    distance = " + ".join(f"{each} * {each}" if term.squared else f"ABS{each}" for each in differences)
    return (
        f"(SELECT SUM(z.w * EXP({_number(-term.gamma)} * ({distance})))\n"
        f"        FROM (SELECT\n          {columns}\n        ) AS x CROSS JOIN landmarks{k} AS z)"
    )


def _interpolated(x: str, values: np.ndarray, ranks: np.ndarray) -> str:
    """The rank of a value, linear between the knots and constant beyond them."""
    cases = [f"WHEN {x} <= {_number(values[0])} THEN {_number(ranks[0])}"]
    for low, high, start, end in zip(values, values[1:], ranks, ranks[1:]):
        line = f"{_number(start)} + ({x} - {_number(low)}) / {_number(high - low)} * {_number(end - start)}"
        cases.append(f"WHEN {x} < {_number(high)} THEN {line}")
    return f"CASE {' '.join(cases)} ELSE {_number(ranks[-1])} END"


def _outputs(model: ModelParts, score: str) -> Iterator[tuple[str, str]]:
    """The columns that follow from the score."""
    if model.calibration is not None:
        slope, intercept = map(_number, model.calibration)
        log_odds = f"{slope} * {score} + {intercept}"
        bounded = f"CASE WHEN {log_odds} < -7e2 THEN -7e2 ELSE {log_odds} END"  # some databases refuse to overflow
        yield quote(model.output_name("probability")), f"1e0 / (1e0 + EXP(-({bounded})))"
    negative, positive = map(literal, model.classes)
    condition = "> 0e0" if model.threshold is None else f">= {_number(model.threshold)}"
    yield (
        quote(model.output_name("prediction")),
        f"CASE WHEN {score} {condition} THEN {positive} WHEN {score} IS NOT NULL THEN {negative} END",
    )
