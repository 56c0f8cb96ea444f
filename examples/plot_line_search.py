"""
The exact line search of AUM
============================

Along a direction AUM is piecewise linear and AUC piecewise constant, so that both are known exactly for every step:
no step size has to be guessed. These are figures 3 and 4 of Fowler and Hocking (2024).
"""

import matplotlib.pyplot as plt
import numpy as np

from aucmax.aum import ErrorFunctions, aum, error_roc_curve, exact_line_search
from aucmax.plots.aum import plot_error_roc, plot_line_search
from aucmax.plots.axes import COLOURS

# Figure 3: labels 0, 0, 1, 1 as error rates.
BINARY = ErrorFunctions.from_labels([0, 0, 1, 1], sample_weight=[0.5] * 4)
BINARY_PRED = np.array([-7.0, -2.0, 0.0, -4.0])

# Figures 2 and 4: v = -log(penalty) at which the selected number of changes differs, for two sequences.
CHANGEPOINT = ErrorFunctions(
    example=[0, 0, 0, 1, 1, 1],
    v=[-1.9293004796223423, -1.3880727790468574, -1.1364327273432442, 3.531734723789641, 3.704594653536555,
       4.031488812400325],
    fp=[0, 0, 0, 1, -1, 1],
    fn=[-1, 1, -1, 0, 0, 0],
)  # fmt: skip
CHANGEPOINT_PRED = np.array([-3.0, 2.55])


def descent_direction(errors, pred):
    """Minus the gradient: the mean of the one-sided derivatives."""
    here = aum(errors, pred)
    return -0.5 * (here.left + here.right)


def draw_errors(ax, errors, pred, title):
    """False positives, false negatives and their minimum, against the constant added to all predictions."""
    curve = error_roc_curve(errors, pred)
    edges = np.concatenate(([curve.threshold[0] - 1], curve.threshold, [curve.threshold[-1] + 1]))
    false_pos, false_neg = curve.fpr, 1.0 - curve.tpr
    ax.stairs(np.minimum(false_pos, false_neg), edges, fill=True, color="0.85", label="AUM: area under the minimum")
    ax.stairs(false_pos, edges, baseline=None, color=COLOURS["worse"], linewidth=2.6, label="FP rate")
    ax.stairs(false_neg, edges, baseline=None, color=COLOURS["equivalent"], linewidth=1.4, label="FN rate")
    ax.set_title(title, fontsize="medium")
    ax.set_xlabel("constant added to predictions")
    ax.spines[["top", "right"]].set_visible(False)


def step_of_best_auc(table):
    """The middle of the first interval of steps with the largest AUC."""
    best = table.auc_after[:-1].argmax()
    return 0.5 * (table.step[best] + table.step[best + 1])


def draw_search(errors, pred, steps):
    """ROC curves and error functions at given steps on the left, AUC, AUM and thresholds by step on the right."""
    direction = descent_direction(errors, pred)
    figure = plt.figure(figsize=(13, 7), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(3, 2))
    for column, step in zip(left.subplots(2, len(steps), squeeze=False).T, steps):
        moved = pred + step * direction
        plot_error_roc({f"step {step:g}": error_roc_curve(errors, moved)}, column[0])
        draw_errors(column[1], errors, moved, f"AUM {aum(errors, moved).value:.3g}")
        is_first = step == steps[0]
        column[0].set_ylabel("true positive rate" if is_first else "")
        column[1].set_ylabel("error rate" if is_first else "")
    left.legend(*column[1].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    axes = right.subplots(3, 1, sharex=True, height_ratios=(1, 1, 2))
    full_search = exact_line_search(errors, pred, direction, until="all")
    first = exact_line_search(errors, pred, direction).step
    best = step_of_best_auc(full_search.table)
    marks = {f"first minimum of AUM: {first:.4g}": first, f"best AUC: {best:.4g}": best}
    plot_line_search(full_search, errors, pred, direction, marks=marks, axes=axes)
    return figure


# %%
# Four labelled rows. The shaded area is AUM; the step at which it is smallest orders all four rows.

draw_search(BINARY, BINARY_PRED, steps=(0, 2, 4))
plt.show()

# %%
# Two sequences with labelled changepoints, whose errors are not monotone: the ROC curve loops, and AUC exceeds 1.

draw_search(CHANGEPOINT, CHANGEPOINT_PRED, steps=(0, 0.21, 0.27))
plt.show()
