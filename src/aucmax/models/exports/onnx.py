"""A model as an ONNX graph, in double precision throughout.

A model with an encoder has one input of shape (n, 1) per column: strings for categories (empty if missing), doubles
for all else (NaN if missing), times as seconds since 1970. A model without one has the single input `X`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.estimators.tree import LEAF
from aucmax.models.exports.export_error import ExportError
from aucmax.models.exports.model_parts import KernelTerm, ModelParts, kernel_term
from aucmax.models.exports.single_score import SingleScore
from aucmax.models.linear_scorer import LinearScorer
from aucmax.models.tree_scorer import TreeScorer
from aucmax.tables.cells import MISSING
from aucmax.tables.column_encoder import ColumnEncoder
from aucmax.tables.time_format import DAY, TimeFormat

OPSET = 19  # the first that compares strings
ML_OPSET = 5  # the first with trees in double precision
IR_VERSION = 9  # of the same age
MAX_NUMBERS = 20_000_000  # of the landmarks of a kernel term: 160 MB


def to_onnx(model: ModelParts) -> bytes:
    """The serialised graph."""
    onnx = import_onnx()
    graph = _Graph(onnx, model.inputs)
    features, inputs = _encoded(graph, model)
    for mean, scale in model.scalings:
        features = graph.add("Div", graph.add("Sub", features, mean[None, :]), scale[None, :])
    score = _score(graph, model.scorer, features)
    outputs = _outputs(graph, model, score)
    opsets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    content = onnx.helper.make_graph(graph.nodes, "aucmax", inputs, outputs, graph.constants)
    whole = onnx.helper.make_model(content, opset_imports=opsets, ir_version=IR_VERSION, producer_name="aucmax")
    onnx.checker.check_model(whole)
    return whole.SerializeToString()


def import_onnx() -> Any:
    """The package, or how to install it."""
    try:
        import onnx
    except ImportError:
        raise ImportError("export to ONNX needs onnx; from a clone of aucmax: pip install '.[onnx]'") from None
    return onnx


class _Graph:
    """Nodes and constants, with names that no input has."""

    def __init__(self, onnx: Any, inputs: tuple[str, ...]) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._prefix = "aucmax"
        while any(name.startswith(self._prefix) for name in inputs):
            self._prefix += "_"

    def _name(self) -> str:
        return f"{self._prefix}:{len(self.nodes) + len(self.constants)}"

    def constant(self, values: Any) -> str:
        """The name of a constant."""
        name = self._name()
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def add(self, operator: str, *inputs: Any, output: str | None = None, **attributes: Any) -> str:
        """The name of the result of an operator; inputs are names or arrays."""
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        output = output or self._name()
        self.nodes.append(self.onnx.helper.make_node(operator, names, [output], **attributes))
        return output

    def as_double(self, name: str) -> str:
        """Booleans as 0 and 1."""
        return self.add("Cast", name, to=self.onnx.TensorProto.DOUBLE)

    def value(self, name: str, dtype: int, *shape: int | None) -> Any:
        """The declaration of an input or output of n rows."""
        return self.onnx.helper.make_tensor_value_info(name, dtype, [None, *shape])


def _encoded(graph: _Graph, model: ModelParts) -> tuple[str, list[Any]]:
    """The features, of shape (n, d), and the inputs of the graph."""
    types = graph.onnx.TensorProto
    if model.columns is None:
        return "X", [graph.value("X", types.DOUBLE, len(model.inputs))]
    _check_names(model.inputs)
    parts: list[str] = []
    inputs = []
    for column in model.columns:
        categorical = column.kind == "categorical"
        inputs.append(graph.value(column.name, types.STRING if categorical else types.DOUBLE, 1))
        parts += _category_features(graph, column) if categorical else _number_features(graph, column)
    return graph.add("Concat", *parts, axis=1), inputs


def _check_names(names: tuple[str, ...]) -> None:
    if "" in names:
        raise ExportError("an input of ONNX cannot have an empty name; rename the column")


def _category_features(graph: _Graph, column: ColumnEncoder) -> list[str]:
    parts = [graph.as_double(graph.add("Equal", column.name, _strings(column.categories)))]
    if column.missing_indicator:
        matches = graph.as_double(graph.add("Equal", column.name, _strings(MISSING)))
        parts.append(graph.add("ReduceSum", matches, np.array([1]), keepdims=1))
    return parts


def _strings(values: tuple[str, ...]) -> np.ndarray:
    return np.array([value.encode() for value in values], dtype=object)[None, :]


def _number_features(graph: _Graph, column: ColumnEncoder) -> list[str]:
    """The features of a number, a boolean or a time."""
    missing = graph.add("IsNaN", column.name)
    filled = graph.add("Where", missing, np.array([[column.median]]), column.name)
    parts = [filled]
    if isinstance(column.format, TimeFormat):
        days = graph.add("Floor", graph.add("Div", filled, np.array(DAY)))
        weeks = graph.add("Floor", graph.add("Div", graph.add("Add", days, np.array(3.0)), np.array(7.0)))
        weekday = graph.add("Sub", graph.add("Add", days, np.array(3.0)), graph.add("Mul", weeks, np.array(7.0)))
        parts.append(weekday)
        if column.format.hour:
            rest = graph.add("Sub", filled, graph.add("Mul", days, np.array(DAY)))
            parts.append(graph.add("Div", rest, np.array(3600.0)))
    if column.missing_indicator:
        parts.append(graph.as_double(missing))
    return parts


def _score(graph: _Graph, scorer: SingleScore, x: str) -> str:
    """The score, of shape (n, 1)."""
    if isinstance(scorer, LinearScorer):
        return graph.add("Add", graph.add("MatMul", x, _column(scorer.coef)), np.array(scorer.intercept))
    if isinstance(scorer, TreeScorer):
        return _tree(graph, scorer, x)
    total = ""
    for term in scorer.score.terms:
        if term.coordinates is None:
            part = graph.add("MatMul", x, _column(term.weights))
        else:
            part = _kernel_sum(graph, kernel_term(term, scorer.score.landmarks, MAX_NUMBERS, "ONNX"), x)
        total = graph.add("Add", total, part) if total else part
    return graph.add("Add", total, np.array(float(scorer.score.intercept)))


def _column(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=float)[:, None]


def _tree(graph: _Graph, scorer: TreeScorer, x: str) -> str:
    nodes = scorer.nodes
    values = nodes.log_odds - scorer.zero
    leaf = nodes.column == LEAF
    if leaf[0]:  # no split: a constant
        return graph.add("Add", graph.add("MatMul", x, np.zeros((scorer.n_features, 1))), np.array(values[0]))
    inner = nodes.column[~leaf]
    left, right = nodes.children[~leaf].T
    position = np.where(leaf, np.cumsum(leaf), np.cumsum(~leaf)) - 1  # among the leaves, or among the others
    tensor = graph.onnx.numpy_helper.from_array
    return graph.add(
        "TreeEnsemble",
        x,
        domain="ai.onnx.ml",
        n_targets=1,
        aggregate_function=1,  # sum
        post_transform=0,
        tree_roots=[0],
        nodes_featureids=inner.tolist(),
        nodes_modes=tensor(np.zeros(inner.size, dtype=np.uint8)),  # values up to the split go to the true node
        nodes_splits=tensor(np.asarray(nodes.threshold[~leaf], dtype=float)),
        nodes_truenodeids=position[left].tolist(),
        nodes_falsenodeids=position[right].tolist(),
        nodes_trueleafs=leaf[left].astype(int).tolist(),
        nodes_falseleafs=leaf[right].astype(int).tolist(),
        leaf_targetids=[0] * int(leaf.sum()),
        leaf_weights=tensor(values[leaf]),
    )


def _kernel_sum(graph: _Graph, term: KernelTerm, x: str) -> str:
    """The sum over the landmarks."""
    if term.knots is not None:
        x = _ranks(graph, term.knots, x)
    place = graph.add("Div", x, term.scale[None, :])
    distances = (_squared if term.squared else _absolute)(graph, place, term.landmarks)
    similarities = graph.add("Exp", graph.add("Mul", distances, np.array(-term.gamma)))
    return graph.add("MatMul", similarities, _column(term.weights))


def _squared(graph: _Graph, place: str, landmarks: np.ndarray) -> str:
    """|a|^2 + |z|^2 - 2 a.z, centred at the mean landmark to reduce cancellation."""
    centre = landmarks.mean(axis=0)
    Z = landmarks - centre
    A = graph.add("Sub", place, centre[None, :])
    norms = graph.add("ReduceSum", graph.add("Mul", A, A), np.array([1]), keepdims=1)
    products = graph.add("MatMul", A, -2.0 * Z.T)
    total = graph.add("Add", graph.add("Add", products, norms), np.square(Z).sum(axis=1)[None, :])
    return graph.add("Max", total, np.array(0.0))


def _absolute(graph: _Graph, place: str, landmarks: np.ndarray) -> str:
    """|a - z|_1, column by column: a tensor of all differences would be too large."""
    total = ""
    for j, column in enumerate(landmarks.T):
        part = graph.add("Abs", graph.add("Sub", _feature(graph, place, j), np.array(column)[None, :]))
        total = graph.add("Add", total, part) if total else part
    return total


def _feature(graph: _Graph, x: str, j: int) -> str:
    """Column j, of shape (n, 1)."""
    return graph.add("Gather", x, np.array([j]), axis=1)


def _ranks(graph: _Graph, knots: list[tuple[np.ndarray, np.ndarray]], x: str) -> str:
    """The ranks of all features: the first one plus the rises, each as far as the value is along it."""
    ranks = []
    for j, (values, levels) in enumerate(knots):
        value = _feature(graph, x, j)
        if values.size == 1:
            ranks.append(graph.add("Add", graph.add("Mul", value, np.array(0.0)), np.array(levels[0])))
            continue
        ahead = graph.add("Div", graph.add("Sub", value, values[None, :-1]), np.diff(values)[None, :])
        share = graph.add("Max", graph.add("Min", ahead, np.array(1.0)), np.array(0.0))
        ranks.append(graph.add("Add", graph.add("MatMul", share, _column(np.diff(levels))), np.array(levels[0])))
    return graph.add("Concat", *ranks, axis=1)


def _outputs(graph: _Graph, model: ModelParts, score: str) -> list[Any]:
    """The outputs, each of shape (n, 1)."""
    types = graph.onnx.TensorProto
    outputs = [graph.value(graph.add("Identity", score, output=model.output_name("score")), types.DOUBLE, 1)]
    if model.calibration is not None:
        slope, intercept = map(np.array, model.calibration)
        log_odds = graph.add("Add", graph.add("Mul", score, slope), intercept)
        odds_against = graph.add("Exp", graph.add("Neg", log_odds))  # Sigmoid loses digits of small probabilities
        name = graph.add(
            "Reciprocal", graph.add("Add", odds_against, np.array(1.0)), output=model.output_name("probability")
        )
        outputs.append(graph.value(name, types.DOUBLE, 1))
    operator, cut = ("Greater", 0.0) if model.threshold is None else ("GreaterOrEqual", model.threshold)
    positive = graph.add("Cast", graph.add(operator, score, np.array(cut)), to=types.INT64)
    labels, dtype = _labels(graph, model.classes)
    name = graph.add("Gather", labels, positive, axis=0, output=model.output_name("prediction"))
    return [*outputs, graph.value(name, dtype, 1)]


def _labels(graph: _Graph, classes: tuple[Any, Any]) -> tuple[np.ndarray, int]:
    types = graph.onnx.TensorProto
    if isinstance(classes[0], str):
        return np.array([label.encode() for label in classes], dtype=object), types.STRING
    labels = np.array(classes)
    known = {"b": types.BOOL, "i": types.INT64, "f": types.DOUBLE}
    if labels.dtype.kind not in known:
        raise ExportError(f"the labels {classes} are integers that ONNX cannot hold; use smaller ones, or strings")
    return labels, known[labels.dtype.kind]
