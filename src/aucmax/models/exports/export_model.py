"""`export`: a fitted model as a file for another system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aucmax.models.exports.model_parts import ModelParts
from aucmax.models.exports.onnx import to_onnx
from aucmax.models.exports.python import to_python
from aucmax.models.exports.sql import to_sql
from aucmax.models.from_estimator import saved_model
from aucmax.models.savedmodel import SavedModel
from aucmax.tables.atomic_write import atomic_write
from aucmax.validation.params import Option, check_param

FORMATS = ("onnx", "sql", "python")


def export(model: Any, path: str | Path, *, to: str, table: str = "data") -> None:
    """Write a fitted model for another system, atomically; parent folders are created.

    Parameters
    ----------
    model : estimator, Pipeline or SavedModel
        What `aucmax.save` takes, except stacks with forests, boosting or several kernel models in them.
    path : str or Path
        The file to write.
    to : {"onnx", "sql", "python"}
        An ONNX graph (needs the extra `onnx`); a SELECT in standard SQL; or a Python file without dependencies.
    table : str
        The table that the SELECT reads.

    Raises
    ------
    ExportError
        If the format cannot hold the model; the message says why.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifierCV(random_state=0).fit(X, y)
    >>> export(model, "model.py", to="python")
    >>> exported = {}
    >>> exec(Path("model.py").read_text(), exported)
    >>> row = {f"x{j}": value for j, value in enumerate(X[0])}
    >>> bool(np.isclose(exported["score"](row), model.decision_function(X[:1])[0], rtol=1e-12))
    True
    """
    check_param("to", to, Option(*FORMATS))
    saved = model if isinstance(model, SavedModel) else saved_model(model, held_out_scores=False)
    parts = ModelParts.of(saved)
    if to == "onnx":
        content = to_onnx(parts)
    else:
        content = (to_sql(parts, table) if to == "sql" else to_python(parts)).encode()
    with atomic_write(path, "wb") as file:
        file.write(content)
