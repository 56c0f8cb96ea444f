"""Fits of `KernelAUCClassifier` from passes over a source.

The second pass adds up the deviations of the columns and draws a sample of rows of each class, from which landmarks
come and on which models are compared, as in memory on `tuning_rows` rows. The third adds up the moments of the
features of all models that keep weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucmax.estimators.kernel import Features, KernelAUCClassifier
from aucmax.kernels.functions import Coordinates, find_kernels, kernel_coordinates
from aucmax.kernels.landmarks import choose_landmarks, count_landmarks, places_among
from aucmax.kernels.nystroem import Nystroem
from aucmax.numerics.matrix import is_sparse
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import Data, check_finite, column_scale
from aucmax.problem.moments import Moments
from aucmax.scale.passes import Passes
from aucmax.scale.row_reader import NumberedRows
from aucmax.scale.row_sample import RowSample, SampledMoments, hashed_folds
from aucmax.scale.score_runs import ScoreRuns
from aucmax.scale.several import Several
from aucmax.selection.averaging import average_paths
from aucmax.selection.cross_validation import PathSettings
from aucmax.selection.kernel_search import KernelSearch, count_rounds
from aucmax.solvers import Exact
from aucmax.validation.inputs import LabeledData, make_rng
from aucmax.validation.params import Integer


@dataclass(frozen=True)
class _SampledMomentsOf:
    """Those of the rows of a chunk."""

    limit: int  # of the sample

    def __call__(self, rows: NumberedRows) -> SampledMoments:
        moments = Moments.of(*rows.data, full=False)
        check_finite(moments, rows.data.X)
        return SampledMoments(moments, RowSample.of(rows, self.limit))


@dataclass(frozen=True, eq=False)
class _FeatureMomentsOf:
    """The moments of the features of several maps; None stands for the columns themselves."""

    maps: list[Nystroem | None]

    def __call__(self, rows: NumberedRows) -> Several:
        X, y, weight = rows.data
        moments = [Moments.of(X, y, weight) if made is None else made.moments(X, y, weight) for made in self.maps]
        return Several(tuple(moments))


def fit_kernel(model: KernelAUCClassifier, passes: Passes) -> None:
    """Compare kernels on a sample, and refit the ones that have weight, on all rows."""
    _check_supported(model)
    rng = make_rng(model.random_state)
    count = count_landmarks(model.n_components, passes.summary.n_rows)
    limit = max(model.tuning_rows, count)
    sampled = passes.run(_SampledMomentsOf(limit), "columns and a sample of rows")
    if min(sampled.moments.pos.count, sampled.moments.neg.count) == 0:
        raise ValueError("all rows of positive weight are of one class, so AUC is undefined")
    tuning = sampled.sample.balanced(model.tuning_rows)
    kernels = find_kernels(model.kernel, is_sparse(tuning.data.X))
    landmarks, search = _make_search(model, sampled, tuning, kernels, count, rng)
    with threads_for(1):
        paths = search.run(kernels, model.gamma, count_rounds(model.relevance, model.kernel, kernels), rng)
        average = average_paths(tuning.data, [each.path for each in paths], pick=not model.average)
    maps = [paths[k].nystroem(landmarks) for k in average.kept]
    moments = passes.run(_FeatureMomentsOf(maps), "moments of the kernel features").parts
    score = model._fit_average(paths, average, landmarks, _features(model, maps, moments))
    model._store_search(paths, average)
    shift = model._calibrate(average.out_of_fold, _with_class_totals(tuning.data, sampled.moments))
    model.score_ = replace(score, intercept=score.intercept - shift)
    weight = tuning.data.weight if passes.reader.weight is not None else None
    model.oof_interval_ = ScoreRuns.of(average.out_of_fold, tuning.data.y, weight).interval()


def _check_supported(model: KernelAUCClassifier) -> None:
    """Refuse losses and folds that passes do not support."""
    if model.loss != "squared":
        raise ValueError(
            f"loss={model.loss!r}; passes over a source fit kernels by the squared loss only; use loss='squared', or "
            "fit a sample of rows in memory"
        )
    if not Integer(2).accepts(model.cv):
        raise ValueError(f"cv={model.cv!r}; a source is split by hashing: give the number of folds, at least 2")


def _make_search(
    model: KernelAUCClassifier,
    sampled: SampledMoments,
    tuning: NumberedRows,
    kernels: list[str],
    count: int,
    rng: np.random.Generator,
) -> tuple[Any, KernelSearch]:
    """Landmarks among the sampled rows, and the search; ranks are those among the rows of the comparison."""
    rows = sampled.sample.rows
    columns = Coordinates(column_scale(sampled.moments, model.standardize))
    groups = [np.flatnonzero(rows.data.y == side) for side in (1.0, -1.0)]
    chosen = choose_landmarks(groups, count, rng)
    model.landmarks_ = rows.numbers[chosen]
    landmarks = rows.data.X[chosen]
    places = places_among(tuning.numbers, model.landmarks_)
    coordinates = kernel_coordinates(kernels, columns, tuning.data, model.standardize)
    settings = PathSettings(model.alphas, 0.0, model.standardize)
    folds = hashed_folds(tuning, int(model.cv))
    return landmarks, KernelSearch(tuning.data, folds, landmarks, places, coordinates, settings)


def _features(
    model: KernelAUCClassifier, maps: list[Nystroem | None], moments: Sequence[Moments]
) -> Iterator[Features]:
    """For each map the features, or the columns themselves if it is None, and the solver of the final model."""
    for nystroem, part in zip(maps, moments, strict=True):
        yield nystroem, Data.of_moments(part, standardize=model.standardize and nystroem is None), Exact()


def _with_class_totals(rows: LabeledData, moments: Moments) -> LabeledData:
    """The rows with weights that restore the total weight of each class: the sample is balanced."""
    weight = rows.weight.copy()
    for side, total in ((1.0, moments.pos.weight), (-1.0, moments.neg.weight)):
        weight[rows.y == side] *= total / weight[rows.y == side].sum()
    return LabeledData(None, rows.y, weight)
