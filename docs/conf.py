"""The site, by Sphinx: pip install -e '.[docs]', then python -m sphinx -W -b dirhtml docs site"""

from __future__ import annotations

import gc
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.inspect import TypeAliasForwardRef

from tictactoe import __version__

gc.disable()  # a build keeps its trees of nodes until it ends; to look through them takes a quarter of its time
project = "Tic-tac-toe with secret goals"
html_title = "Tic-tac-toe with secret goals"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["paper", "pictures"]
html_theme = "furo"
html_show_copyright = False
default_role = "code"
smartquotes = False
myst_heading_anchors = 4
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
ALIASES = ("FloatArray", "IntArray", "ByteArray", "Observations", "Masks", "MatchStrategy")
autodoc_type_aliases = {name: name for name in ALIASES}
TypeAliasForwardRef.__repr__ = lambda alias: alias.name  # type: ignore[method-assign]
autodoc_mock_imports = ["gymnasium", "open_spiel", "pettingzoo", "pyspiel"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
linkcheck_retries = 3
linkcheck_timeout = 60
linkcheck_rate_limit_timeout = 60.0

STUB = Path(__file__).parents[1] / "tictactoe" / "__init__.pyi"
HOMES = {
    f"tictactoe.{name}": f"tictactoe{module}"
    for module, name in re.findall(r"from (\S+) import (\w+)", STUB.read_text())
}


def without_links_to_the_code(_: Sphinx, name: str, source: list[str]) -> None:
    """Let links that lead out of docs/ to a page or a folder be plain text; files that they lead to go along."""

    def plain(link: re.Match[str]) -> str:
        path = Path(__file__).parent / link[2].partition("#")[0]
        return link[1] if path.is_dir() or path.suffix == ".md" else link[0]

    source[0] = re.sub(r"\[([^\]]*)\]\((\.\./[^)]*)\)", plain, source[0])


def with_entries(_: Sphinx, what: str, name: str, documented: object, options: object, lines: list[str]) -> None:
    """Let lines of a docstring such as `name: what it is`, one after another, be the entries of a list. A value of
    `tictactoe` has its docstring where it is set."""
    if what == "data" and name in HOMES:
        lines[:] = ModuleAnalyzer.for_module(HOMES[name]).find_attr_docs()[("", name.rpartition(".")[2])]
    in_entry = False
    for number, line in enumerate(lines):
        if line and not in_entry and number and lines[number - 1]:
            continue  # within a paragraph
        if entry := re.match(r"((?:[a-z]\w*, )*[a-z]\w*): ", line):
            names = entry[1].replace(", ", "/")  # of two words Sphinx would take the first for a type
            in_entry, lines[number] = True, f":param {names}: {line[entry.end() :]}"
        elif in_entry := in_entry and bool(line):
            lines[number] = f"    {line.lstrip()}"


def without_members(_: Sphinx, doctree: nodes.document) -> None:
    """Leave the methods and fields of a class out of the contents of its page, which every page's sidebar copies."""
    for content in doctree.findall(addnodes.desc_content):
        for member in content.findall(addnodes.desc):
            member["no-contents-entry"] = True


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", without_members, priority=400)
    app.connect("source-read", without_links_to_the_code)
    app.connect("autodoc-process-docstring", with_entries)
