"""
Drift and forgetting
====================

A stream whose rule changes after 6,000 rows. Every batch is scored before it is learned, so that the prequential
AUC is that of a model in use. One model remembers all rows, the other forgets: a row seen 1,500 rows ago has lost
two thirds of its weight.
"""

import matplotlib.pyplot as plt
import numpy as np

from aucmax import AUCClassifier
from aucmax.metrics import PrequentialAUC
from aucmax.solvers import Exact

rng = np.random.default_rng(0)
n, batch = 16_000, 200
X = rng.normal(size=(n, 10))
before, after = rng.normal(size=(2, 10))
rule = np.where(np.arange(n)[:, None] < 6_000, before, after)
y = (X * rule).sum(axis=1) + rng.normal(scale=2.0, size=n) > 4.5

models = {"remembers all rows": Exact(), "forgets (0.9993 a row)": Exact(forgetting=0.9993)}
curves = {}
for name, solver in models.items():
    model, meter = AUCClassifier(solver=solver), PrequentialAUC(window=1500)
    curve = []
    for start in range(0, n, batch):
        rows, labels = X[start : start + batch], y[start : start + batch]
        if start > 0:
            meter.update(labels, model.decision_function(rows))
            curve.append(meter.windowed)
        model = model.partial_fit(rows, labels, classes=[False, True])
    curves[name] = np.array(curve)

# %%
# Both fall when the rule changes. The model that forgets has recovered some 3,000 rows later; the other one still
# carries 6,000 rows of the old rule after 10,000 of the new one. Before the change, forgetting costs next to
# nothing.

figure, ax = plt.subplots(figsize=(9, 4.6), layout="constrained")
seen = np.arange(batch, n, batch) + batch
for (name, curve), colour in zip(curves.items(), ("#b04a08", "#0b5cad")):
    ax.plot(seen, curve, color=colour, linewidth=2)
    ax.annotate(name, (seen[-1], curve[-1]), xytext=(0, 8), textcoords="offset points", ha="right", color=colour)
ax.axvline(6_000, color="0.4", linestyle="--", linewidth=1)
ax.annotate("the rule changes", (6_000, 0.65), xytext=(6, 0), textcoords="offset points", color="0.3")
ax.set(xlabel="rows seen", ylabel="prequential AUC of the last 1,500 rows", xlim=(1500, n))
ax.grid(color="0.93")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
