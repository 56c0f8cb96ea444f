"""Formulas as MathML, which browsers show without a script: docutils converts the LaTeX of `$...$` and `$$...$$`."""

from __future__ import annotations

import html

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


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
        return tex2mathml(tex, as_block=as_block)
    except (MathError, SyntaxError, IndexError) as error:
        logger.warning("cannot convert %r to MathML: %s", tex, error, location=node)
        return f"<code>{html.escape(tex)}</code>"
