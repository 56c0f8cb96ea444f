"""A site without its gallery (`make docs SPHINX="-D plot_gallery=0"`) leaves out figures that were not drawn."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at the figures of every page before they are collected."""
    app.add_transform(LeaveOutMissingFigures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class LeaveOutMissingFigures(SphinxTransform):
    """Without the gallery a figure of it that does not exist is left out, with its link."""

    default_priority = 200

    def apply(self) -> None:
        """Remove such figures from the page."""
        if str(self.config.plot_gallery) not in ("0", "False"):
            return
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for image in list(self.document.findall(nodes.image)):
            if "gallery/images" in image["uri"] and not (folder / image["uri"]).exists():
                linked = isinstance(image.parent, nodes.reference)
                figure = image.parent if linked else image
                figure.parent.remove(figure)
