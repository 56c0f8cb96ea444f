"""Pages of benchmarks and reproductions: the files of benchmarks/results and papers, with figures."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from number_plots import draw_numbers, draw_verdicts
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
PAPERS = ROOT / "papers"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def write_numbers(folder: Path) -> None:
    """Write a page for each file of results, one for each paper, and their index."""
    folder.mkdir(parents=True, exist_ok=True)
    benchmarks = {path.stem: benchmark_page(path, folder) for path in sorted(RESULTS.glob("*.md"))}
    papers = {
        page_name(path): titled(page_name(path), without_dead_links(path.read_text(), path.parent, folder))
        for path in sorted(PAPERS.glob("*.md"))
    }
    papers |= {
        f"paper_{path.name}": paper_page(path, folder) for path in sorted(PAPERS.iterdir()) if any(path.glob("*.md"))
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
    """A list of links, each with the first sentence of its page."""
    return "\n".join(f"- [{short_title(name)}]({name}.md): {first_line(text)}" for name, text in pages.items())


def first_line(text: str) -> str:
    """The first line of a page below its title."""
    lines = [line.lstrip("# ") for line in text.splitlines() if line.strip()]
    return lines[1]


def titled(name: str, text: str) -> str:
    """The text, with a title if it has none."""
    return text if text.startswith("# ") else f"# {short_title(name)}\n\n{text}"


def short_title(name: str) -> str:
    """A name for menus: `few_positives` is 'Few positives', `paper_fowler_2024` 'Fowler 2024'."""
    words = re.sub("^papers?_", "", name).replace("_", " ")
    return {"auc": "AUC", "aum": "AUM", "libsvm": "libsvm"}.get(words, words[0].upper() + words[1:])


def benchmark_page(path: Path, folder: Path) -> str:
    """A file of results with its figure, if it has one."""
    text = without_dead_links(path.read_text(), path.parent, folder)
    caption = draw_numbers(path.stem, text, folder / f"{path.stem}.svg")
    figure = f"![{caption}]({path.stem}.svg)\n\n*{caption}*\n\n" if caption else ""
    sentence, rest = text.split("\n", 1)
    return f"# {short_title(path.stem)}\n\n{sentence.removeprefix('# ')}\n\n{figure}{rest.lstrip()}"


def paper_page(paper: Path, folder: Path) -> str:
    """The README of a reproduction and its result files, each followed by the figure of the same name."""
    readme = paper / "README.md"
    parts = [without_dead_links(readme.read_text(), paper, folder)] if readme.exists() else []
    if not parts:
        parts = [f"# {short_title(paper.name)}\n"]
    for path in sorted(paper.glob("*.md")):
        if path != readme:
            text = without_dead_links(path.read_text(), paper, folder)
            parts.append(re.sub(r"^#", "##", text, flags=re.MULTILINE) + figure_of(path, folder))
    results = paper / "results.csv"
    if results.exists():
        name = f"{paper.name}_results.svg"
        caption = draw_verdicts(results, folder / name)
        parts.insert(1, f"![{caption}]({name})\n\n*{caption}*\n")
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


def page_name(path: Path) -> str:
    """The page of the site that a file of results or of a paper is on; nothing for other files."""
    if path.suffix != ".md" or not path.exists():
        return ""
    if path.parent == PAPERS:
        return "papers_overview" if path.stem == "README" else f"papers_{path.stem}"
    if path.parent.parent == PAPERS:
        return f"paper_{path.parent.name}"
    return path.stem if path.parent == RESULTS else ""


def without_dead_links(text: str, origin: Path, folder: Path) -> str:
    """Text whose figures are copied, and whose links lead to pages of the site or become plain text."""

    def replaced(match: re.Match) -> str:
        image, words, target = match.groups()
        if target.startswith(("http://", "https://", "#")):
            return match[0]
        if image and (origin / target).exists():
            return f"![{words}]({copy_figure(origin / target, folder)})"
        name = page_name((origin / target).resolve())
        return f"[{words}]({name}.md)" if name and not image else words

    return LINK.sub(replaced, text)
