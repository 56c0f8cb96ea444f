"""The command `aucmax reproduce`: its options, and what it prints."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from aucmax.cli.display import show_list
from aucmax.cli.group import aucmax
from aucmax.cli.options import FILE, json_option
from aucmax.cli.progress import progress_bar
from aucmax.cli.terminal import echo, print_json
from aucmax.comparison.reproduction import PAPERS, read_cells
from aucmax.comparison.reproduction import reproduce as reproduce_paper
from aucmax.comparison.reproduction.figures import draw_figure, figure_names
from aucmax.comparison.reproduction.pages import write_pages


@aucmax.command()
@click.argument("name", required=False, type=click.Choice(list(PAPERS)))
@click.option("--list", "listed", is_flag=True, help="List the papers, their tables and figures.")
@click.option("--table", metavar="T", help="Run only this table, such as 3.2.")
@click.option(
    "--figure",
    metavar="F",
    help="Draw this figure instead of running the tables.",
)
@click.option("--small", is_flag=True, help="Use generated rows and two runs, to check that everything works.")
@click.option("--collect", is_flag=True, help="Run nothing: only write the verdicts of the finished runs.")
@click.option("--pages", is_flag=True, help="Run nothing: write the pages that summarise the results.")
@click.option("--papers", type=FILE, default="papers", show_default=True, help="Folder of the papers in a clone.")
@click.option("-o", "--output", type=FILE, help="Folder to write to; that of --papers if not given.")
@json_option
def reproduce(name, listed, table, figure, small, collect, pages, papers, output, as_json) -> None:
    """Run the tables and figures of a paper again, with a verdict on every number.

    A rerun continues where the last one ended: finished runs are kept in runs.jsonl.
    """
    only_list = not pages and (listed or name is None)
    _check_papers(papers, only_warn=only_list)
    if pages:
        for path in write_pages(papers):
            echo(f"written: {path}")
        return
    if only_list:
        items = [_contents(papers, paper) for paper in PAPERS]
        print_json(items) if as_json else show_list(items)
        return
    if small and output is None:
        output = Path(tempfile.mkdtemp(prefix="aucmax-reproduce-"))
    if figure is not None or not (papers / name / "expected.csv").is_file():
        for one in [figure] if figure is not None else figure_names(papers, name):
            folder = draw_figure(papers, name, one, output=output, small=small)
            echo(f"figure {one}: {folder}")
        return
    with progress_bar(f"reproducing {name}") as update:
        settings = {"table": table, "small": small, "output": output, "compute": not collect}
        found = reproduce_paper(name, papers, progress=update, **settings)
    if as_json:
        print_json({"name": name, "verdicts": found.counts(), "results": str(found.path)})
    else:
        show_list([{"verdict": verdict, "cells": count} for verdict, count in found.counts().items()])
        echo(f"results: {found.path}")


def _check_papers(papers: Path, *, only_warn: bool) -> None:
    """Say how to name the folder of the papers if it is not there."""
    if not papers.is_dir():
        message = f"there is no folder {papers}; run this in a clone of aucmax, or name its folder with --papers"
        if not only_warn:
            raise FileNotFoundError(message)
        echo(f"warning: {message}", err=True)


def _contents(papers: Path, name: str) -> dict[str, object]:
    expected = papers / name / "expected.csv"
    cells = read_cells(expected) if expected.is_file() else []
    tables = list(dict.fromkeys(f"{cell.paper} table {cell.table}" for cell in cells))
    figures = figure_names(papers, name)
    return {"name": name, "paper": PAPERS[name], "tables": tables, "cells": len(cells), "figures": figures}
