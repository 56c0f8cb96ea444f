"""The cache of compiled code notices edits of any compiled function and damage; loops run without Numba too."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import aucmax
from aucmax.numerics.compiler import _KeyedFiles

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


def run(folder, script=SCRIPT, **environment):
    """The number that a script prints, run without the flags of Numba that the tests themselves may run with."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    variables = {**inherited, "PYTHONPATH": str(folder), "PYTHONWARNINGS": "ignore", **environment}
    command = [sys.executable, "-c", script]
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


def is_compiled(node):
    decorators = [d.func if isinstance(d, ast.Call) else d for d in getattr(node, "decorator_list", [])]
    return any(isinstance(d, ast.Name) and d.id == "compiled" for d in decorators)


def test_compiled_functions_use_only_what_the_key_of_the_cache_covers():
    root = Path(aucmax.__file__).parent
    sources = {path: path.read_text() for path in root.rglob("*.py")}
    covered = {path for path in sources if path.parent.name == "numerics" or "numerics.compiled" in sources[path]}
    for path in covered:
        tree = ast.parse(sources[path])
        loops = [node for node in ast.walk(tree) if is_compiled(node)]
        names = {node.id for loop in loops for node in ast.walk(loop) if isinstance(node, ast.Name)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("aucmax."):
                origin = root.parent.joinpath(*node.module.split("."))
                origin = origin / "__init__.py" if origin.is_dir() else origin.with_suffix(".py")
                used = {alias.asname or alias.name for alias in node.names} & names
                assert not used or origin in covered, f"{path} takes {used} from {origin}"


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


def emptied(content):
    return b""


def truncated(content):
    return content[: len(content) // 2]


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 16]) + content[middle + 1 :]


def flipped_checksum(content):
    return bytes([content[0] ^ 1]) + content[1:]


def of_another_program(content):
    return b"\x80\x04\x95 not a pickle at all"


DAMAGES = [emptied, truncated, flipped, flipped_checksum, of_another_program]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
def test_a_damaged_file_is_ignored_and_written_anew(tmp_path, damage, pattern):
    files = _KeyedFiles(str(tmp_path), "kernel", "stamp")
    files.save("float64", ["code", 1])
    assert files.load("float64") == ["code", 1]
    (path,) = tmp_path.glob(pattern)
    path.write_bytes(damage(path.read_bytes()))
    assert files.load("float64") is None
    files.save("float64", ["code", 2])
    assert files.load("float64") == ["code", 2]


def test_files_of_another_version_or_source_are_not_unpickled(tmp_path, monkeypatch):
    files = _KeyedFiles(str(tmp_path), "kernel", "stamp")
    files.save("float64", "code")
    newer = _KeyedFiles(str(tmp_path), "kernel", "stamp")
    newer._version = "99"
    monkeypatch.setattr("pickle.loads", lambda content: pytest.fail("unpickled"))
    assert newer.load("float64") is None
    assert _KeyedFiles(str(tmp_path), "kernel", "edited").load("float64") is None


@pytest.mark.parametrize("damage", [emptied, flipped])  # every run of a process takes seconds
def test_a_damaged_cache_does_not_change_results(copy, damage):
    run(copy)
    paths = [*copy.rglob("*.nbi"), *copy.rglob("*.nbc")]
    assert paths
    for path in paths:
        path.write_bytes(damage(path.read_bytes()))
    assert run(copy) == 210.0


def test_an_index_that_is_a_folder_is_ignored(tmp_path):
    files = _KeyedFiles(str(tmp_path), "kernel", "stamp")
    (tmp_path / files._index_name).mkdir()
    assert files.load("float64") is None


def test_a_full_disk_is_no_error(copy):
    """A limit of zero bytes a file: files can be made, as in a test whether a folder is writable, but not filled."""
    limit = "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    assert run(copy, limit + SCRIPT) == 210.0
    assert not list(copy.rglob("*.nbc"))


def test_without_any_folder_to_write_to_code_is_compiled_in_memory(copy):
    """Files take the places of the folders: unlike permissions, they also stop the superuser."""
    for folder in {path.parent for path in (copy / "aucmax").rglob("*.py")}:
        (folder / "__pycache__").write_text("")
    (copy / "home").write_text("")
    home = str(copy / "home")
    assert run(copy, HOME=home, XDG_CACHE_HOME=home) == 210.0
    assert not list(copy.rglob("*.nbc"))


def test_a_folder_that_disappears_is_no_error(copy):
    """The folder was writable on import; when the code is compiled, a file is in its place."""
    block = """
import shutil
from pathlib import Path
import aucmax.numerics.matrix
for folder in Path(aucmax.__file__).parent.rglob("__pycache__"):
    shutil.rmtree(folder)
    folder.write_text("")
"""
    assert run(copy, block + SCRIPT) == 210.0


OUT_OF_BOUNDS = """
import numpy as np
from aucmax.numerics.matrix import _transposed_dot
try:
    _transposed_dot(np.ones((9, 2))[:3], np.ones(4), np.zeros(2))
    print(0)
except IndexError:
    print(1)
"""


def test_code_with_checked_bounds_is_not_mixed_up_with_the_usual(copy):
    """The usual code, which does not notice that row 3 does not exist, is in the cache first."""
    assert run(copy, OUT_OF_BOUNDS) == 0.0
    assert run(copy, OUT_OF_BOUNDS, NUMBA_BOUNDSCHECK="1") == 1.0
