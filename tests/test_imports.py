"""Imports go one way, as the table in CONTRIBUTING.md states it, so that a package can be read without its users."""

import ast
import re
from pathlib import Path

import pytest

import aucmax
import aucmax.models
import aucmax.tables

ROOT = Path(aucmax.__file__).parent
PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"
ENTRY_POINTS = {"__init__", "__main__"}


def stated_order():
    """The number of the table's line that each package stands on."""
    _, _, table = PAGE.read_text().partition("| packages of `aucmax` |")
    rows, _, _ = table.partition("\n\n")
    lines = rows.splitlines()[2:]
    return {name: k for k, line in enumerate(lines) for name in re.findall(r"`(\w+)`", line.split("|")[1])}


LEVEL = stated_order()


def package_of(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported_packages(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name and name.startswith("aucmax."):
                yield name.split(".")[1]


def test_the_table_names_every_package():
    assert {package_of(path) for path in ROOT.rglob("*.py")} - ENTRY_POINTS == set(LEVEL)


def test_files_named_in_the_page_exist():
    paths = re.findall(r"`(\w+(?:/\w+)*\.py)`", PAGE.read_text())
    assert len(paths) > 10
    placeholders = {"solvers/name.py", "solvers/published/name.py", "losses/name.py", "cli/commands/name.py"}
    placeholders |= {"tests/solvers/test_name.py"}
    missing = [path for path in paths if not any((root / path).exists() for root in (ROOT, PAGE.parent))]
    assert set(missing) <= placeholders | {"pairwise_sums.py", "analytic_sums.py"}  # named beside their package


def test_imports_go_one_way():
    wrong = [
        f"{path.relative_to(ROOT)} imports {package}"
        for path in ROOT.rglob("*.py")
        if package_of(path) not in ENTRY_POINTS
        for package in imported_packages(path)
        if LEVEL[package] > LEVEL[package_of(path)]
    ]
    assert wrong == []


def test_only_one_file_imports_numba():
    importers = {
        path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if "import numba" in path.read_text()
    }
    assert importers == {"numerics/compiler.py"}


def test_class_names_are_unique():
    names = {}
    for path in ROOT.rglob("*.py"):
        if package_of(path) in ("dask", "spark"):  # whose estimators are called as those they adapt
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                names.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: paths for name, paths in names.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("package", [aucmax, aucmax.models, aucmax.tables], ids=lambda package: package.__name__)
def test_lazy_exports_are_found_and_are_no_submodules(package):
    """Importing a submodule sets an attribute of its name, which would hide an export that is found later."""
    folder = Path(package.__file__).parent
    files = {path.stem for path in folder.iterdir()}
    assert not files & set(package.__all__)
    assert all(getattr(package, name) is not None for name in package.__all__)
    assert set(package.__all__) <= set(dir(package))
