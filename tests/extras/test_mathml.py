"""Formulas of the pages: all of them can be converted to MathML, and signs are as LaTeX sets them."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="Sphinx is not installed")
import mathml
from docutils import nodes

DOCS = Path(__file__).parents[2] / "docs"
CODE = re.compile(r"^```.*?^```|``.*?``|`[^`]*`", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+?)\$", re.DOTALL)
PAGES = [page for page in sorted(DOCS.glob("*.md")) if "$" in CODE.sub("", page.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_formula_is_converted(page):
    for block, inline in FORMULA.findall(CODE.sub("", page.read_text())):
        made = converted(block or inline, as_block=bool(block))
        assert made.startswith("<math"), block or inline
        ElementTree.fromstring(re.sub(r"&\w+;", "", made))


def converted(tex, *, as_block=False):
    return mathml.converted(nodes.math(tex, tex), as_block=as_block)


def test_bars_are_fences_and_do_not_stretch():
    bars = re.findall(r"<mo ([^>]*)>‖</mo>", converted(r"\lVert w \rVert_2"))
    assert len(bars) == 2
    assert 'form="prefix"' in bars[0]
    assert 'form="postfix"' in bars[1]
    assert all('stretchy="false"' in bar for bar in bars)


def test_an_apostrophe_is_a_prime_but_not_in_words():
    assert "&prime;" in converted("x'")
    assert "the row's" in converted(r"\text{the row's}")


def test_a_formula_that_cannot_be_converted_is_shown_as_it_is_written():
    assert converted(r"\nosuchcommand{x} < 1") == r"<code>\nosuchcommand{x} &lt; 1</code>"
