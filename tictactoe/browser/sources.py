"""The sources of the page, which are part of the package: HTML, style sheets, modules, pictures."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from .join_modules import joined_script
from .modules import Module, modules_in_order

PAGE = Path(__file__).parent / "page"
INDEX = "index.html"
MAIN = "main.js"
SCRIPT, STYLE = "page.js", "page.css"
"""All modules and all style sheets, joined: two files come much sooner than a hundred small ones."""
WORKER = "service-worker.js"
"""Started by a page that keeps itself for use without a network; of no use elsewhere."""


_STYLE_SHEET = re.compile(r'^ *<link rel="stylesheet" href="([^"]+)">\n', re.MULTILINE)


@cache
def source_names() -> tuple[str, ...]:
    """Of every source, as a path below the page's folder, in order."""
    return tuple(sorted(path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.is_file()))


@cache
def read_source(name: str) -> bytes:
    """What a source holds, index.html with links to SCRIPT and STYLE; or one of those two. KeyError for other names."""
    if name == SCRIPT:
        return joined_script(modules()).encode()
    if name == STYLE:
        return b"".join(map(read_source, _STYLE_SHEET.findall((PAGE / INDEX).read_text("utf-8"))))
    if name not in source_names():
        raise KeyError(name)
    content = (PAGE / name).read_bytes()
    return _with_joined(content.decode()).encode() if name == INDEX else content


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


def _with_joined(html: str) -> str:
    main = f'    <script type="module" src="{MAIN}"></script>\n'
    assert html.count(main) == 1
    joined = f'    <link rel="stylesheet" href="{STYLE}">\n    <script defer src="{SCRIPT}"></script>\n'
    return _STYLE_SHEET.sub("", html).replace(main, joined)
