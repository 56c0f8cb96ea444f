"""Test AUC and seconds of a fit on 20 data sets: three pairwise losses, and balanced logistic regression.

Means over 3 random stratified halves for training and testing, of at most 4,000 rows in all; multiclass sets are even
against odd labels. Every model chooses its penalty among 11 by AUC on 3 folds: `AUCClassifierCV`, and
`LogisticRegressionCV` (lbfgs) on standardised columns. Seconds are CPU time on one thread.
"""

import os
import warnings
from time import process_time

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from aucmax import AUCClassifierCV, datasets
from aucmax.metrics import roc_auc

SETS = (
    "a9a arrhythmia australian breastw cod-rna_zscore covtype diabetes fourclass_scale german.numer higgs_slice "
    "ijcnn1 ionosphere_scale letter.scale mammography spambase splice_scale svmguide3 thyroid usps w8a"
)
EVEN_ODD = {"covtype", "letter.scale", "usps"}
LOSSES = ("logistic", "squared", "squared_hinge")
MAX_ROWS = 4000


def models():
    theirs = LogisticRegressionCV(
        Cs=np.logspace(-4, 4, 11),
        cv=3,
        scoring="roc_auc",
        class_weight="balanced",
        max_iter=1000,
        l1_ratios=(0.0,),
        use_legacy_attributes=False,
    )
    ours = {loss: AUCClassifierCV(loss=loss, cv=3, random_state=0) for loss in LOSSES}
    return ours | {"LogisticRegression": make_pipeline(StandardScaler(), theirs)}


def load(name):
    data = datasets.load(name, binarize="even_odd" if name in EVEN_ODD else None)
    rows = np.random.default_rng(0).permutation(data.y.size)[:MAX_ROWS]
    X = data.X[rows]
    return (X if isinstance(X, np.ndarray) else X.toarray()).astype(float), data.y[rows]


def measure(model, X, y, train, test):
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X[train], y[train])
    seconds = process_time() - start
    return roc_auc(y[test], model.decision_function(X[test])), seconds


def rows_of(name, repeats):
    X, y = load(name)
    found = {model: [] for model in models()}
    for train, test in StratifiedShuffleSplit(repeats, test_size=0.5, random_state=0).split(X, y):
        for model, each in models().items():
            found[model].append(measure(each, X, y, train, test))
    means = {model: np.mean(measured, axis=0) for model, measured in found.items()}
    row = {"data": name, "rows x columns": f"{y.size} x {X.shape[1]}", "positive": f"{np.mean(y > 0):.0%}"}
    row |= {f"AUC {model}": f"{auc:.4f}" for model, (auc, _) in means.items()}
    return row | {f"s {model}": float(seconds) for model, (_, seconds) in means.items()}


def _average(rows):
    """The means over all sets."""
    out = {"data": "mean", "rows x columns": "", "positive": ""}
    for column in rows[0]:
        if column.startswith("AUC"):
            out[column] = f"{np.mean([float(row[column]) for row in rows]):.4f}"
        elif column.startswith("s "):
            out[column] = float(np.mean([row[column] for row in rows]))
    return out


def run(sets: str = SETS, repeats: int = 3) -> list[dict]:
    if "AUCMAX_DATA" not in os.environ:
        return []
    with threadpool_limits(1):
        rows_of(sets.split()[0], 1)  # compile before the clock starts
        rows = [rows_of(name, repeats) for name in sets.split()]
    return [*rows, _average(rows)]
