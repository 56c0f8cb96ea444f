"""Settings of the site: `make docs` builds it into docs/_build/html, without a network."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from aucmax import __version__

project = "aucmax"
author = "The aucmax developers"
copyright = "2026, the aucmax developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "gallery_switch",
    "mathml",
    "plain_docstrings",
    "generated_pages",
    "registry_tables",
]
exclude_patterns = ["_build", "gallery/*.md5", "gallery/*.json", "gallery/*.ipynb"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
highlight_language = "none"  # indented blocks of the pages are formulas
default_role = "py:obj"  # `name` in a docstring becomes a link where the name is known

myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autodoc_typehints = "none"  # docstrings name the types
autosummary_generate = False  # generated_pages writes the pages of all names
numpydoc_show_class_members = False

# examples whose package is not installed are shown, but not run
needed = {"dask": "distributed", "torch_aum": "torch", "changepoints": "ruptures"}
not_run = "|".join(["nothing", *(name for name, package in needed.items() if find_spec(package) is None)])

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": rf"plot_(?!({not_run})\.py)",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 1,
    "reference_url": {"aucmax": None},
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("aucmax",),
    "matplotlib_animations": False,
    "abort_on_example_error": True,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "aucmax"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/mark.svg"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"image_light": "_static/logo.svg", "image_dark": "_static/logo-dark.svg", "alt_text": "aucmax"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "install": [], "contributing": []}
