"""Pages of benchmarks and reproductions: the files of benchmarks/results and papers, with figures."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from number_plots import draw_numbers
from reference_pages import write
from result_tables import RESULTS, ROOT

INDEX = """\
# Numbers

Everything that was measured, with the machine it was measured on, including what misses its target. `make bench` runs
the benchmarks again; times are ratios within one run, since machines differ.

## Benchmarks

{benchmarks}

## Reproductions of papers

{papers}

```{{toctree}}
:hidden:

{pages}
```
"""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def write_numbers(folder: Path) -> None:
    """Write a page for each file of results, one for each paper, and their index."""
    folder.mkdir(parents=True, exist_ok=True)
    benchmarks = {path.stem: benchmark_page(path, folder) for path in sorted(RESULTS.glob("*.md"))}
    papers = {
        f"paper_{path.name}": paper_page(path, folder)
        for path in sorted((ROOT / "papers").iterdir())
        if any(path.glob("*.md"))
    }
    for name, text in (benchmarks | papers).items():
        write(folder / f"{name}.md", text)
    write(
        folder / "index.md",
        INDEX.format(
            benchmarks=entries(benchmarks),
            papers=entries(papers),
            pages="\n".join(f"{short_title(name)} <{name}>" for name in benchmarks | papers),
        ),
    )


def entries(pages: dict[str, str]) -> str:
    """A list of links, each with the first heading of its page."""
    return "\n".join(f"- [{short_title(name)}]({name}.md): {heading(text)}" for name, text in pages.items())


def heading(text: str) -> str:
    """The first heading of a page."""
    return next(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))


def short_title(name: str) -> str:
    """A name for menus: `few_positives` is 'Few positives', `paper_fowler_2024` 'Fowler 2024'."""
    words = name.removeprefix("paper_").replace("_", " ")
    return {"auc": "AUC", "aum": "AUM", "libsvm": "libsvm"}.get(words, words[0].upper() + words[1:])


def benchmark_page(path: Path, folder: Path) -> str:
    """A file of results with its figure, if it has one."""
    text = path.read_text()
    caption = draw_numbers(path.stem, text, folder / f"{path.stem}.svg")
    if caption:
        first, rest = text.split("\n", 1)
        text = f"{first}\n\n![{caption}]({path.stem}.svg)\n\n*{caption}*\n{rest}"
    return without_dead_links(text, path.parent, folder)


def paper_page(paper: Path, folder: Path) -> str:
    """The README of a reproduction and its result files, each followed by the figure of the same name."""
    readme = paper / "README.md"
    parts = [without_dead_links(readme.read_text(), paper, folder)] if readme.exists() else []
    if not parts:
        parts = [f"# {short_title(paper.name)}: figures and tables again\n"]
    for path in sorted(paper.glob("*.md")):
        if path != readme:
            text = without_dead_links(path.read_text(), paper, folder)
            parts.append(re.sub(r"^#", "##", text, flags=re.MULTILINE) + figure_of(path, folder))
    return "\n\n".join(parts)


def figure_of(path: Path, folder: Path) -> str:
    """The figure beside a file of results, copied to the site."""
    figure = path.with_suffix(".png")
    if not figure.exists():
        return ""
    copied = copy_figure(figure, folder)
    return f"\n\n![{path.stem} of {short_title(path.parent.name)}]({copied})\n"


def copy_figure(figure: Path, folder: Path) -> str:
    """Copy a figure beside the pages; its name there."""
    name = f"{figure.parent.name}_{figure.name}"
    shutil.copyfile(figure, folder / name)
    return name


def without_dead_links(text: str, origin: Path, folder: Path) -> str:
    """Text in which figures are copied, and links to files that are no pages of the site are plain text."""

    def replaced(match: re.Match) -> str:
        image, words, target = match.groups()
        if target.startswith(("http://", "https://", "#")):
            return match[0]
        if image and (origin / target).exists():
            return f"![{words}]({copy_figure(origin / target, folder)})"
        return words

    return LINK.sub(replaced, text)
