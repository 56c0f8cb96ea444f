"""Every solver has a transcription here: a test that runs it and compares."""

import ast
from pathlib import Path

import pytest

from aucmax.solvers import SOLVERS


def solvers_compared():
    """The classes that test functions of this folder, or what they call in their file, construct and compare."""
    for path in Path(__file__).parent.glob("test_*.py"):
        tree = ast.parse(path.read_text())
        text = ast.unparse(tree)
        if "assert_close(" not in text or path.name == Path(__file__).name:
            continue
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
                yield from (call.id for call in calls if isinstance(call, ast.Name))


@pytest.mark.parametrize("name", SOLVERS)
def test_it_is_compared_with_a_transcription(name):
    assert SOLVERS[name].__name__ in set(solvers_compared())
