"""The public surface: what packages export, and what they do not."""

import importlib
from importlib.metadata import version

import pytest

import aucmax

PACKAGES = ("solvers", "losses", "metrics", "aum", "models", "datasets", "plots", "comparison")
PUBLIC = ["aucmax", *(f"aucmax.{name}" for name in PACKAGES)]
INTERNAL = {"within_product", "name_of", "solver_name", "auc_limits", "auc_of_classes"}


@pytest.mark.parametrize("package", PUBLIC)
def test_all_lists_what_is_there_and_no_internals(package):
    module = importlib.import_module(package)
    assert all(hasattr(module, name) for name in module.__all__)
    assert not INTERNAL & set(module.__all__)


def test_version_is_that_of_the_distribution():
    assert aucmax.__version__ == version("aucmax")
