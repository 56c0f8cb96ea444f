"""KernelAUCClassifier with 20 positives: the average of its models against the best of them.

`python -m benchmarks few_positives` runs what is missing in results/few_positives.json and writes
results/few_positives.md. Each draw trains on 20 positives and at most 1,000 negatives, and tests on the other rows of
the set (a sample of 4,000 rows where there are more). AUC and gain are means over the draws, paired by draw; the last
row is the mean over the sets, with its standard error and the p-value of a t-test on the gains of the sets. The
weights, the grid of bandwidths, the rounds and their kernel were chosen on other sets: breastw, breast_cancer,
diabetes, german.numer, arrhythmia, mammography, letter.scale and covtype.
"""

import json
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import ttest_1samp
from threadpoolctl import threadpool_limits

from aucmax import KernelAUCClassifier
from aucmax.metrics import roc_auc
from benchmarks.bench_kernel import MAX_ROWS, load_table

POSITIVES = 20
NEGATIVES = 1000
DRAWS = 10
SAVED = Path(__file__).parent / "results" / "few_positives.json"
SETS = (
    "ionosphere_scale",
    "australian",
    "fourclass_scale",
    "svmguide3",
    "thyroid",
    "cod-rna_zscore",
    "splice_scale",
    "higgs_slice",
    "w8a",
    "a9a",
)


def draw(y, seed):
    """Training rows, with few positives, and test rows."""
    rng = np.random.default_rng(seed)
    pos = rng.permutation(np.flatnonzero(y == 1))
    neg = rng.permutation(np.flatnonzero(y == 0))
    n_neg = min(NEGATIVES, int(0.6 * neg.size))
    train = rng.permutation(np.concatenate([pos[:POSITIVES], neg[:n_neg]]))
    return train, np.concatenate([pos[POSITIVES:], neg[n_neg:]])


def measure(name, draws, rows):
    """Test AUC of the average and of the best model, for each draw."""
    X, y = load_table(name, rows)
    aucs = {"average": [], "best": []}
    for seed in range(draws):
        train, test = draw(y, seed)
        for name, of_draws in aucs.items():
            model = KernelAUCClassifier(average=name == "average", random_state=seed).fit(X[train], y[train])
            of_draws.append(roc_auc(y[test], model.decision_function(X[test])))
    return aucs


def run(draws=DRAWS, sets=SETS, rows=MAX_ROWS, saved=SAVED):
    done = json.loads(saved.read_text()) if saved.exists() else {}
    for name in sets:
        if name not in done:
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore")
                done[name] = measure(name, draws, rows)
            saved.write_text(json.dumps(done, indent=1))
            print(name, flush=True)
    return summarize({name: done[name] for name in sets})


def summarize(done):
    """One row per set, then the mean."""
    out = []
    gains = []
    for name, aucs in done.items():
        gain = np.subtract(aucs["average"], aucs["best"])
        gains.append(gain.mean())
        error = gain.std(ddof=1) / np.sqrt(gain.size)
        out.append(
            {
                "set": name,
                "draws": gain.size,
                "average": f"{np.mean(aucs['average']):.4f}",
                "best": f"{np.mean(aucs['best']):.4f}",
                "gain (standard error)": f"{gain.mean():+.4f} ({error:.4f})",
                "draws won": int((gain > 0).sum()),
            }
        )
    means = {name: np.mean([np.mean(aucs[name]) for aucs in done.values()]) for name in ("average", "best")}
    error = np.std(gains, ddof=1) / np.sqrt(len(gains))
    p_value = ttest_1samp(gains, 0.0).pvalue
    out.append(
        {
            "set": "mean",
            "draws": "",
            **{name: f"{value:.4f}" for name, value in means.items()},
            "gain (standard error)": f"{np.mean(gains):+.4f} ({error:.4f}), p = {p_value:.3f}",
            "draws won": "",
        }
    )
    return out
