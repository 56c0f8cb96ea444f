"""The kernel cache notices edits anywhere in the package; kernels run without Numba too."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import aucmax
from aucmax.numerics.compiled import _KeyedFiles

SCRIPT = """
import numpy as np
from aucmax.numerics.matrix import dot
print(float(dot(np.array([[1.0, 2.0]]), np.array([10.0, 100.0]))[0]))
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package in an empty folder, with its own cache."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(aucmax.__file__).parent, tmp_path / "aucmax", ignore=ignore)
    return tmp_path


def run(folder, **environment):
    variables = {**os.environ, "PYTHONPATH": str(folder), "PYTHONWARNINGS": "ignore", **environment}
    variables.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_edit_of_a_helper_in_another_file_is_noticed(copy):
    """`_dot` of matrix.py calls a helper that is moved to another file; then only that file is edited."""
    helper = "def twice(x):\n    return 2.0 * x\n"
    (copy / "aucmax" / "helper.py").write_text(
        "from aucmax.numerics.compiled import compiled\n\n\n@compiled\n" + helper
    )
    matrix = copy / "aucmax" / "numerics" / "matrix.py"
    text = matrix.read_text().replace(
        "out[i, k] = row_dot(X, index[i], W[k])", "out[i, k] = twice(row_dot(X, index[i], W[k]))"
    )
    matrix.write_text(
        text.replace(
            "from aucmax.numerics.compiled import",
            "from aucmax.helper import twice\nfrom aucmax.numerics.compiled import",
        )
    )
    assert run(copy) == 420.0
    assert run(copy) == 420.0
    edited = (copy / "aucmax" / "helper.py").read_text().replace("2.0 * x", "3.0 * x")
    (copy / "aucmax" / "helper.py").write_text(edited)
    assert run(copy) == 630.0


def test_second_run_takes_the_machine_code_from_disk(copy):
    run(copy)
    cached = {path: path.stat().st_mtime_ns for path in copy.rglob("*.nbc")}
    assert any("_dot" in path.name for path in cached)
    run(copy)
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*.nbc")} == cached


def test_kernels_run_as_plain_python(copy):
    assert run(copy, NUMBA_DISABLE_JIT="1") == 210.0


def test_processes_that_compile_at_once_do_not_mix_up_their_code(tmp_path, monkeypatch):
    """Each sees an empty index, as if the other had not written its own yet."""
    first, second = (_KeyedFiles(str(tmp_path), "kernel", "stamp") for _ in range(2))
    with monkeypatch.context() as patch:
        patch.setattr(_KeyedFiles, "_load_index", lambda self: {})
        first.save("float32", "code of float32")
        second.save("float64", "code of float64")
    assert first.load("float64") == "code of float64"
    assert first.load("float32") is None  # lost, and compiled again
