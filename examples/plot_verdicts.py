"""
Better, worse, equivalent, undecided
====================================

`compare` fits models on the same folds and tests the differences of their AUC. The band around zero is the region
of practical equivalence: differences that do not matter. The four verdicts tell a difference from no difference,
and both from not knowing.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from aucmax import AUCClassifierCV, compare

rng = np.random.default_rng(0)
X = rng.normal(size=(6_000, 8))
score = X[:, 0] + 0.8 * X[:, 1] + 0.25 * X[:, 2] + 1.2 * X[:, 3] * X[:, 4] + rng.normal(size=6_000)
y = score > np.quantile(score, 0.9)

models = {
    "logistic": LogisticRegression(),
    "aucmax": AUCClassifierCV(random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=60, random_state=0),
    "without the second column": make_pipeline(
        make_column_transformer(("drop", [1]), remainder="passthrough"), LogisticRegression()
    ),
    "without the third column": make_pipeline(
        make_column_transformer(("drop", [2]), remainder="passthrough"), LogisticRegression()
    ),
    "naive Bayes": GaussianNB(),
}
result = compare(X, y, models, reference="logistic", random_state=0)
print(result)

# %%
# An interval that excludes zero means better or worse, one within the band equivalent. The others are undecided,
# and the printed verdict says how many rows would decide.

result.plot()
plt.show()
