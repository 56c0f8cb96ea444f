"""Run all benchmarks, or the named ones, and write benchmarks/results/<name>.md: title, table and notes."""

import importlib
import os
import platform
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

FOLDER = Path(__file__).parent
MEASURED = "Medians of alternating runs; milliseconds of CPU time on one thread, unless stated otherwise."
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def names():
    return sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))


def as_table(rows):
    """A Markdown table with the columns of the first row; numbers to three digits."""
    columns = list(rows[0])
    lines = [columns, ["---"] * len(columns)] + [[_format(row[column]) for column in columns] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _format(value):
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def environment():
    """Date, machine type and versions, which the figures depend on."""
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    cores = f"{os.cpu_count()} cores ({platform.machine()}), shared"
    return f"{date.today()}; {cores}; Python {platform.python_version()}, {packages}. {MEASURED}"


def main(chosen):
    unknown = set(chosen) - set(names())
    if unknown:
        sys.exit(f"error: unknown benchmark {sorted(unknown)}; choose from {names()}")
    (FOLDER / "results").mkdir(exist_ok=True)
    for name in chosen or names():
        module = importlib.import_module(f"benchmarks.bench_{name}")
        print(f"{name} ...", flush=True)
        rows = module.run()
        if not rows:
            print("skipped: set AUCMAX_DATA to the folder of data sets", flush=True)
            continue
        table = as_table(rows)
        print(table, flush=True)
        title, *notes = module.__doc__.strip().splitlines()
        text = "\n".join([f"# {title}\n", f"{environment()}\n", table, *notes]) + "\n"
        (FOLDER / "results" / f"{name}.md").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
