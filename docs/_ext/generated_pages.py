"""Writes the pages that are generated before Sphinx reads the sources, and adapts links that leave the site."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from command_page import command_page
from number_pages import write_numbers
from reference_pages import write, write_reference
from result_tables import RESULTS
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Generate before all other extensions look for pages."""
    app.connect("builder-inited", generate, priority=1)
    app.connect("source-read", adapt_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def generate(app: Sphinx) -> None:
    """Write the reference, the numbers and the page of the commands below the source folder."""
    folder = Path(app.srcdir)
    for part in ("reference", "numbers"):
        shutil.rmtree(folder / part, ignore_errors=True)
    write_reference(folder / "reference")
    write(folder / "reference" / "command-line.md", command_page())
    write_numbers(folder / "numbers")


def adapt_links(app: Sphinx, name: str, content: list[str]) -> None:
    """Links to files of results, which work where the repository is browsed, become links to their pages."""
    up = "../" * name.count("/")
    content[0] = content[0].replace("\n\n```\n", "\n```\n")  # the empty line that ends an example for doctest
    content[0] = re.sub(r"\]\((?:\.\./)+papers/[^)]*\)", f"]({up}numbers/index.md)", content[0])
    content[0] = re.sub(
        r"\]\((?:\.\./)+benchmarks/results/(\w+)\.md\)", lambda link: result_link(up, link[1]), content[0]
    )


def result_link(up: str, name: str) -> str:
    """The end of a link to the page of a benchmark; to the list of them if it has no results yet."""
    return f"]({up}numbers/{name if (RESULTS / f'{name}.md').exists() else 'index'}.md)"
