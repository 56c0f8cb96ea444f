"""`fit`: an estimator fitted to a source that need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.scale.engines import Engine
from aucmax.scale.first_pass import ColumnUse
from aucmax.scale.fit_checkpoint import FitCheckpoint
from aucmax.scale.folds import fold_seed
from aucmax.scale.kernel_fits import fit_kernel
from aucmax.scale.linear_fits import fit_linear
from aucmax.scale.numeric_columns import NumericColumns
from aucmax.scale.passes import Passes, Progress
from aucmax.scale.path_fits import fit_path
from aucmax.tables.table_encoder import TableEncoder
from aucmax.validation.params import Integer, check_params


def fit(
    source: Any,
    estimator: AUCClassifier | AUCClassifierCV | KernelAUCClassifier | None = None,
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
    checkpoint: str | Path | FitCheckpoint | None = None,
) -> Any:
    """Fit an estimator to rows that need not fit in memory, in a few passes over them.

    Columns are encoded as by `TableEncoder`, which learns from the first pass. With the squared loss, a second pass
    adds up the moments of the folds, a third finds the AUC of every alpha in cells of the scores, and a fourth the
    out-of-fold scores of the chosen alpha. The logistic loss takes two more for each of about six Newton steps. The
    weights are those of a fit in memory, up to rounding; where a column of more than 32,768 rows has missing cells,
    up to the median imputed there, whose rank is approximate.

    Parameters
    ----------
    source : Source, file names or anything Arrow
        See `Source.of`.
    estimator : AUCClassifier, AUCClassifierCV or KernelAUCClassifier
        Its settings; it is not changed. By default `AUCClassifierCV()`. `cv` is a number of folds: the fold of a row
        follows from its number or group by hashing. `AUCClassifierCV` takes the squared and the logistic loss; "auto"
        chooses one of these two on a sample of rows. `AUCClassifier` takes the squared (solver "exact", or "cg"
        for wide tables) and the logistic loss ("newton"), `KernelAUCClassifier` the squared loss: its landmarks are
        drawn from, and its kernels compared on, a sample of rows of each class.
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
        What this process may use, such as "1GB"; chunks are made as small as that needs. Below about 700 MB it is
        refused: Python with its libraries takes 250 MB, and what the passes add up some hundred.
    progress : callable, optional
        Called with a `PassProgress` after every chunk.
    checkpoint : str or Path, optional
        A file to which sums are written every few seconds. If it exists, the fit continues from there and gives the
        weights that it would have had, to the last bit; files that have changed since are noticed. Delete it once
        the fit is done. Needs files as the source and an integer as `random_state`.

    Returns
    -------
    Pipeline or estimator
        A `TableEncoder` and the fitted estimator, or the estimator alone if the source is a matrix (libsvm). Besides
        its usual attributes, `AUCClassifierCV` has `cv_auc_bound_`, a bound on the errors of `cv_auc_`, and
        `oof_interval_`, the AUC of the out-of-fold scores with its confidence interval; `oof_scores_` are in
        ascending order, and means of neighbours if a class has more than a million rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> table = pa.Table.from_pandas(X.assign(benign=y), preserve_index=False)
    >>> model = fit(table, AUCClassifierCV(loss="squared", random_state=0), target="benign", pos_label=1)
    >>> model[-1].cv_auc_.shape, bool(model[-1].oof_interval_.auc > 0.99)
    ((11, 5), True)
    >>> model.predict_proba(X).shape
    (569, 2)
    """
    model: Any = clone(AUCClassifierCV() if estimator is None else estimator)
    if not any(isinstance(model, kind) for kind in FITS):
        names = [kind.__name__ for kind in FITS]
        raise TypeError(f"{type(model).__name__} cannot be fitted to a source; use one of {names}")
    check_params(model)
    seed = fold_seed(model.random_state)
    use = ColumnUse(target, weight, groups, pos_label, keep, drop, encode)
    stored = None
    if checkpoint is not None:
        if not Integer(0).accepts(model.random_state):
            raise ValueError(f"random_state={model.random_state!r}; a fit with a checkpoint needs an integer")
        stored = checkpoint if isinstance(checkpoint, FitCheckpoint) else FitCheckpoint(checkpoint)
    options: dict[str, Any] = {"engine": engine, "memory": memory, "progress": progress, "checkpoint": stored}
    passes = Passes.start(source, use, seed, **options, settings=repr(sorted(model.get_params().items())))
    fit_model(model, passes)
    encoder = passes.reader.encoder
    if isinstance(encoder, NumericColumns):
        model.feature_names_in_ = encoder.get_feature_names_out()
    return Pipeline([("encoder", encoder), ("model", model)]) if isinstance(encoder, TableEncoder) else model


FITS: dict[type, Callable[[Any, Passes], None]] = {
    AUCClassifier: fit_linear,
    AUCClassifierCV: fit_path,
    KernelAUCClassifier: fit_kernel,
}


def fit_model(model: AUCClassifier | AUCClassifierCV | KernelAUCClassifier, passes: Passes) -> None:
    """Fit an estimator to a source that has been read once."""
    model.classes_ = np.array(passes.reader.classes)
    model.n_features_in_ = passes.reader.n_features
    next(fit for kind, fit in FITS.items() if isinstance(model, kind))(model, passes)
