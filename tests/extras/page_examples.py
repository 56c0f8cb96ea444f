"""Examples in pages that need an extra, and are no doctests for that reason."""

from pathlib import Path
from textwrap import dedent

DOCS = Path(__file__).parents[2] / "docs"


def run_section(page, heading):
    """Run the indented lines of a section of a page; returns the names that they define."""
    _, _, rest = (DOCS / page).read_text().partition(f"\n## {heading}\n")
    section, _, _ = rest.partition("\n## ")
    lines = [line for line in section.splitlines() if line.startswith("    ") or not line]
    names = {}
    exec(dedent("\n".join(lines)), names)
    return names
