"""How Sphinx makes the book; `tools/book.py` gathers the pages and calls it."""

from __future__ import annotations

import logging
import os

import jieba

import npu_lab

jieba.setLogLevel(logging.WARNING)

LANGUAGE = os.environ["NPU_LAB_LANG"]
TITLES = {"en": "npu_lab: sinking the training loop", "zh": "npu_lab：训练迭代循环下沉"}

project = "npu_lab"
author = "npu_lab"
html_title = TITLES[LANGUAGE]
version = release = npu_lab.__version__
language = {"en": "en", "zh": "zh_CN"}[LANGUAGE]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
nitpicky = False
# Lessons are shown as they are stored, and tests keep what is stored right.
nb_execution_mode = "off"
nb_merge_streams = True
# Everything the pages need lies beside them: nothing is loaded from elsewhere.
nb_ipywidgets_js = {}
html_math_renderer = "none"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Lessons and tables speak of files of the project, which the book does not have.
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_preserve_defaults = True

html_theme = "furo"
html_static_path = [os.environ["NPU_LAB_BOOK_STATIC"]]
templates_path = [os.environ["NPU_LAB_BOOK_TEMPLATES"]]
html_css_files = ["book.css"]
html_js_files = ["book.js"]
html_show_sphinx = False
html_show_copyright = False
# Browsers let no page that is opened from the disk read another one.
html_show_search_summary = False
html_copy_source = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "language.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_context = {"other_language": {"en": "zh", "zh": "en"}[LANGUAGE]}


def no_math(*_: object) -> None:
    """There are no formulas that need a renderer."""
    raise NotImplementedError("The book's pages hold no mathematics.")


def setup(app: object) -> None:
    """Register what shows formulas: nothing, so that no page asks for MathJax."""
    app.add_html_math_renderer("none", (no_math, None), (no_math, None))
