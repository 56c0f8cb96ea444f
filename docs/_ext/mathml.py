"""Formulas as MathML, which browsers show without a script: docutils converts the LaTeX of `$...$` and `$$...$$`."""

from __future__ import annotations

import html
import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
# bars are fences as tall as the letters; browsers stretch and space them as operators
FENCE = '<mo form="{form}" fence="true" stretchy="false" lspace="0" rspace="0">{sign}</mo>'
OPENING = re.compile(r'<mo class="mathopen">([|‖])</mo>')
CLOSING = re.compile(r"<mo>([|‖])</mo>")
BRACES = re.compile(r"<mo>([{}])</mo>")
APPLIED = re.compile(r"<mo>(&ApplyFunction;|\u2061)</mo>(?=\s*<m(i|n|sub|sup|msubsup|frac)\b)")
EXTREMA = re.compile(r"<mo( movablelimits=\"true\")?>(max|min)</mo>")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer under the name that `html_math_renderer` gives."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_inline(translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(converted(node, as_block=False))
    raise nodes.SkipNode


def visit_block(translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    translator.body.append(f'<div class="formula">{converted(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def converted(node: nodes.Node, *, as_block: bool) -> str:
    """The MathML of a formula; a formula that cannot be converted is a warning, and so ends the build."""
    tex = node.astext()
    if as_block and (r"\\" in tex or "&" in tex) and r"\begin" not in tex:
        tex = rf"\begin{{aligned}}{tex}\end{{aligned}}"
    try:
        return spaced(tex2mathml(tex, as_block=as_block), as_block=as_block)
    except (MathError, SyntaxError, IndexError) as error:
        logger.warning("cannot convert %r to MathML: %s", tex, error, location=node)
        return f"<code>{html.escape(tex)}</code>"


def spaced(mathml: str, *, as_block: bool) -> str:
    """Bars, braces, slashes, primes and names of functions, of the size and with the space that LaTeX gives them."""
    mathml = OPENING.sub(lambda found: FENCE.format(form="prefix", sign=found[1]), mathml)
    mathml = CLOSING.sub(lambda found: FENCE.format(form="postfix", sign=found[1]), mathml)
    if not as_block:
        mathml = BRACES.sub(r'<mo stretchy="false">\1</mo>', mathml)
    mathml = mathml.replace('<mo stretchy="false">/</mo>', '<mo lspace="0" rspace="0">/</mo>')
    mathml = mathml.replace("<mo>'</mo>", '<mo lspace="0" rspace="0">&prime;</mo>')
    mathml = APPLIED.sub(r'<mo rspace="0.17em">\1</mo>', mathml)
    return EXTREMA.sub(r'<mo\1 lspace="0" rspace="0.17em">\2</mo>', mathml)
