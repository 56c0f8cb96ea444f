"""A site without its gallery (`make docs SPHINX="-D plot_gallery=0"`): pages may show figures that were not drawn."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.config import Config


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at the settings before any page is read."""
    app.connect("config-inited", allow_missing_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def allow_missing_figures(app: Sphinx, config: Config) -> None:
    """Without the gallery a figure that is missing is no warning."""
    if str(config.plot_gallery) in ("0", "False"):
        config.suppress_warnings = [*config.suppress_warnings, "image.not_readable"]
