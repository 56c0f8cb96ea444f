"""
A fit on a Dask cluster
=======================

Moments of partitions add up, so a cluster fits the model that one machine would have fitted to all rows. The
estimators of `aucmax.dask` take Dask arrays and data frames and use the current client; here it is a cluster of two
threads.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client, LocalCluster

import aucmax
import aucmax.dask
from aucmax.datasets import make_toy

X, y = make_toy(40_000, 12, positive_rate=0.05, separation=1.5, n_informative=5, random_state=0)
X = X @ np.random.default_rng(0).normal(size=(12, 12))  # columns that share what they know
alphas = np.geomspace(100, 1e-3, 11)

with (
    LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster,
    Client(cluster),
):
    rows, labels = da.from_array(X, chunks=(5_000, -1)), da.from_array(y, chunks=5_000)
    on_cluster = aucmax.dask.AUCClassifierCV(alphas=alphas, random_state=0).fit(rows, labels)
in_memory = aucmax.AUCClassifierCV(alphas=alphas, loss="squared", random_state=0).fit(X, y)

# %%
# On the left, the weights at the same penalty: they agree to the last digits. On the right, the cross-validated AUC
# of every penalty. There the two differ slightly, because they assign rows to folds differently.

same = aucmax.AUCClassifier(alpha=on_cluster.alpha_).fit(X, y)
difference = np.abs(on_cluster.coef_ - same.coef_).max() / np.abs(same.coef_).max()
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
left.axline((0, 0), slope=1, color="0.8")
left.plot(same.coef_[0], on_cluster.coef_[0], "o", color="#0b5cad")
left.set(xlabel="weight, fitted in memory", ylabel="weight, fitted on the cluster")
left.set_title(f"largest relative difference {difference:.0e}")
for name, model, colour in (("cluster", on_cluster, "#0b5cad"), ("memory", in_memory, "#b04a08")):
    right.plot(model.alphas_, model.cv_auc_.mean(axis=1), marker="o", markersize=4, color=colour, label=name)
right.set(xscale="log", xlabel="alpha, strength of the penalty", ylabel="cross-validated AUC")
right.legend(frameon=False)
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
