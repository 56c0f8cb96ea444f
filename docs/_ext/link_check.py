"""Checks a built site: links inside of it lead somewhere, and no page loads anything from elsewhere.

python docs/_ext/link_check.py docs/_build/html
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


class Page(NamedTuple):
    """What a page defines, links to and loads."""

    anchors: set[str]
    links: set[str]
    loaded: set[str]


class PageParser(HTMLParser):
    """Collects the anchors, links and loaded files of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page(set(), set(), set())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        given = {name: value or "" for name, value in attrs}
        self.page.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.page.links.add(given["href"])
        elif (attribute := LOADING.get(tag)) in given:
            self.page.loaded.add(given[attribute])


def read_pages(folder: Path) -> dict[Path, Page]:
    """All pages of a site."""
    pages = {}
    for path in sorted(set(folder.rglob("*.html")) - set((folder / "_static").rglob("*.html"))):
        parser = PageParser()
        parser.feed(path.read_text())
        pages[path.resolve()] = parser.page
    return pages


def broken_links(pages: dict[Path, Page]) -> list[str]:
    """Links to files or anchors that do not exist; links to other sites are not followed."""
    found = []
    for path, page in pages.items():
        for link in sorted(page.links | page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.exists():
                found.append(f"{path.name}: {link} does not exist")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                found.append(f"{path.name}: {link} has no such anchor")
    return found


def outside_files(pages: dict[Path, Page]) -> list[str]:
    """Scripts, styles, fonts and images that a page would load from a network."""
    return [
        f"{path.name}: {link}"
        for path, page in pages.items()
        for link in sorted(page.loaded)
        if urlsplit(link).netloc
    ]


if __name__ == "__main__":
    site = read_pages(Path(sys.argv[1]))
    problems = broken_links(site) + outside_files(site)
    print("\n".join(problems) or f"{len(site)} pages: all links inside the site lead somewhere, nothing is loaded")
    sys.exit(bool(problems))
