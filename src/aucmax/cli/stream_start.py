"""How a stream of the command line starts: from its first rows, from a model, or from its checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from aucmax.estimators.linear import AUCClassifier
from aucmax.models import ModelMetadata, load
from aucmax.models.live_stream import LiveStream
from aucmax.models.model_file import load_checkpoint
from aucmax.solvers import SOLVERS, Exact
from aucmax.tables import Table, TableEncoder, encode_target
from aucmax.tables.table_findings import fit_quietly
from aucmax.tables.target import rest_labels

DEFAULTS = {"solver": "exact", "alpha": "auto", "l1_ratio": 0.0, "forgetting": 1.0, "batch": 200, "window": 1000}


@dataclass(frozen=True, kw_only=True)
class StreamSettings:
    """Options of `aucmax stream`; None where the checkpoint, or else a default, decides.

    Parameters
    ----------
    target, positive : str or None
        The column of labels, and the positive one.
    model : Path or None
        A model whose encoder, target and classes are used.
    solver, alpha, l1_ratio, forgetting
        Of the estimator.
    batch, window : int or None
        Rows of a batch, and of the prequential AUC.
    first_rows : int
        Rows from which the columns and the classes are learned.
    every_rows, every_seconds
        When a checkpoint is due.
    skip_rows : int or None
        Rows of the file to skip; None for those that were read before.
    keep, drop : tuple of str
        Columns to use although they look like ids, and columns to leave out.
    decimal : {"auto", ".", ","}
        The decimal mark where the cells are ambiguous.
    seed : int
        Random seed.
    """

    target: str | None = None
    positive: str | None = None
    model: Path | None = None
    solver: str | None = None
    alpha: float | None = None
    l1_ratio: float | None = None
    forgetting: float | None = None
    batch: int | None = None
    window: int | None = None
    first_rows: int = 1000
    every_rows: int = 100_000
    every_seconds: float = 60.0
    skip_rows: int | None = None
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    decimal: str = "auto"
    seed: int = 0

    def value(self, name: str) -> Any:
        """The option, or its default."""
        given = getattr(self, name)
        return DEFAULTS[name] if given is None else given

    def start(self, metadata: ModelMetadata) -> LiveStream:
        """A stream before its first row."""
        name = self.value("solver")
        if self.forgetting is not None and name != "exact":
            raise click.UsageError(f"--forgetting is for the solver exact, not for {name}")
        solver = Exact(forgetting=self.value("forgetting")) if name == "exact" else SOLVERS[name]()
        loss = solver.losses[0].name
        estimator = AUCClassifier(
            self.value("alpha"), self.value("l1_ratio"), loss, solver=solver, random_state=self.seed
        )
        return LiveStream(metadata, estimator, batch_rows=self.value("batch"), window=self.value("window"))


def learned_stream(table: Table, settings: StreamSettings) -> LiveStream:
    """A stream whose columns and classes are learned from the first rows, which are not yet learned themselves."""
    _, classes = encode_target(table, settings.target, settings.positive)
    encoder = TableEncoder(decimal=settings.decimal, keep=settings.keep, drop=settings.drop)
    fit_quietly(encoder, table.drop(settings.target))
    rest = rest_labels(table, settings.target, classes)
    facts = {"target": settings.target} | ({"rest": rest} if rest else {})
    return settings.start(ModelMetadata(classes, encoder=encoder, training=facts))


def stream_of_model(settings: StreamSettings) -> LiveStream:
    """A stream with the encoder, the target and the classes of a model."""
    model = load(settings.model)  # type: ignore[arg-type]
    metadata = model.metadata
    if metadata.encoder is None:
        raise ValueError(f"{settings.model} has no named columns; give the model of a table that has")
    facts = {"target": settings.target or metadata.training.get("target")}
    if facts["target"] is None:
        raise click.UsageError("the model does not name its target; give --target")
    rest = metadata.training.get("rest")
    facts |= {"rest": rest} if rest else {}
    return settings.start(ModelMetadata(metadata.classes, encoder=metadata.encoder, training=facts))


def continued_stream(checkpoint: Path, settings: StreamSettings) -> LiveStream:
    """The stream of a checkpoint; options that contradict it are refused."""
    stream = load_checkpoint(checkpoint)
    estimator = stream.estimator
    used = {
        "target": stream.metadata.training.get("target"),
        "positive": str(stream.metadata.classes[1]),
        "solver": estimator.solver.name,
        "alpha": estimator.alpha,
        "l1_ratio": estimator.l1_ratio,
        "forgetting": getattr(estimator.solver, "forgetting", 1.0),
        "batch": stream.batch_rows,
        "window": stream.window,
    }
    for name, value in used.items():
        given = getattr(settings, name)
        if given is not None and given != value:
            option = name.replace("_", "-")
            raise click.UsageError(
                f"{checkpoint} was made with --{option} {value}, not {given}; omit --{option}, or start a new "
                "checkpoint"
            )
    return stream
