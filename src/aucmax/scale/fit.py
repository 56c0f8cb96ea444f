"""`fit`: an estimator fitted to a source that need not fit in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.scale.columns import ColumnUse, NumericColumns
from aucmax.scale.engines import Engine
from aucmax.scale.progress import Progress
from aucmax.scale.rows import SourceRows, read_rows
from aucmax.tables.table_encoder import TableEncoder
from aucmax.validation.params import check_params


def fit(
    source: Any,
    estimator: Any = None,
    *,
    target: str | None = None,
    weight: str | None = None,
    groups: str | None = None,
    pos_label: Any = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    encode: bool = True,
    engine: Engine | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
) -> Any:
    """Fit an estimator to rows that need not fit in memory.

    The first pass learns a `TableEncoder` and reads labels, weights and groups, the second encodes the rows and keeps
    them in a temporary file. The estimator is then fitted to a table that is read in chunks, and is the one that a
    fit in memory gives, folds included, but for rounding and for two things: where a column of more than 32,768 rows
    has missing cells, the rank of the median imputed there is approximate; and `AUCClassifierCV` chooses alpha on a
    sample of the rows if there are very many (docs/scale.md).

    Parameters
    ----------
    source : Source, file names or anything Arrow
        See `Source.of`.
    estimator : AUCClassifier, AUCClassifierCV or KernelAUCClassifier
        Its settings; it is not changed. By default `AUCClassifierCV()`. Solvers need full passes only: "exact", "cg",
        "newton" or "cutting_plane".
    target : str
        The column of labels; none for libsvm files.
    weight, groups : str, optional
        The columns of weights, and of groups whose rows stay in one fold.
    pos_label : optional
        The positive label; the rarer one if not given.
    keep, drop : sequence of str
        Columns to use although they look like ids, and columns to leave out.
    encode : bool
        False if all columns are numbers without missing cells, to be used as they are: the first pass is faster, and
        the result is the estimator alone.
    engine : Engine, optional
        Who reads the partitions: by default the threads of this process.
    memory : int or str, optional
        What the chunks under way may use, such as "1GB"; chunks are made as small as that needs. Python with its
        libraries takes some 310 MB beside, labels, folds and scores 35 to 110 bytes a row (docs/scale.md).
    progress : callable, optional
        Called with a `PassProgress` after every chunk.

    Returns
    -------
    Pipeline or estimator
        A `TableEncoder` and the fitted estimator, or the estimator alone if the source is a matrix (libsvm).

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> table = pa.Table.from_pandas(X.assign(benign=y), preserve_index=False)
    >>> model = fit(table, AUCClassifierCV(random_state=0), target="benign", pos_label=1)
    >>> model[-1].cv_auc_.shape, bool(model[-1].oof_interval_.auc > 0.99)
    ((11, 5), True)
    >>> model.predict_proba(X).shape
    (569, 2)
    """
    model = clone(AUCClassifierCV() if estimator is None else estimator)
    check_params(model)
    use = ColumnUse(target, weight, groups, pos_label, keep, drop, encode)
    rows = read_rows(source, use, engine, memory, progress)
    fit_rows(model, rows)
    return (
        Pipeline([("encoder", rows.encoder), ("model", model)]) if isinstance(rows.encoder, TableEncoder) else model
    )


def fit_rows(model: Any, rows: SourceRows) -> None:
    """Fit an estimator to the rows of a source."""
    groups = {} if rows.groups is None else {"groups": rows.groups}
    model.fit(rows.X, rows.labels, rows.weight, **groups)
    if isinstance(rows.encoder, NumericColumns):
        model.feature_names_in_ = rows.encoder.get_feature_names_out()
