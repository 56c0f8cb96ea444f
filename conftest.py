"""Examples in modules and pages are run with the tests; those of an extra that is not installed are left out."""

from importlib.util import find_spec

EXTRAS = {
    "river": ["src/aucmax/river"],
    "torch": ["src/aucmax/torch", "docs/torch.md"],
    "ruptures": [
        "src/aucmax/changepoint/segmentation.py",
        "src/aucmax/changepoint/penalty_learner.py",
        "docs/changepoints.md",
    ],
}
collect_ignore = [path for extra, paths in EXTRAS.items() if find_spec(extra) is None for path in paths]
