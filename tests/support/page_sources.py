"""The sources of the page as tests read them: what a module imports and exports, without its comments."""

import posixpath
import re
from dataclasses import dataclass

from tictactoe.browser.modules import parse_module
from tictactoe.browser.sources import PAGE_SOURCES, source_names

ROOMS = ["games", "match", "play", "loading", "parts", "screens", "main.js"]
"""A module imports modules of its own room and of those that stand before it."""
NO_MODULES = {"service-worker.js"}
"""Scripts that the browser loads by themselves, not as modules."""

_TYPE_IMPORT = re.compile(r'\bimport\("(\.[^"]+)"\)\.(\w+)')
_COMMENT = re.compile(r"/\*.*?\*/|(?:^|(?<=\s))//[^\n]*", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Module:
    """A module by its path below the page's folder. code: without comments. imports: by the path of a module the names
    that are imported from it; types: the same for those that the comments name. exports: the names that others can
    import."""

    name: str
    text: str
    code: str
    imports: dict[str, set[str]]
    types: dict[str, set[str]]
    exports: set[str]

    @property
    def uses(self) -> set[str]:
        return {*self.imports, *self.types}

    @property
    def room(self) -> str:
        return self.name.split("/")[0]


def read_module(name: str, text: str) -> Module:
    """With the reader that the page is joined by, which raises ModuleError for other forms of import and export."""
    parsed = parse_module(name, text)
    imports: dict[str, set[str]] = {}
    for one in parsed.imports:
        imports.setdefault(one.module, set()).update(theirs for theirs, _ in one.names)
    types: dict[str, set[str]] = {}
    for path, type_name in _TYPE_IMPORT.findall(text):
        types.setdefault(posixpath.normpath(posixpath.join(posixpath.dirname(name), path)), set()).add(type_name)
    return Module(name, text, _COMMENT.sub("", text), imports, types, set(parsed.exports))


def read_modules() -> dict[str, Module]:
    names = [name for name in source_names() if name.endswith(".js") and name not in NO_MODULES]
    return {name: read_module(name, (PAGE_SOURCES / name).read_text("utf-8")) for name in names}
