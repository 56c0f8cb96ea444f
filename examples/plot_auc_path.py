"""
The AUC path
============

How strong should the penalty be? `AUCClassifierCV` evaluates every strength on every fold for the price of one pass
over the data: all of them follow from the means and covariances of the classes in each fold.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifierCV
from aucmax.datasets import make_toy

# 60 columns, six of which are informative, and 40 positives
X, y = make_toy(400, 60, positive_rate=0.1, separation=2.0, n_informative=6, random_state=1)

model = AUCClassifierCV(alphas=np.geomspace(1e3, 1e-3, 60), loss="squared", random_state=0).fit(X, y)

# %%
# Sixty strengths on five folds. With too little penalty (left) the weights follow the noise of 40 positives; with
# very much (right) the direction is that of the difference of the class means, which is a good one here. Each thin
# line is a fold: the folds differ far more from each other than the strengths do, so the difference between
# neighbours means nothing.

figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
model.plot_path(ax)
plt.show()

# %%
# The same choice by a grid search takes as many fits as there are strengths and folds.

start = perf_counter()
AUCClassifierCV(alphas=60, loss="squared", random_state=0).fit(X, y)
ours = perf_counter() - start
logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
search = GridSearchCV(logistic, {"logisticregression__C": np.geomspace(1e-3, 1e3, 60)}, scoring="roc_auc", cv=5)
start = perf_counter()
search.fit(X, y)
theirs = perf_counter() - start
print(f"60 strengths on 5 folds: {ours * 1000:.0f} ms; grid search of a logistic regression: {theirs * 1000:.0f} ms")
