"""The public surface: what packages export, and what they do not."""

import importlib
import pkgutil
from importlib.metadata import version
from pathlib import Path

import pytest
from public_names import installed_modules

import aucmax

ROOT = Path(aucmax.__file__).parent
PUBLIC = installed_modules()
INTERNAL = {"within_product", "name_of", "solver_name", "auc_limits", "auc_of_classes"}


@pytest.mark.parametrize("package", PUBLIC)
def test_all_lists_what_is_there_and_no_internals(package):
    module = importlib.import_module(package)
    assert all(hasattr(module, name) for name in module.__all__)
    assert not INTERNAL & set(module.__all__)


@pytest.mark.parametrize("package", PUBLIC)
def test_completion_offers_what_is_exported_and_submodules_only(package):
    module = importlib.import_module(package)
    for name in module.__all__:
        getattr(module, name)  # lazy exports import submodules
    submodules = {each.name for each in pkgutil.iter_modules(module.__path__)}
    assert {name for name in dir(module) if not name.startswith("_")} - submodules <= set(module.__all__)
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("path", sorted(ROOT.rglob("__init__.py")), ids=lambda path: path.parent.name)
def test_packages_that_import_what_they_export_list_it(path):
    source = path.read_text()
    assert "__all__" in source or "import" not in source


def test_version_is_that_of_the_distribution():
    assert aucmax.__version__ == version("aucmax")
