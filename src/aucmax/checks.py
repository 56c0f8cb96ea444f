"""The door: tables, weights, labels and settings are checked here, once.

An error says what was wrong, with the value, and what to do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import validate_data

from aucmax.losses import LOSSES
from aucmax.moments import Moments
from aucmax.penalties import ElasticNet
from aucmax.problem import Data
from aucmax.rows import canonical, nonzeros
from aucmax.settings import is_number
from aucmax.solvers import SOLVERS, Solver, name_of

# A factorisation costs n dim min(n, dim), conjugate gradients some passes: above this many times the non-zeros
# the passes are cheaper.
EXACT_COST = 2400
SMALLEST = 1e-150  # size of numbers whose squares keep their digits

SUITABLE = {
    "squared_hinge": "newton",
    "hinge": "cutting_plane",
    "exponential": "newton",
    "sigmoid": "rankopt",
    "aum": "aum",
}
STREAMING = {"squared": "exact", "exponential": "uniexp"}


class Checked(NamedTuple):
    """A table that passed the door: rows, labels -1/+1, weights."""

    X: Any
    y: np.ndarray
    weight: np.ndarray

    def rows(self, index: np.ndarray) -> Checked:
        """Some of the rows."""
        return Checked(self.X[index], self.y[index], self.weight[index])

    def weighted(self) -> Checked:
        """Without the rows of weight zero."""
        return self if self.weight.min() > 0 else self.rows(np.flatnonzero(self.weight > 0))


def check_table(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, dense: bool = False
) -> tuple[Checked, np.ndarray]:
    """Check a table and its labels; return it with the two classes. Sets the estimator's feature names.

    A `dense` table is refused if it is sparse, and also if it is not finite: else `make_data` does that.
    """
    X, y = validate_data(
        estimator,
        X,
        y,
        accept_sparse=False if dense else "csr",
        dtype=[np.float64, np.float32],
        order="C",
        ensure_all_finite=dense,  # else seen in the moments, without a pass of its own
    )
    classes, codes = _classes(y)
    return Checked(canonical(X), np.where(codes == 1, 1.0, -1.0), _check_weight(sample_weight, codes)), classes


def check_batch(
    estimator: Any, X: Any, y: Any, sample_weight: Any, classes: Any, *, first: bool
) -> tuple[Checked, np.ndarray]:
    """Check a batch of a stream, which may hold one class only; return it with the two classes."""
    X, y = validate_data(estimator, X, y, reset=first, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
    check_classification_targets(y)
    if classes is not None:
        labels = np.unique(classes)
    else:
        labels = np.unique(y) if first else estimator.classes_
    if labels.size == 1:
        raise ValueError(f"only the label {labels.tolist()[0]!r} so far; pass classes=[...], both labels, at first")
    _check_two_classes(labels, labels)
    strange = np.setdiff1d(y, labels)
    if strange.size or not (first or np.array_equal(labels, estimator.classes_)):
        raise ValueError(f"labels {strange.tolist() or labels.tolist()} in a batch; all must keep to the same two")
    labels = labels if first else estimator.classes_
    codes = (y == labels[1]).astype(int)
    weight = np.ones(codes.size) if sample_weight is None else _weights(sample_weight, codes.size)
    return Checked(canonical(X), np.where(codes == 1, 1.0, -1.0), weight), labels


def check_validation(estimator: Any, pair: Any) -> tuple[Any, np.ndarray]:
    """A validation set as (X, y), its labels among those of the training set, as -1/+1."""
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2):
        raise ValueError("a validation set is a pair (X, y); pass both")
    X, y = validate_data(estimator, *pair, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
    if not np.array_equal(np.unique(y), estimator.classes_):
        raise ValueError(
            f"the validation set has labels {np.unique(y).tolist()}; it needs {estimator.classes_.tolist()}"
        )
    return X, np.where(y == estimator.classes_[1], 1.0, -1.0)


def make_data(table: Checked, solver: Solver, penalty: ElasticNet, standardize: bool) -> Data:
    """Data with the statistics that the solver wants; NaN and infinity in the table surface here."""
    n, dim = table.X.shape
    full = solver.wants_scatter(n, dim, penalty)
    data = Data.of(table.X, table.y, table.weight, standardize=standardize, full=full)
    check_finite(data.raw_moments, table.X)
    return data


def check_finite(moments: Moments, X: Any) -> None:
    """NaN, infinity and numbers without a square in X show in its moments; then say which, and what to do."""
    if not (np.isfinite(moments.delta).all() and np.isfinite(moments.variances).all()):
        assert_all_finite(X, input_name="X")
        column = int(np.argmin(np.isfinite(moments.delta) & np.isfinite(moments.variances)))
        raise ValueError(f"column {column} of X has values whose squares overflow; divide it by its size")
    size = np.maximum(np.abs(moments.pos.mean), np.abs(moments.neg.mean))
    vanishing = (size > 0) & (size < SMALLEST) & (moments.variances < SMALLEST**2)
    if vanishing.any():
        column = int(np.argmax(vanishing))
        raise ValueError(
            f"column {column} of X has values whose squares vanish; divide it by its size or leave it out"
        )


def find_loss(name: str) -> Any:
    """The loss of that name."""
    if not isinstance(name, str) or name not in LOSSES:
        raise ValueError(f"unknown loss {name!r}; choose one of {sorted(LOSSES)}")
    return LOSSES[name]()


def find_solver(solver: Any, X: Any, loss: Any, l1_ratio: float) -> Solver:
    """The solver of that name, or the one that suits the table."""
    if isinstance(solver, str) and solver == "auto":
        solver = _suitable(X, loss)
    if isinstance(solver, str) and solver in SOLVERS:
        solver = SOLVERS[solver]()
    if not isinstance(solver, Solver):
        raise ValueError(f"unknown solver {solver!r}; choose 'auto', one of {sorted(SOLVERS)} or pass a Solver")
    if not isinstance(loss, solver.losses):
        taken = [name for name, kind in LOSSES.items() if issubclass(kind, solver.losses)]
        raise ValueError(f"solver {type(solver).__name__} does not take loss={loss.name!r}; it takes {taken}")
    return solver


def check_taken(solver: Solver, penalty: ElasticNet, loss: Any) -> None:
    """Refuse a penalty that the solver cannot take, and name solvers of the loss that can."""
    if penalty.kind not in solver.penalties:
        kinds = {name: kind for name, kind in SOLVERS.items() if isinstance(loss, kind.losses)}
        able = sorted(name for name, kind in kinds.items() if penalty.kind in kind.penalties)
        total = penalty.l1 + penalty.l2
        reason = f"l1_ratio={penalty.l1 / total:g}" if total > 0 else "alpha=0"
        raise ValueError(
            f"solver {type(solver).__name__} takes the penalties {list(solver.penalties)}, not {penalty.kind!r} "
            f"({reason}); "
            "change these" + (f", or where a solver can be chosen take one of {able}" if able else "")
        )


def for_streams(solver: Any, loss: Any) -> Any:
    """The solver of a stream: "auto" stands for one that suits the loss, whatever the shape of a batch."""
    found = (SUITABLE | STREAMING).get(loss, "exact")
    return found if isinstance(solver, str) and solver == "auto" else solver


def check_weights(w: np.ndarray, solver: Solver) -> None:
    """Refuse an answer that is not finite: it would rank nothing."""
    if not np.isfinite(w).all():
        raise ValueError(
            f"solver {name_of(solver)!r} diverged, its weights are not finite: columns lie far from zero for their "
            "spread, or the step is too long; use standardize=True, centre X, or choose solver='exact'"
        )


def class_costs(class_weight: dict, classes: np.ndarray) -> tuple[float, float]:
    """Cost of an error on a negative and on a positive row, from a dict by label; a label left out costs 1."""
    labels = classes.tolist()
    if not isinstance(class_weight, dict) or not set(class_weight) <= set(labels):
        raise ValueError(f"class_weight={class_weight!r}; give None, 'balanced' or a dict with keys among {labels}")
    negative, positive = (float(class_weight.get(label, 1.0)) for label in labels)
    if not (0 < negative < np.inf and 0 < positive < np.inf):
        raise ValueError(f"class_weight={class_weight!r}; give finite costs above zero")
    return negative, positive


def check_stream_costs(class_weight: Any, classes: np.ndarray, solver: Solver) -> None:
    """Refuse class costs in a stream that keeps no covariances, by which they move the intercept."""
    if not isinstance(class_weight, dict) or solver.from_moments:
        return
    negative, positive = class_costs(class_weight, classes)
    if negative != positive:
        raise ValueError(
            f"class_weight={class_weight!r} has no effect in a stream of solver {name_of(solver)!r}, which keeps no "
            "covariances; use solver='exact', fit, or class_weight=None and a threshold of your own"
        )


def is_online(solver: Any) -> bool:
    """Whether a solver, or the solver of that name, learns from a stream."""
    found = SOLVERS.get(solver) if isinstance(solver, str) else solver
    if not getattr(found, "online", False):
        kinds = {name: kind for name, kind in SOLVERS.items() if kind.online}
        same = sorted(name for name, kind in kinds.items() if set(kind.losses) & set(getattr(found, "losses", ())))
        raise AttributeError(f"solver {solver!r} has no partial_fit; online solvers are {same or sorted(kinds)}")
    return True


def can_unlearn(solver: Any) -> bool:
    """Whether a solver, or the solver of that name, can take rows out of its stream again."""
    found: Any = SOLVERS.get(solver) if isinstance(solver, str) else solver
    if not getattr(found, "from_moments", False):
        able = sorted(name for name, kind in SOLVERS.items() if kind.from_moments)
        raise AttributeError(f"solver {solver!r} has no unlearn; solvers that can take rows out again are {able}")
    if getattr(found, "forgetting", 1.0) != 1.0:
        raise AttributeError(f"{solver!r} has no unlearn: what is left of a row is not known; set forgetting=1")
    return True


def _suitable(X: Any, loss: Any) -> str:
    """The fastest certified solver of the loss."""
    if loss.name in SUITABLE:
        return SUITABLE[loss.name]
    n, dim = X.shape
    return "exact" if float(n) * dim * min(n, dim) <= EXACT_COST * nonzeros(X) else "cg"


def check_penalty(alpha: Any, l1_ratio: Any) -> None:
    """alpha is "auto" or a finite number that is not negative; l1_ratio is in [0, 1]."""
    if alpha != "auto" and not (is_number(alpha) and 0 <= alpha < np.inf):
        raise ValueError(f"alpha={alpha!r}; give 'auto' or a finite number that is not negative")
    if not (is_number(l1_ratio) and 0 <= l1_ratio <= 1):
        raise ValueError(f"l1_ratio={l1_ratio!r}; give a number from 0 (L2) to 1 (l1)")


def generator(random_state: Any) -> np.random.Generator:
    """A generator from anything that scikit-learn takes as random_state."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def _classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two classes, and the number of the class of every row."""
    if y.dtype.kind in "iub" and y.min() < y.max() and ((y == y.min()) | (y == y.max())).all():
        return np.array([y.min(), y.max()]), (y == y.max()).astype(int)  # without a sort
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    _check_two_classes(classes, y)
    return classes, codes


def _check_two_classes(classes: np.ndarray, y: Any) -> None:
    if classes.size == 1:
        raise ValueError(f"y has only one class, {classes[0]!r}; ranking needs rows of two classes")
    if classes.size > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(y)}: "
            f"{classes.size} classes; choose one as positive, as in y == {classes[-1]!r}"
        )


def _check_weight(sample_weight: Any, codes: np.ndarray) -> np.ndarray:
    if sample_weight is None:
        return np.ones(codes.size)
    weight = _weights(sample_weight, codes.size)
    for code in (0, 1):
        if weight[codes == code].sum() == 0:
            raise ValueError("all rows of one class have weight zero; ranking needs rows of two classes")
    return weight


def _weights(sample_weight: Any, n: int) -> np.ndarray:
    """One finite number that is not negative for each row; a single number serves for all."""
    weight = np.asarray(sample_weight, dtype=float)
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}; give one number for each of {n} rows")
    if not np.isfinite(weight).all() or weight.min() < 0:
        raise ValueError("sample_weight has negative, NaN or infinite values; give weights of zero or more")
    return weight
