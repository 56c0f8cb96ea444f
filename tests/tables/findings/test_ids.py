"""AUC101: what is an id, and what is not."""

import numpy as np
import pytest

from aucmax.tables import Table, TableEncoder, check_table
from aucmax.tables.cells import as_column
from aucmax.tables.findings.ids import id_reason, string_id_reason

RNG = np.random.default_rng(0)
N = 2000

IDS = {
    "numbers the rows": ("n", np.arange(N)),
    "counts down by tens": ("n", 10 * np.arange(N)[::-1]),
    "shuffled keys": ("a", RNG.permutation(N)),
    "keys of a sample": ("a", RNG.choice(40 * N, N, replace=False)),
    "keys in steps": ("a", 1000 * RNG.permutation(N) + 17),
    "increasing with gaps": ("a", np.cumsum(RNG.integers(1, 2000, N))),
    "random numbers of ten digits": ("a", RNG.integers(10**9, 10**10, N)),
    "customers that return": ("customer_id", RNG.integers(0, 300, N)),
    "invoice numbers": ("invoice_nr", RNG.integers(0, 10**9, N)),
    "keys of which some are repeated": ("a", np.append(RNG.permutation(N), np.arange(40))),
}
NO_IDS = {
    "amounts in cents": ("amount", RNG.lognormal(9, 1, N).astype(int)),
    "a table sorted by amount": ("amount", np.sort(RNG.lognormal(12, 2, N).astype(int))),
    "populations": ("population", (1e6 * RNG.pareto(1.0, N)).astype(int)),
    "counts": ("clicks", RNG.poisson(30, N)),
    "years": ("year", RNG.integers(1950, 2026, N)),
    "a row for every year": ("year", np.arange(1950, 2026)),
    "postcodes": ("zip", RNG.integers(10000, 99999, N)),
    "zeros and ones": ("flag", RNG.integers(0, 2, N)),
    "a sorted flag": ("flag", np.repeat([0, 1], N // 2)),
    "all distinct decimals": ("x", RNG.normal(size=N)),
    "sorted decimals": ("x", np.sort(RNG.normal(size=N))),
    "few ids are categories": ("store_id", RNG.integers(0, 12, N)),
    "a musical key": ("key", RNG.integers(0, 12, N)),
    "an index of prices": ("price_index", RNG.normal(100, 10, N).round(1)),
    "seconds since 1970": ("created", 1_700_000_000 + RNG.permutation(N)),
    "milliseconds since 1970": ("x", 1_700_000_000_000 + RNG.permutation(N)),
    "ages of twenty people": ("age", RNG.choice(np.arange(18, 80), 20, replace=False)),
    "four rows": ("n", np.arange(4)),
    "incomes": ("income", RNG.normal(50000, 15000, N).astype(int)),
}


@pytest.mark.parametrize(("name", "numbers"), IDS.values(), ids=IDS)
def test_ids_are_found(name, numbers):
    assert id_reason(name, np.asarray(numbers, dtype=float)) is not None


@pytest.mark.parametrize(("name", "numbers"), NO_IDS.values(), ids=NO_IDS)
def test_measurements_are_no_ids(name, numbers):
    assert id_reason(name, np.asarray(numbers, dtype=float)) is None


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", [10, 50, 200, 1000])
def test_random_integers_are_no_ids_whatever_their_range(seed, n):
    """Of 20 x 4 x 6 columns of independent integers none is taken for an id, also if the table is sorted by them."""
    rng = np.random.default_rng(seed)
    for size in (n, 10 * n, 1000 * n):
        drawn = rng.integers(0, size, n).astype(float)
        skewed = np.floor(size * rng.beta(0.5, 2, n))
        assert id_reason("x", drawn) is None
        assert id_reason("x", np.sort(skewed)) is None


@pytest.mark.parametrize(
    ("name", "cells", "is_id"),
    [
        ("a", [f"KX-{i:05d}" for i in RNG.permutation(N)], True),
        ("a", [f"{RNG.bytes(8).hex()}" for _ in range(N)], True),
        ("user_id", [f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(N)], True),
        (
            "note",
            [f"{a} {b}" for a, b in zip(RNG.choice(list("abcdef"), N), RNG.permutation(list("xyz") * N)[:N])],
            False,
        ),
        ("name", [chr(97 + i % 26) * (1 + i // 26) for i in range(N)], False),
        ("product_id", [f"P{i}" for i in RNG.integers(0, 40, N)], False),
    ],
)
def test_strings(name, cells, is_id):
    assert (string_id_reason(name, as_column(cells)) is not None) == is_id


def test_integers_of_64_bits_are_ids_and_not_a_constant():
    """float64 cannot tell them apart, so that they would look constant."""
    keys = 2**62 + np.arange(100)
    x = RNG.normal(size=100)
    for column in (keys, [str(key) for key in keys]):
        encoder = TableEncoder().fit(Table({"ref": column, "x": x}))
        assert encoder.left_out_ == {"ref": "looks like an id: integers of more than 15 digits"}


def test_ids_are_left_out_by_the_encoder_unless_kept():
    table = Table({"key": RNG.permutation(100), "x": RNG.normal(size=100)})
    assert [column.name for column in TableEncoder().fit(table).columns_] == ["x"]
    assert [column.name for column in TableEncoder(keep=["key"]).fit(table).columns_] == ["key", "x"]
    assert TableEncoder(drop=["x"], keep=["key"]).fit(table).left_out_ == {"x": "dropped as asked"}
    with pytest.raises(ValueError, match="no column 'kee'"):
        TableEncoder(keep=["kee"]).fit(table)


def test_an_index_without_a_name_is_an_id():
    rows = Table({"unnamed column 1": np.arange(50), "x": RNG.normal(size=50), "y": np.arange(50) % 2})
    findings = check_table(rows, "y")
    assert [(finding.code, finding.columns) for finding in findings] == [("AUC101", ("unnamed column 1",))]
