"""The sources of the page, which are part of the package: HTML, style sheets, modules, pictures."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from .modules import Module, modules_in_order

PAGE = Path(__file__).parent / "page"
INDEX = "index.html"
MAIN = "main.js"
WORKER = "service-worker.js"
"""Started by a page that keeps itself for use without a network; of no use elsewhere."""


@cache
def source_names() -> tuple[str, ...]:
    """Of every source, as a path below the page's folder, in order."""
    return tuple(sorted(path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.is_file()))


@cache
def read_source(name: str) -> bytes:
    """What a source holds; index.html with a link to every module, so that all are asked for at once and none waits
    until another has been read. Raises KeyError for a name that `source_names` does not list."""
    if name not in source_names():
        raise KeyError(name)
    content = (PAGE / name).read_bytes()
    return _with_modules(content.decode()).encode() if name == INDEX else content


@cache
def modules() -> tuple[Module, ...]:
    """All modules that the page uses, each behind those that it imports."""
    return tuple(modules_in_order(MAIN, lambda name: read_source(name).decode()))


@cache
def content_security_policy() -> str:
    """What the page itself says that it may load: the text of its meta element."""
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', read_source(INDEX).decode())
    assert found is not None
    return found[1]


def _with_modules(html: str) -> str:
    main = f'    <script type="module" src="{MAIN}"></script>\n'
    links = "".join(f'    <link rel="modulepreload" href="{module.name}">\n' for module in reversed(modules()))
    assert html.count(main) == 1
    return html.replace(main, f"{links}{main}")
