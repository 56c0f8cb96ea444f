"""The estimator of a stream in JSON: its settings, the moments, the state of the solver and the latest scores.

What follows from these is computed again: the problem, the weights, the intercept. An estimator that is read
continues with exactly the weights that it would have had.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np

from aucmax.estimators.linear import AUCClassifier
from aucmax.models.json_arrays import matrix_from_json, matrix_to_json
from aucmax.models.state_json import integer_of, state_from_json, state_to_json
from aucmax.problem.moments import ClassMoments, Moments
from aucmax.problem.objective import ProblemSpec
from aucmax.solvers import SOLVERS, Exact, Solver
from aucmax.streaming.recent_scores import RecentScores
from aucmax.streaming.stream import Stream
from aucmax.tables.json_schema import Schema, check_schema
from aucmax.validation.inputs import LabeledData, make_rng
from aucmax.validation.params import check_params

SETTINGS = ("alpha", "l1_ratio", "loss", "standardize", "decision")
_SCHEMA: Schema = {
    "settings": (dict,),
    "solver": (str,),
    "solver_settings": (dict,),
    "n_features": (float,),
    "seed": (float,),
    "batches": (float,),
    "moments": (dict,),
    "shift": (dict, float),
    "state": (dict, None),
    "buffer": (dict, None),
    "recent": (dict,),
}


def start_stream(estimator: AUCClassifier, n_features: int) -> AUCClassifier:
    """Start a stream of rows with labels 0 and 1, before the first of them."""
    check_params(estimator)
    _, solver = estimator._streaming()
    estimator.n_features_in_ = n_features
    estimator.classes_ = np.array([0, 1])
    stream = Stream.start(n_features, solver, make_rng(estimator.random_state))
    return estimator._store_stream(stream, RecentScores.empty(), solver)


def stream_to_json(estimator: AUCClassifier) -> dict[str, Any]:
    """An estimator after `partial_fit` as JSON values; its labels and column names are not included."""
    stream = estimator._stream
    if stream is None:
        raise ValueError("there is no stream to save; call partial_fit first")
    if SOLVERS.get(stream.solver.name) is not type(stream.solver):
        raise ValueError(f"the state of {stream.solver} cannot be saved: it is not one of {list(SOLVERS)}")
    buffer = stream.buffer
    return {
        "settings": {name: getattr(estimator, name) for name in SETTINGS},
        "solver": stream.solver.name,
        "solver_settings": stream.solver.get_params(),
        "n_features": stream.moments.delta.size,
        "seed": stream.seed,
        "batches": stream.batches,
        "moments": {"pos": state_to_json(stream.moments.pos), "neg": state_to_json(stream.moments.neg)},
        "shift": state_to_json(stream.shift),
        "state": None if stream.state is None else state_to_json(stream.state),
        "buffer": None if buffer is None else state_to_json(buffer) | {"X": matrix_to_json(buffer.X)},
        "recent": state_to_json(estimator._recent),
    }


def stream_from_json(content: Any) -> AUCClassifier:
    """The estimator that `stream_to_json` described, every field validated; its labels are 0 and 1."""
    check_schema(content, _SCHEMA, "the stream")
    solver = _solver_from_json(content["solver"], content["solver_settings"])
    check_schema(content["settings"], dict.fromkeys(SETTINGS, (str, bool, float)), "settings of the stream")
    _check_settings(content["settings"])
    estimator = AUCClassifier(**content["settings"], solver=solver)
    check_params(estimator)
    dim = integer_of(content, "n_features", 1)
    spec, solver = estimator._streaming()
    stream = _stream_from_json(content, dim, spec, solver)
    estimator.n_features_in_ = dim
    estimator.classes_ = np.array([0, 1])
    recent = state_from_json(content["recent"], RecentScores.empty(), "recent")
    _check_rows(recent, "recent")
    return estimator._store_stream(stream.resumed(spec, solver), recent, solver)


def _solver_from_json(name: str, settings: dict[str, Any]) -> Solver:
    if name not in SOLVERS or not SOLVERS[name].online:
        raise ValueError(f"the solver {name!r} is unknown, or has no streams")
    if set(settings) != set(inspect.signature(SOLVERS[name]).parameters):
        raise ValueError(f"the settings of solver {name!r} are not {sorted(settings)}")
    _check_settings(settings)
    solver = SOLVERS[name](**settings)
    solver.check_settings()
    return solver


def _check_settings(settings: dict[str, Any]) -> None:
    """Refuse integers that a double does not hold; every setting has constraints of its own besides."""
    large = [name for name, value in settings.items() if type(value) is int and abs(value) > 2**53]
    if large:
        raise ValueError(f"the settings {large} are larger than 2^53")


def _stream_from_json(content: dict[str, Any], dim: int, spec: ProblemSpec, solver: Solver) -> Stream:
    check_schema(content["moments"], {"pos": (dict,), "neg": (dict,)}, "moments")
    moments = Moments(*(_moments_from_json(content["moments"][side], dim, solver) for side in ("pos", "neg")))
    shift = state_from_json(content["shift"], np.empty(dim) if isinstance(content["shift"], dict) else 0.0, "shift")
    buffer = None if content["buffer"] is None else _buffer_from_json(content["buffer"], dim)
    seed = integer_of(content, "seed", 0)
    batches = integer_of(content, "batches", 0)
    stream = Stream(solver, moments, seed, batches=batches, buffer=buffer, shift=shift)
    if content["state"] is None:
        if min(moments.pos.count, moments.neg.count) > 0 and (batches == 0 or not isinstance(solver, Exact)):
            raise ValueError(f"the stream lacks the state of solver {solver.name!r}")
        return stream
    state = state_from_json(content["state"], stream.first_state(spec, solver), "the state")
    state.check()
    if not np.isfinite(state.w).all():
        raise ValueError("the weights of the state are not finite")
    return replace(stream, state=state)


def _moments_from_json(content: Any, dim: int, solver: Solver) -> ClassMoments:
    scatter = np.empty((dim, dim) if isinstance(solver, Exact) else dim)
    part = state_from_json(content, ClassMoments(0.0, 0.0, np.empty(dim), scatter), "moments")
    variances = part.scatter.diagonal() if part.scatter.ndim == 2 else part.scatter
    finite = np.isfinite([part.count, part.weight]).all() and np.isfinite(part.mean).all()
    if not finite or not np.isfinite(part.scatter).all():
        raise ValueError("the moments are not finite")
    if min(part.count, part.weight) < 0 or variances.min() < 0 or (part.count > 0) != (part.weight > 0):
        raise ValueError("counts, weights and variances of the moments must not be negative")
    return part


def _buffer_from_json(content: dict[str, Any], dim: int) -> LabeledData:
    check_schema(content, {"X": (dict,), "y": (dict,), "weight": (dict,)}, "the buffer")
    y, weight = (state_from_json(content[name], np.empty(0), name) for name in ("y", "weight"))
    table = LabeledData(matrix_from_json(content["X"], "the buffer"), y, weight)
    if table.X.shape != (y.size, dim):
        raise ValueError(f"the buffer must have shape {(y.size, dim)}, not {table.X.shape}")
    _check_rows(table, "the buffer")
    return table


def _check_rows(rows: LabeledData | RecentScores, what: str) -> None:
    """Refuse labels other than -1 and +1, and weights that are not positive, or fewer or more of them than rows."""
    lengths = {part.shape[0] for part in rows}
    if len(lengths) > 1 or not np.isin(rows.y, (-1.0, 1.0)).all():
        raise ValueError(f"{what} must have a label of -1 or +1 and a weight for every row")
    numbers = rows.scores if isinstance(rows, RecentScores) else rows.weight
    if not ((rows.weight > 0) & np.isfinite(rows.weight)).all() or not np.isfinite(numbers).all():
        raise ValueError(f"{what} must have positive weights and finite scores")
