"""Examples in modules and pages are run with the tests; those of an extra that is not installed are left out."""

import os
import sys
from importlib.util import find_spec

import pytest

EXTRAS = {
    "river": ["src/aucmax/river"],
    "torch": ["src/aucmax/torch", "docs/torch.md"],
    "pyspark": ["src/aucmax/spark", "src/aucmax/scale/spark.py"],
    "distributed": ["src/aucmax/dask", "src/aucmax/scale/dask.py", "docs/start/cluster.md"],
    "ruptures": [
        "src/aucmax/changepoint/segmentation.py",
        "src/aucmax/changepoint/penalty_learner.py",
        "docs/changepoints.md",
        "docs/start/changepoints.md",
    ],
}
os.environ.setdefault("MPLBACKEND", "agg")  # no windows
collect_ignore = [path for extra, paths in EXTRAS.items() if find_spec(extra) is None for path in paths]
collect_ignore += [f"docs/{part}" for part in ("conf.py", "_ext", "_build", "gallery", "reference", "numbers")]


@pytest.fixture(autouse=True)
def _temporary_folder_for_examples(request):
    """Examples that write files do so in a folder of their own."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))


@pytest.fixture(autouse=True)
def _close_figures():
    """Figures that a test leaves open are closed: pyplot would keep them all, and warn of their number."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
