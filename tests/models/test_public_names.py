"""The public names of the packages around files exist and are documented."""

import pytest

from aucmax import datasets, models, tables


@pytest.mark.parametrize("package", [datasets, models, tables], ids=lambda package: package.__name__)
def test_public_names_are_documented(package):
    public = {name: getattr(package, name) for name in package.__all__}
    assert all(value.__doc__ for value in public.values())
    assert {name for name, value in public.items() if callable(value) and "Examples" not in value.__doc__} <= {
        "Calibration",
        "Dataset",
        "ExportError",
        "ModelFileError",
    }
