# Sphinx' settings for the site of docs/. `./dev docs` runs it over the pages that prepare.py gathers.
import os

project = "Sextant"
extensions = ["myst_parser", "breathe", "autoapi.extension", "sphinx_copybutton"]
root_doc = "index"
html_theme = "furo"
html_title = "Sextant"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
copybutton_selector = "div.highlight pre"
copybutton_prompt_text = "$ "
pygments_style, pygments_dark_style = "friendly", "github-dark"
highlight_language = "none"  # an indented block is a command and what it prints

myst_heading_anchors = 4  # the anchors of the web: links are checked against them
myst_enable_extensions = ["colon_fence"]

breathe_projects = {"api": os.environ["SEXTANT_DOXYGEN_XML"]}
breathe_default_project = "api"
primary_domain = None

autoapi_dirs = [os.environ["SEXTANT_PYTHON"]]
autoapi_file_patterns = ["*.pyi"]
autoapi_options = ["members", "undoc-members", "special-members"]
autoapi_add_toctree_entry = False
autoapi_root = "reference/python"
autoapi_keep_files = False

suppress_warnings = [
    "autoapi.python_import_resolution",
    "duplicate_declaration.c",  # the classes stand in two namespaces, which one header makes of one text
    "duplicate_declaration.cpp",
    "misc.highlighting_failure",  # snippets leave out what … stands for
    "myst.header",
    "toc.not_included",  # sources and READMEs are found by links and by search
]
