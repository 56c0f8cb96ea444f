"""The check of the built site finds links that lead nowhere and files that come from elsewhere."""

import pytest
from link_check import broken_links, outside_files, read_pages


@pytest.fixture
def site(tmp_path):
    (tmp_path / "guide").mkdir()
    (tmp_path / "index.html").write_text(
        '<h2 id="here"></h2><a href="guide/a.html#there">a</a> <a href="#here">b</a>'
    )
    (tmp_path / "guide" / "a.html").write_text(
        '<p id="there"><a href="../index.html">home</a><a href="https://x.org">x</a>'
    )
    return tmp_path


def add(site, html):
    path = site / "index.html"
    path.write_text(path.read_text() + html)
    return read_pages(site)


def test_a_whole_site_has_no_problems(site):
    pages = read_pages(site)
    assert len(pages) == 2 and broken_links(pages) == [] and outside_files(pages) == []


@pytest.mark.parametrize("link", ["guide/b.html", "guide/a.html#nowhere", "#nowhere", "../index.html"])
def test_a_link_that_leads_nowhere_is_found(site, link):
    (found,) = broken_links(add(site, f'<a href="{link}">dead</a>'))
    assert link in found


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.x.org/a.js"></script>',
        '<link rel="stylesheet" href="//fonts.x.org/a.css">',
        '<img src="http://x.org/a.png">',
    ],
)
def test_a_file_from_elsewhere_is_found(site, html):
    assert len(outside_files(add(site, html))) == 1


def test_a_missing_image_is_found(site):
    assert len(broken_links(add(site, '<img src="_images/a.png">'))) == 1
