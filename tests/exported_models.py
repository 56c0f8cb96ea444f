"""Tables of every kind of column, new rows with what training did not have, and models fitted to them."""

import functools

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aucmax
from aucmax.models import saved_model
from aucmax.models.exports.model_parts import ModelParts
from aucmax.tables import Table

N = 120

HOSTILE_NAMES = [
    'it\'s "quoted"',
    "line\nbreak",
    "back\\slash\\",
    '"""); DROP TABLE data; --',
    "'; DROP TABLE data; --",
    '"; DROP TABLE data; --',
    "{braces} %s $1",
    "score",
    "Probability",
    "café \u2028 \x1b[2J",
    "carriage\rreturn",
    "aucmax:0",
]


def _numbers(rng, n):
    return {"a": rng.normal(size=n), "b": 1e6 * rng.normal(size=n), "c": rng.integers(0, 5, n).astype(float)}


def _missing(rng, n):
    columns = {name: values.astype(object) for name, values in _numbers(rng, n).items()}
    for values in columns.values():
        values[rng.random(n) < 0.2] = None
    return columns | {"d": rng.choice([True, False, None], n)}


def _categories(rng, n):
    return {
        "town": rng.choice(["Oslo", " Rome ", "it's", 'the "X"', "a\nb", "Ærø"], n),
        "with holes": rng.choice(["u", "v", "NA", ""], n),
        "flag": rng.choice(["true", "FALSE"], n),
        "x": rng.normal(size=n),
    }


def _times(rng, n):
    days = rng.integers(0, 20000, n)
    seconds = rng.integers(0, 86400, n)
    moments = pd.Timestamp("1965-03-01") + pd.to_timedelta(days, "D") + pd.to_timedelta(seconds, "s")
    return {
        "day": [moment.strftime("%d.%m.%Y") for moment in moments],
        "when": [
            moment.isoformat() + ("+02:00" if k % 3 else "Z") if k % 7 else "" for k, moment in enumerate(moments)
        ],
        "clock": [moment.strftime("%m/%d/%Y %I:%M %p") for moment in moments],
        "x": rng.normal(size=n),
    }


def _formatted(rng, n):
    values = 1e4 * rng.normal(size=n)
    return {
        "euros": [
            f"{value:,.2f} €".translate(str.maketrans(",.", ".,")) if k % 5 else "NA"
            for k, value in enumerate(values)
        ],
        "dollars": [f"${abs(value):,.1f}" for value in values],
        "share": [f"{value / 100:.1f}%" for value in values],
        "spaced": [f"{value:,.3f}".replace(",", " ") for value in values],
    }


def _hostile(rng, n):
    columns = {name: rng.normal(size=n) for name in HOSTILE_NAMES}
    return columns | {"labels": rng.choice(HOSTILE_NAMES, n)}


def _kernel(kernel):
    return aucmax.KernelAUCClassifier(kernel=kernel, n_components=15, cv=2, random_state=0)


TABLES = {
    "numbers": _numbers,
    "missing": _missing,
    "categories": _categories,
    "times": _times,
    "formatted": _formatted,
    "hostile": _hostile,
}
ESTIMATORS = {
    "linear": lambda: aucmax.AUCClassifierCV(cv=3, random_state=0),
    "not calibrated": lambda: aucmax.AUCClassifier(),
    "scaled": lambda: make_pipeline(StandardScaler(), aucmax.AUCClassifierCV(cv=3, random_state=0)),
    "tree": lambda: aucmax.AUCTreeClassifier(),
    "scaled tree": lambda: make_pipeline(StandardScaler(), aucmax.AUCTreeClassifier(max_depth=2)),
    **{kernel: functools.partial(_kernel, kernel) for kernel in ("rbf", "laplacian", "ranks")},
    "stack": lambda: aucmax.AUCStackingClassifier([("linear", aucmax.AUCClassifierCV()), ("rbf", _kernel("rbf"))]),
    "scaled ranks": lambda: make_pipeline(StandardScaler(), _kernel("ranks")),
}


@functools.cache
def model_of(table, estimator):
    """A model fitted to a kind of table."""
    rows = Table(TABLES[table](np.random.default_rng(0), N))
    y = np.where(np.random.default_rng(1).random(N) < 0.3, 'the "X"', "it's")
    steps = ESTIMATORS[estimator]()
    pipeline = make_pipeline(
        aucmax.TableEncoder(), *([steps] if not hasattr(steps, "steps") else dict(steps.steps).values())
    )
    frame = pd.DataFrame({name: rows.columns[name].to_pylist() for name in rows.names})
    return saved_model(pipeline.fit(frame, y))


def new_rows(table):
    """Rows that training has not seen, some with missing cells, unknown categories, and numbers out of range."""
    rng = np.random.default_rng(2)
    columns = {name: np.array(values, dtype=object) for name, values in TABLES[table](rng, 40).items()}
    for name, values in columns.items():
        values[rng.random(40) < 0.1] = None
        if name in ("town", "labels"):
            values[:3] = "unknown"
        if all(isinstance(value, float | None) for value in values):
            values[3] = 20.0  # not so large that rounding hides an error
            values[4] = -20.0
    return Table({name: values.tolist() for name, values in columns.items()})


def rounding(model, rows):
    """The largest difference of scores that rounding explains: they are sums, of large terms in kernel models."""
    largest = max(1.0, np.abs(model.decision_function(rows)).max())
    scorer = ModelParts.of(model).scorer
    terms = scorer.score.terms if hasattr(scorer, "score") else ()
    return 1e-12 * largest + 1e-14 * sum(np.abs(term.weights).sum() for term in terms)
