"""No false id and no false leak on any benchmark set, written as CSV and read again; all that can be dense."""

import os

import numpy as np
import pytest

from aucmax import datasets
from aucmax.numerics.matrix import is_sparse
from aucmax.tables import Table, check_table, read
from aucmax.tables.pyarrow_import import pa

pytestmark = pytest.mark.skipif("AUCMAX_DATA" not in os.environ, reason="AUCMAX_DATA is not set")

ROWS = 4000
COLUMNS = 400  # wider sets are cut: cifar10, mnist
NAMES = datasets.names(available=True) if "AUCMAX_DATA" in os.environ else []
ONE_AGAINST_THE_REST = [("covtype", label) for label in (3, 4, 7)] + [
    ("digits", 0),
    ("digits", 7),
    ("letter.scale", 13),
]


def load(name, binarize=None):
    """The rows of a set; None if it is sparse and too wide to be dense, or has one class."""
    try:
        data = datasets.load(name, binarize=binarize)
    except ValueError:  # it has several classes
        data = datasets.load(name, binarize="even_odd")
    if is_sparse(data.X) and data.X.shape[1] > 2000:
        return None
    rows = np.random.default_rng(0).permutation(data.X.shape[0])[:ROWS]
    X = data.X[rows]
    return (X.toarray() if is_sparse(X) else X)[:, :COLUMNS], data.y[rows]


def findings(X, y, folder):
    from aucmax.tables.table_writer import open_writer

    path = folder / "data.csv"
    with open_writer(path) as write:
        write(pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y.astype(int)}))
    return check_table(read(path), "y")


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "label"), [(name, None) for name in NAMES] + ONE_AGAINST_THE_REST)
def test_no_false_id_and_no_false_leak(name, label, tmp_path):
    data = load(name, label)
    if data is None or np.unique(data[1]).size < 2:
        pytest.skip("sparse, or of one class")
    wrong = [str(finding) for finding in findings(*data, tmp_path) if finding.code in ("AUC101", "AUC102")]
    assert wrong == []


@pytest.mark.parametrize("name", ["spambase", "covtype", "australian", "thyroid"])
def test_sorted_tables_have_no_ids(name):
    """Sorted by each of its columns in turn."""
    X, y = load(name)
    X = X[:1000]
    for j in range(min(X.shape[1], 10)):
        order = np.argsort(X[:, j], kind="stable")
        table = Table({f"x{k}": X[order, k] for k in range(X.shape[1])} | {"y": y[order]})
        assert [finding for finding in check_table(table, "y") if finding.code == "AUC101"] == []


def test_an_id_added_to_a_set_is_found_and_nothing_else():
    X, y = load("spambase")
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {
        "y": y,
        "n": np.random.default_rng(1).permutation(len(y)),
    }
    found = [finding for finding in check_table(Table(columns), "y") if finding.code in ("AUC101", "AUC102")]
    assert [finding.columns for finding in found] == [("n",)]
