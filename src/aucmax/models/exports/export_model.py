"""`export`: a fitted model as a file for another system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aucmax.models.exports.model_parts import ModelParts
from aucmax.models.exports.onnx import to_onnx
from aucmax.models.exports.sql import to_sql
from aucmax.models.from_estimator import saved_model
from aucmax.models.savedmodel import SavedModel
from aucmax.tables.atomic_write import atomic_write
from aucmax.validation.params import Option, check_param

FORMATS = ("onnx", "sql")


def export(model: Any, path: str | Path, *, to: str, table: str = "data") -> None:
    """Write a fitted model for another system, atomically; parent folders are created.

    Parameters
    ----------
    model : estimator, Pipeline or SavedModel
        What `aucmax.save` takes, except stacks with forests, boosting or several kernel models in them.
    path : str or Path
        The file to write.
    to : {"onnx", "sql"}
        An ONNX graph (needs the extra `onnx`) or a SELECT in standard SQL.
    table : str
        The table that the SELECT reads.

    Raises
    ------
    ExportError
        If the format cannot hold the model; the message says why.

    Examples
    --------
    >>> import sqlite3
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from aucmax import AUCClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AUCClassifier().fit(X, y == 1)
    >>> export(model, "model.sql", to="sql", table="flowers")
    >>> database = sqlite3.connect(":memory:")
    >>> _ = database.execute("CREATE TABLE flowers (x0, x1, x2, x3)")
    >>> _ = database.executemany("INSERT INTO flowers VALUES (?, ?, ?, ?)", X.tolist())
    >>> scores = [row[0] for row in database.execute(Path("model.sql").read_text())]
    >>> database.close()
    >>> np.allclose(scores, model.decision_function(X), rtol=0, atol=1e-12)
    True
    """
    check_param("to", to, Option(*FORMATS))
    saved = model if isinstance(model, SavedModel) else saved_model(model, held_out_scores=False)
    parts = ModelParts.of(saved)
    content = to_onnx(parts) if to == "onnx" else to_sql(parts, table).encode()
    with atomic_write(path, "wb") as file:
        file.write(content)
