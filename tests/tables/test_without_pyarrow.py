"""Without pyarrow arrays are fitted as ever, and a file with named columns is an error that names the extra."""

import subprocess
import sys

SCRIPT = """
import sys
sys.modules["pyarrow"] = None
import numpy as np
from aucmax import AUCClassifierCV, TableEncoder
from aucmax.tables import read
X = np.random.default_rng(0).normal(size=(60, 2))
y = X[:, 0] > 0.5
np.savez("rows.npz", X=X, y=y)
table = read("rows.npz")
AUCClassifierCV().fit(table.X, table.y)
for use in (lambda: read("a.csv"), lambda: read("a.parquet"), lambda: read("a.jsonl"), lambda: TableEncoder().fit(X)):
    try:
        use()
    except ImportError as error:
        print(error)
"""


def test_the_extra_is_named(tmp_path):
    for name in ("a.csv", "a.parquet", "a.jsonl"):
        (tmp_path / name).write_text("a\n1\n" if name == "a.csv" else '{"a": 1}\n')
    result = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    message = "tables with named columns need pyarrow; from a clone of aucmax: pip install '.[cli]'"
    assert result.stdout.splitlines() == [message] * 4
