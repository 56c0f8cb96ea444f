"""Tables of other libraries go in as they are."""

import polars as pl
import pyarrow as pa


def test_polars_and_arrow_agree_on_a_table():
    assert pa.table({"a": [1, 2]}).to_pylist() == pl.DataFrame({"a": [1, 2]}).to_dicts()
