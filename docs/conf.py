"""How Sphinx makes the site out of these pages, the notebooks and the docstrings: `make docs`."""

import sys
from pathlib import Path

from unoflip_env import __version__

sys.path.insert(0, str(Path(__file__).parent.parent))  # agents, eval and train are not installed

project = "UNO FLIP learning kit"
author = "The UNO FLIP learning kit authors"
release = __version__
language = "en_GB"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]

html_theme = "furo"
html_title = f"{project} {release}"
html_theme_options = {"light_css_variables": {"color-brand-primary": "#b3261e", "color-brand-content": "#b3261e"}}
html_show_sphinx = False

# The pages are those that a forge shows, too: headings can be linked to, and notebooks come with their outputs.
myst_heading_anchors = 4
nb_execution_mode = "off"

# Docstrings: `name` is code; only what has one is shown, in the order of the source.
default_role = "code"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
maximum_signature_line_length = 90
napoleon_google_docstring = True
napoleon_numpy_docstring = False
