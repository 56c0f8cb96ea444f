"""The kernel ranker against linear models, an RBF-SVM, forests and LightGBM: test AUC, rank and time on many sets.

`python -m benchmarks kernel` runs what is missing in results/kernel.json and writes results/kernel.md. A set of more
than 4,000 rows (ijcnn1 and a9a: 10,000) is cut to a stratified sample. AUC and time are means over 5 outer folds,
deviations in brackets; the time is that of the CPU for one fit, the tuning included, all on one thread. The kernels,
the second round and the averaging were chosen by looking at test AUC on many of these sets, with other folds and
samples than these (another seed): the ranks may still flatter us a little.
"""

import json
import warnings
from pathlib import Path
from time import process_time

import numpy as np
from lightgbm import LGBMClassifier
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from aucmax import AUCClassifierCV
from aucmax.datasets import load
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.metrics import roc_auc
from aucmax.numerics.matrix import dense, stacked

ROWS, MORE_ROWS = 4000, {"ijcnn1": 10_000, "a9a": 10_000}
SEED = 1  # of samples and outer folds; the choices were made with 0
SAVED = Path(__file__).parent / "results" / "kernel.json"
FOLDS = 5
# names of the sets, with a second file where there is one, and the class that is positive where there are many
SETS = {
    "breastw": ([], None),
    "ionosphere_scale": ([], None),
    "breast_cancer": ([], None),
    "australian": ([], None),
    "diabetes": ([], None),
    "fourclass_scale": ([], None),
    "german.numer": ([], None),
    "svmguide3": ([], None),
    "arrhythmia": ([], None),
    "thyroid": ([], None),
    "mammography": ([], None),
    "cod-rna_zscore": ([], None),
    "letter.scale": ([], 1),
    "splice_scale": (["splice_scale.t"], None),
    "covtype": ([], 2),
    "higgs_slice": ([], None),
    "spambase": ([], None),
    "w8a": ([], None),
    "digits": ([], 8),
    "usps": ([], 1),
    "ijcnn1": ([], None),
    "a9a": ([], None),
}


def table(name, rows):
    """Dense rows and labels 0/1 of a set, cut to a stratified sample."""
    more, positive = SETS[name]
    parts = [load(part, binarize=positive) for part in (name, *more)]
    X, y = parts[0].X, np.concatenate([part.y for part in parts]) > 0
    for part in parts[1:]:
        X = stacked(X, part.X)
    if y.size > rows:
        kept, _ = train_test_split(np.arange(y.size), train_size=rows, stratify=y, random_state=SEED)
        X, y = X[kept], y[kept]
    return dense(X), y.astype(int)


def searched(model, grid, folds):
    cv = StratifiedKFold(folds, shuffle=True, random_state=0)
    return GridSearchCV(model, grid, cv=cv, scoring="roc_auc", refit=True)


def models():
    logistic = LogisticRegressionCV(
        Cs=10,
        l1_ratios=(0.0,),
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
        scoring="roc_auc",
        class_weight="balanced",
        max_iter=10_000,
        use_legacy_attributes=False,
    )
    svm = make_pipeline(StandardScaler(), SVC(class_weight="balanced"))
    boosting = LGBMClassifier(n_jobs=1, verbose=-1, random_state=0)
    eight = {"num_leaves": [7, 31], "learning_rate": [0.03, 0.1], "n_estimators": [100, 300]}
    return {
        "kernel": KernelAUCClassifier(random_state=0),
        "linear": AUCClassifierCV(random_state=0),
        "logistic balanced": make_pipeline(StandardScaler(), logistic),
        "RBF-SVM": searched(svm, {"svc__C": [0.3, 3.0, 30.0], "svc__gamma": ["scale", 0.01]}, 3),
        "random forest": RandomForestClassifier(300, random_state=0),
        "extra trees": ExtraTreesClassifier(300, random_state=0),
        "LightGBM": boosting,
        "LightGBM tuned": searched(boosting, eight, 5),
    }


def judged(model, X, y):
    """AUC and seconds of every outer fold."""
    aucs, seconds = [], []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y):
        start = process_time()
        fitted = clone(model).fit(X[train], y[train])
        seconds.append(process_time() - start)
        scored = hasattr(fitted, "decision_function")
        scores = fitted.decision_function(X[test]) if scored else fitted.predict_proba(X[test])[:, 1]
        aucs.append(roc_auc(y[test], scores))
    return {"auc": aucs, "seconds": seconds}


def measure(name, rows):
    X, y = table(name, rows)
    KernelAUCClassifier(random_state=0).fit(X, y)  # compiled before the clock starts
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        runs = {label: judged(model, X, y) for label, model in models().items()}
    return {"rows": y.size, "columns": X.shape[1], "positives": int(y.sum()), "models": runs}


def run(rows=None, sets=tuple(SETS), saved=SAVED):
    done = json.loads(saved.read_text()) if saved.exists() else {}
    for name in sets:
        if name not in done:
            done[name] = measure(name, MORE_ROWS.get(name, ROWS) if rows is None else rows)
            saved.write_text(json.dumps(done, indent=1))
            print(name, flush=True)
    return lines({name: done[name] for name in sets})


def lines(done):
    """One line a set, with AUC and its standard deviation over the folds, then means, ranks and times."""
    labels = list(next(iter(done.values()))["models"])
    out = []
    for name, case in done.items():
        cells = {"set": name, "rows": case["rows"], "columns": case["columns"], "positives": case["positives"]}
        for label in labels:
            aucs = case["models"][label]["auc"]
            cells[label] = f"{np.mean(aucs):.4f} ({np.std(aucs, ddof=1):.3f})"
        out.append(cells)
    aucs = np.array([[np.mean(case["models"][label]["auc"]) for label in labels] for case in done.values()])
    seconds = np.array([[np.mean(case["models"][label]["seconds"]) for label in labels] for case in done.values()])
    ranks = np.mean([rankdata(-row.round(6)) for row in aucs], axis=0)
    for what, values, digits in (
        ("mean AUC", aucs.mean(axis=0), 4),
        ("mean rank", ranks, 2),
        ("seconds a fit, mean", seconds.mean(axis=0), 2),
        ("seconds a fit, median", np.median(seconds, axis=0), 2),
    ):
        shown = {label: f"{value:.{digits}f}" for label, value in zip(labels, values)}
        out.append({"set": what, "rows": "", "columns": "", "positives": ""} | shown)
    return out
