"""AUCClassifierCV: a path of alphas on all folds in one pass over the data, and calibrated probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from aucmax.estimators.base import LinearModel, LinearRanker
from aucmax.estimators.calibration import CalibratedMixin
from aucmax.losses import LOSSES
from aucmax.numerics.threads import threads_for
from aucmax.problem.objective import Problem
from aucmax.selection.choice import CHOICES, choose_alpha, choose_loss, compared_losses, cv_results, decision_size
from aucmax.selection.cross_validation import LEAVE_PAIR_OUT, CVPath, PathSettings, cv_path, leave_pair_out_path
from aucmax.selection.splits import CV, Fold, make_splits, subsample
from aucmax.validation.inputs import LabeledData, check_table, make_rng
from aucmax.validation.params import N_JOBS, Boolean, Number, Option, check_param, check_params

LOSS_NAME = Option(registry=LOSSES)


class PathPlotMixin:
    """`plot_path` for estimators that cross-validate a path of alphas."""

    alphas_: np.ndarray
    cv_auc_: np.ndarray

    def plot_path(self, ax: Any = None) -> Any:
        """Plot the cross-validated AUC against alpha; needs matplotlib (`pip install '.[plot]'`).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.
        """
        from aucmax.plots.alpha_path import plot_path

        check_is_fitted(self, "cv_auc_")
        return plot_path(self.alphas_, self.cv_auc_, ax)


class AUCClassifierCV(CalibratedMixin, PathPlotMixin, LinearRanker):
    """Linear ranking with the penalty, and optionally the loss, chosen by cross-validated AUC.

    With the squared loss and an L2 penalty all folds and all alphas come from the moments of the folds: one pass over
    the data, one matrix decomposition per fold, and exactly the AUC that refitting every combination would give.

    Parameters
    ----------
    alphas : array, int or None
        Strengths to try, or the size of a grid around the automatic one (None: 11).
    l1_ratio : float
        Share of the l1 norm in the penalty, from 0 to 1.
    loss : "auto", {"squared", "squared_hinge", "hinge", "exponential", "logistic"} or a list of them
        Pairwise loss. "auto" is the squared one, unless the squared hinge or the logistic loss has a cross-validated
        AUC that is larger by more than one standard error of the difference; tables of more than 200,000 numbers
        are subsampled for this decision, and with alpha=0, which only the squared loss supports, it is not made. From
        a list, the one with the best cross-validated AUC is chosen.
    cv : int, splitter or "leave_pair_out"
        Number of shuffled stratified folds, or any scikit-learn splitter or iterable of splits. "leave_pair_out", for
        few positives, ranks every pair of a positive and a negative row by the model fitted to all other rows, in
        closed form: for the squared loss (which "auto" then means) and the L2 penalty, without weights and groups.
    choice : {"best", "one_se"}
        Choose the alpha with the best mean AUC, or the largest whose mean is within one standard error of it.
    standardize : bool
        Divide the columns by their overall standard deviation, separately on each training set (for
        "leave_pair_out", once).
    n_jobs : int or None
        Number of threads that compare losses; None for one, -1 for as many as there are processors.
    decision : {"prior", "probability", "balanced"}
        Where `predict` cuts the scores, and zero is: where as many rows are predicted positive as are positive, by
        weight, out of fold; where the probability is 1/2; or midway between the class means (docs/predictions.md).
    random_state : int, RandomState or None
        Random seed of the folds.

    Attributes
    ----------
    alphas_ : array of shape (n_alphas,), decreasing
    cv_auc_ : array of shape (n_alphas, n_folds)
        For "leave_pair_out", a fold is a row of the rarer class: the share of the other class ranked correctly
        against it. The mean over the folds is the leave-pair-out AUC.
    alpha_, loss_ : float, str
        The chosen strength and loss.
    cv_results_ : dict of arrays
        Every loss and alpha compared, in the shape of scikit-learn's `cv_results_`: `param_loss`, `param_alpha`,
        `split0_test_score` and so on, `mean_test_score`, `std_test_score`, `rank_test_score`, and `params`. If
        `loss="auto"` subsampled the table, these are AUCs of the subsample.
    oof_scores_ : array of shape (n,)
        Score of each row by a model that has not seen it, on the scale of `decision_function`; NaN for a row
        that is in no test set. For "leave_pair_out", the mean over the pairs of the row.
    calibration_ : Calibration
        Platt scaling from `decision_function` to probabilities, fitted to the out-of-fold scores.
    coef_, intercept_, classes_, objective_, gap_, n_iter_, solver_, trace_
        As in `AUCClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUCClassifierCV(random_state=0).fit(X, y)
    >>> model.cv_auc_.shape, bool(model.cv_auc_.mean(axis=1).max() > 0.99)
    ((11, 5), True)
    >>> model.predict_proba(X).shape
    (569, 2)
    """

    parameter_constraints: ClassVar = {
        "l1_ratio": [Number(0, 1)],
        "choice": [Option(*CHOICES)],
        "standardize": [Boolean()],
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        alphas=None,
        l1_ratio=0.0,
        loss="auto",
        cv=5,
        choice="best",
        standardize=True,
        n_jobs=None,
        decision="prior",
        random_state=None,
    ):
        self.alphas = alphas
        self.l1_ratio = l1_ratio
        self.loss = loss
        self.cv = cv
        self.choice = choice
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.decision = decision
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> AUCClassifierCV:
        """Choose alpha by cross-validation and fit to all rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `AUCClassifier.fit`. With weights, the AUC of a fold is weighted too.
        groups : array, optional
            If `cv` is an integer, rows of one group stay in one fold; otherwise passed to the splitter.
        """
        check_params(self)
        rng = make_rng(self.random_state)
        table = check_table(self, X, y, sample_weight, chunked=True)
        seed = rng.bit_generator.seed_seq.spawn(1)[0]  # type: ignore[attr-defined]
        settings = PathSettings(self.alphas, self.l1_ratio, self.standardize, seed)
        with threads_for(table.X.shape[1]):
            best, compared = self._cross_validate(table, groups, settings, rng)
        chosen = choose_alpha(best.auc, self.choice)
        alpha = float(best.alphas[chosen])
        solution = best.solver.solve(Problem(best.data, best.loss, settings.penalty(alpha)), best.start(chosen))
        self.loss_ = best.loss.name
        self.alphas_ = best.alphas
        self.cv_auc_ = best.auc
        self.cv_results_ = cv_results([({"loss": path.loss.name}, path) for path in compared])
        self._store_solution(solution, best.solver, alpha)
        model = LinearModel.of(best.data, solution.coef)
        zero = self._calibrate(best.scored(table.X, chosen), table)
        self._linear = model._replace(intercept=model.intercept - zero)
        return self

    def _cross_validate(
        self, table: LabeledData, groups: Any, settings: PathSettings, rng: np.random.Generator
    ) -> tuple[CVPath, list[CVPath]]:
        """The path of the chosen loss on all rows, and the compared paths."""
        if not isinstance(self.cv, str):
            return self._choose_loss(table, make_splits(self.cv, *table, groups, rng), settings, rng)
        check_param("cv", self.cv, *CV, Option(LEAVE_PAIR_OUT))
        if groups is not None:
            raise ValueError(f"groups with cv={self.cv!r}, which would split them; use folds (cv=5)")
        if self.loss != "auto" and _loss_names(self.loss) != ["squared"]:
            raise ValueError(f"loss={self.loss!r} with cv={self.cv!r}; use loss='squared', or folds (cv=5)")
        path = leave_pair_out_path(table, settings)
        return path, [path]

    def _choose_loss(
        self, table: LabeledData, folds: Sequence[Fold], settings: PathSettings, rng: np.random.Generator
    ) -> tuple[CVPath, list[CVPath]]:
        """The path of the chosen loss on all rows, and the compared paths."""
        if self.loss != "auto":
            paths = self._paths(table, folds, _loss_names(self.loss), settings)
            return max(paths, key=attrgetter("best_auc")), paths
        rows, inner, kept = subsample(table, folds, decision_size(table.X), rng)
        paths = self._paths(rows, inner, compared_losses(table.X, settings), settings)
        best = paths[choose_loss(rows, paths)]
        return best if kept.size == table.y.size else cv_path(table, folds, best.loss, settings), paths

    def _paths(
        self, table: LabeledData, folds: Sequence[Fold], names: list[str], settings: PathSettings
    ) -> list[CVPath]:
        tasks = [delayed(cv_path)(table, folds, LOSSES[name](), settings) for name in names]
        return list(Parallel(self.n_jobs, prefer="threads")(tasks))


def _loss_names(loss: Any) -> list[str]:
    """The losses to try."""
    names = [loss] if isinstance(loss, str) else list(loss) if isinstance(loss, Iterable) else []
    if not names:
        raise ValueError(f"loss={loss!r}; give a name or a non-empty list of names")
    for name in names:
        check_param("loss", name, LOSS_NAME)
    return names
