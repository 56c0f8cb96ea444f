"""Imports go one way, so that a room can be read without those that build on it."""

import ast
from pathlib import Path

import aucmax

ROOT = Path(aucmax.__file__).parent
# Rooms of one line may import each other; a room may import from its own line and from those above.
LAYERS = [
    ["jit", "threads", "mapped", "whole", "settings"],
    ["rows"],
    ["moments", "losses", "penalties", "metrics", "calibration", "trace", "aum"],
    ["problem"],
    ["solvers"],
    ["checks", "path", "folds", "features"],
    ["stream", "seen"],
    ["estimator", "plots", "calibrated", "curves", "tuning", "kernel_checks"],
    ["selection", "kernel", "aum_classifier", "tree", "river", "torch"],
    ["compare"],
    ["files"],
    ["datasets", "models", "changepoint"],
    ["cli"],
]
LEVEL = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}


def room_of(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported_rooms(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name and name.startswith("aucmax."):
                yield name.split(".")[1]


def test_every_room_has_a_level():
    rooms = {room_of(path) for path in ROOT.rglob("*.py")} - {"__init__", "__main__"}
    assert rooms == set(LEVEL)


def test_imports_go_one_way():
    wrong = [
        f"{path.relative_to(ROOT)} imports {room}"
        for path in ROOT.rglob("*.py")
        if room_of(path) not in ("__init__", "__main__")
        for room in imported_rooms(path)
        if LEVEL[room] > LEVEL[room_of(path)]
    ]
    assert wrong == []


def test_only_jit_imports_numba():
    importers = {path.name for path in ROOT.rglob("*.py") if "import numba" in path.read_text()}
    assert importers == {"jit.py"}
