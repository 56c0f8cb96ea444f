"""
Certificates
============

After every epoch aucmax knows an upper bound on how far the objective is above its minimum: the duality gap,
`gap_`. It needs no knowledge of the minimum. Here the bound is compared with the truth, which a much longer run
gives.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from aucmax import AUCClassifier
from aucmax.solvers import SDCA, VRSPAM, CuttingPlane, Exact, Newton

X, y = load_breast_cancer(return_X_y=True)
RUNS = {
    "squared, SDCA": ("squared", SDCA(tol=1e-9)),
    "squared, VRSPAM": ("squared", VRSPAM(tol=1e-9)),
    "logistic, Newton": ("logistic", Newton(tol=1e-9)),
    "hinge, cutting planes": ("hinge", CuttingPlane(tol=1e-6)),
}
REFERENCES = {"squared": Exact(), "logistic": Newton(tol=1e-14), "hinge": CuttingPlane(tol=1e-9, max_epochs=300)}


def run(loss, solver):
    """A fit with one solver; the reference for the hinge runs until rounding ends its progress."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return AUCClassifier(alpha=0.05, loss=loss, solver=solver, random_state=0).fit(X, y)


models = {name: run(*parts) for name, parts in RUNS.items()}
minima = {loss: run(loss, solver).objective_ for loss, solver in REFERENCES.items()}

# %%
# The certified gap (solid) is never below the true one (dotted). For Newton's method, VRSPAM and cutting planes it
# is mostly within a factor of ten of it; SDCA is closer to the minimum than it can prove, which costs some passes.

figure, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
for ax, (name, model) in zip(axes.flat, models.items()):
    trace = model.trace_
    best = minima[model.loss]
    true_gap = (trace["objective"] - best) / best
    certified = np.minimum.accumulate(trace["gap"]) / best
    ax.plot(trace["passes"], certified, color="#0b5cad", label="certified")
    shown = true_gap > 1e-13
    ax.plot(trace["passes"][shown], true_gap[shown], color="#b04a08", linestyle=":", linewidth=2.4, label="true")
    ax.set(yscale="log", title=name, xlabel="passes over the data")
    ax.grid(color="0.93")
    ax.spines[["top", "right"]].set_visible(False)
axes[0, 0].set_ylabel("relative gap")
axes[1, 0].set_ylabel("relative gap")
axes[0, 0].legend(frameon=False)
plt.show()
