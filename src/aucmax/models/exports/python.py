"""A model as one Python file that needs nothing but the standard library.

Names and categories of the model enter the file as ASCII literals only, so they cannot become code.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np

from aucmax.estimators.tree import LEAF
from aucmax.models.exports import standalone
from aucmax.models.exports.model_parts import ModelParts, kernel_term
from aucmax.models.exports.single_score import SingleScore
from aucmax.models.kernel_scorer import KernelScorer
from aucmax.models.linear_scorer import LinearScorer
from aucmax.models.tree_scorer import TreeScorer
from aucmax.tables.cells import MISSING
from aucmax.tables.column_encoder import ColumnEncoder
from aucmax.tables.number_format import PLAIN, UNITS, NumberFormat
from aucmax.tables.time_format import TimeFormat

MAX_NUMBERS = 1_000_000  # of the landmarks of a kernel term

_DOCSTRING = '''"""Scores of a model that aucmax fitted; needs nothing but Python 3.11 or newer.

{functions} take a row: a dict with the columns of the table.
To score a file: python -I THIS_FILE data.csv > scores.csv
"""'''
_IMPORTS = {name: f"import {name}" for name in ("csv", "datetime", "math", "os", "re", "sys")} | {
    "bisect_right": "from bisect import bisect_right"
}
_CONSTANTS = {"MISSING": f"MISSING = {MISSING!a}", "UNITS": f"UNITS = {UNITS!a}"}
_PROBABILITY = '''def probability(row):
    """The probability of the positive class."""
    return sigmoid({slope} * score(row) + {intercept})'''
_PREDICT = '''def predict(row):
    """The predicted class."""
    return {positive} if score(row) {condition} else {negative}'''
_MAIN = """if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python THIS_FILE data.csv")
    score_file(sys.argv[1], {outputs})"""


def to_python(model: ModelParts) -> str:
    """The source of the file."""
    data: dict[str, str] = {}  # constants by name: Python literals
    body = [_features(model, data), _score(model, data), *_outputs(model)]
    outputs = {"score": "score", "probability": "probability", "prediction": "predict"}
    if model.calibration is None:
        del outputs["probability"]
    main = _MAIN.format(outputs="{" + ", ".join(f'"{name}": {value}' for name, value in outputs.items()) + "}")
    used = _used_names([*body, main])
    head = _DOCSTRING.format(functions=", ".join(f"{name}(row)" for name in outputs.values()))
    imports = "\n".join(text for name, text in _IMPORTS.items() if name in used)
    constants = [text for name, text in _CONSTANTS.items() if name in used]
    constants += [f"{name} = {value}" for name, value in data.items()]
    functions = [text for name, text in _functions().items() if name in used]
    return "\n\n\n".join([f"{head}\n\n{imports}\n\n" + "\n".join(constants), *functions, *body, main]) + "\n"


def _used_names(sources: Iterable[str]) -> set[str]:
    """The names that the sources use, and those that the functions of `standalone` among them use."""
    found: set[str] = set()
    new = {node.id for source in sources for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    while new:
        found |= new
        new = _used_names(_functions()[name] for name in new if name in _functions()) - found
    return found


@functools.cache
def _functions() -> dict[str, str]:
    """The source of each function of `standalone`."""
    functions = {name: value for name, value in vars(standalone).items() if inspect.isfunction(value)}
    return {name: inspect.getsource(function).rstrip() for name, function in functions.items()}


def _features(model: ModelParts, data: dict[str, str]) -> str:
    """The function from a row to the features."""
    start = 'def features(row):\n    """The numbers that the score depends on."""\n'
    if model.columns is None:
        data["NAMES"] = _lines(map(ascii, model.inputs))
        return start + "    return [feature(row, name) for name in NAMES]"
    calls = "".join(f"        *{_reader_call(column)},\n" for column in model.columns)
    return f"{start}    return [\n{calls}    ]"


def _reader_call(column: ColumnEncoder) -> str:
    """The call that reads a column."""
    first = f"row, {column.name!a}"
    if column.kind == "categorical":
        return f"category({first}, {list(column.categories)!a}, {column.missing_indicator})"
    first += f", {column.median!r}, {column.missing_indicator}"
    format = column.format
    if isinstance(format, TimeFormat):
        return f"time({first}, {format.pattern!a}, {format.hour})"
    if isinstance(format, NumberFormat) and format != PLAIN:
        patterns = f"{format.pattern_of('¤')!a}, {format.pattern_of('%')!a}"
        return f"formatted_number({first}, {format.decimal!r}, {format.separator!a}, {patterns})"
    return f"number({first})"


def _score(model: ModelParts, data: dict[str, str]) -> str:
    """The function from a row to its score."""
    lines = [
        "def score(row):",
        '    """The score of a row; larger means more likely positive."""',
        "    x = features(row)",
    ]
    for k, scaling in enumerate(model.scalings, 1):
        data[f"MEAN_{k}"] = _literal(scaling.mean)
        data[f"SCALE_{k}"] = _literal(scaling.scale)
        lines.append(f"    x = scaled(x, MEAN_{k}, SCALE_{k})")
    return "\n".join([*lines, f"    return {_score_expression(model.scorer, data)}"])


def _score_expression(scorer: SingleScore, data: dict[str, str]) -> str:
    if isinstance(scorer, LinearScorer):
        data["COEF"] = _literal(scorer.coef)
        return f"linear(x, COEF) + {scorer.intercept!r}"
    if isinstance(scorer, TreeScorer):
        data["NODES"] = _lines(_tree_nodes(scorer))
        return "tree(x, NODES)"
    return " + ".join([*_kernel_calls(scorer, data), repr(float(scorer.score.intercept))])


def _tree_nodes(scorer: TreeScorer) -> Iterable[str]:
    nodes = scorer.nodes
    values = (nodes.log_odds - scorer.zero).tolist()
    for column, threshold, (left, right), value in zip(nodes.column, nodes.threshold, nodes.children, values):
        yield f"({value!r},)" if column == LEAF else f"({column}, {float(threshold)!r}, {left}, {right})"


def _kernel_calls(scorer: KernelScorer, data: dict[str, str]) -> Iterable[str]:
    for k, term in enumerate(scorer.score.terms, 1):
        if term.coordinates is None:
            data[f"COEF_{k}"] = _literal(term.weights)
            yield f"linear(x, COEF_{k})"
            continue
        parts = kernel_term(term, scorer.score.landmarks, MAX_NUMBERS, "a Python file")
        points = zip(parts.weights.tolist(), parts.landmarks.tolist())
        data[f"SCALE_OF_KERNEL_{k}"] = _literal(parts.scale)
        data[f"LANDMARKS_{k}"] = _lines(map(repr, points))
        if parts.knots is not None:
            data[f"KNOTS_{k}"] = _lines(repr((values.tolist(), ranks.tolist())) for values, ranks in parts.knots)
        knots = "None" if parts.knots is None else f"KNOTS_{k}"
        power = 2 if parts.squared else 1
        yield f"kernel(x, {power}, {parts.gamma!r}, SCALE_OF_KERNEL_{k}, {knots}, LANDMARKS_{k})"


def _outputs(model: ModelParts) -> Iterable[str]:
    """The functions from a row to a probability and a class."""
    if model.calibration is not None:
        yield _PROBABILITY.format(**model.calibration._asdict())
    negative, positive = map(ascii, model.classes)
    condition = "> 0" if model.threshold is None else f">= {model.threshold!r}"
    yield _PREDICT.format(negative=negative, positive=positive, condition=condition)


def _literal(numbers: Any) -> str:
    """A list of numbers, each restored to the last bit."""
    return _lines(map(repr, np.asarray(numbers, dtype=float).tolist()))


def _lines(items: Iterable[str]) -> str:
    """A list with an item a line."""
    return "[\n" + "".join(f"    {item},\n" for item in items) + "]"
