"""
Convergence of the solvers
==========================

Ten solvers minimise the same objective, the squared pairwise loss with an L2 penalty, on the same rows, in one loop
and under one clock, which stops while functions are compiled or the run is evaluated.
"""

import warnings

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from aucmax import AUCClassifier
from aucmax.solvers import SOLVERS

X, y = load_digits(return_X_y=True)
is_eight = y == 8
ALPHA = 0.02
NAMES = ("exact", "cg", "sdca", "spdam", "vrspam", "pair_svrg", "spam", "solam", "opauc", "mba")

traces = {}
for name in NAMES:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # not all of them get that far
        solver = SOLVERS[name](max_epochs=60, tol=1e-9)
        traces[name] = AUCClassifier(alpha=ALPHA, solver=solver, random_state=0).fit(X, is_eight, monitor=True).trace_
optimum = traces["exact"]["objective"][-1]

# %%
# The exact solver (star) needs one pass. The error of conjugate gradients, VRSPAM, SDCA and SVRG on pairs falls by
# a constant factor per pass: straight lines on the upper left. The others are slow: most of them were made for
# streams, and end .1 to 6 % above the minimum. Their ranking is another matter: after 60 passes the AUC of all ten
# is within .002.

figure, axes = plt.subplots(2, 2, figsize=(10, 7.5), layout="constrained", sharex="col", sharey="row")
colours = plt.get_cmap("tab10").colors
for colour, (name, trace) in zip(colours, traces.items()):
    excess = (trace["objective"] - optimum) / optimum
    for column, clock in enumerate(("passes", "seconds")):
        shown = excess > 1e-13
        marker = "*" if name == "exact" else None
        axes[0, column].plot(trace[clock][shown], excess[shown], color=colour, label=name)
        axes[1, column].plot(trace[clock], trace["auc"], color=colour, marker=marker, markersize=12)
        if name == "exact":
            axes[0, column].plot(trace[clock][-1], 1e-12, color=colour, marker=marker, markersize=12)
axes[0, 0].set(yscale="log", ylabel="(objective - optimum) / optimum", ylim=(3e-13, 3))
axes[1, 0].set(ylabel="AUC of the training rows", xlabel="passes over the data", ylim=(0.95, None))
axes[1, 1].set(xlabel="seconds", xscale="log")
axes[0, 1].legend(ncols=2, fontsize="small")
for ax in axes.flat:
    ax.grid(color="0.92")
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
