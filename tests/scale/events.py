"""Tables with numbers, categories, dates, missing cells and weights, in memory and in files."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.base import clone

from aucmax import TableEncoder


def make_events(n=3000, seed=0):
    """An Arrow table with a target `y`, weights `w` and groups `g`."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    amount = rng.lognormal(3 + 0.5 * y)
    age = rng.normal(40 - 3 * y, 10).round()
    age[rng.random(n) < 0.1] = np.nan
    towns = np.array(["Oslo", "Rome", "Lima"])[(rng.integers(3, size=n) + y * (rng.random(n) < 0.5)) % 3]
    days = (np.datetime64("2026-01-01") + rng.integers(200, size=n)).astype("M8[D]")
    return pa.table(
        {
            "amount": amount,
            "age": pa.array(age, from_pandas=True),
            "town": pa.array(towns.tolist()),
            "day": pa.array(days),
            "x": rng.normal(size=n) + 0.3 * y,
            "w": rng.uniform(0.5, 2.0, size=n),
            "g": pa.array([f"g{i}" for i in rng.integers(80, size=n)]),
            "y": pa.array(np.where(y, "fraud", "fine").tolist()),
        }
    )


def write_parquet(table, folder, n_files=3, row_group_size=400):
    """The table in several files; returns the glob."""
    size = -(-len(table) // n_files)
    for k in range(n_files):
        pq.write_table(table.slice(k * size, size), folder / f"part{k}.parquet", row_group_size=row_group_size)
    return str(folder / "*.parquet")


def fit_in_memory(estimator, table, weight=None, groups=None):
    """The estimator fitted to all rows at once; `groups` are those of the rows."""
    features = table.drop_columns([name for name in ("y", "w", "g") if name in table.column_names])
    X = TableEncoder().fit(features).transform(features)
    y = np.array(table.column("y").to_pylist())
    options = {} if groups is None else {"groups": groups}
    weights = None if weight is None else table.column(weight).to_numpy()
    return clone(estimator).fit(X, y, sample_weight=weights, **options)
