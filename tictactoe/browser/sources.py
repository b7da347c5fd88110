"""The sources of the page, which are part of the package: HTML, style sheets, modules, pictures."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from .content_types import is_text
from .join_modules import joined_script
from .modules import Module, modules_in_order

PAGE_SOURCES = Path(__file__).parent / "page"
"""The folder of the sources."""
INDEX_FILE = "index.html"
MAIN_MODULE = "main.js"
"""The module with which the page starts."""
SCRIPT_FILE, STYLE_FILE = "page.js", "page.css"
"""All modules and all style sheets, joined: two files load much faster than a hundred small ones."""
WORKER_FILE = "service-worker.js"
"""The service worker, which lets a browser keep the page for use without a network."""


_STYLE_SHEET = re.compile(r'^ *<link rel="stylesheet" href="([^"]+)">\n', re.MULTILINE)


@cache
def source_names() -> tuple[str, ...]:
    """The names of all sources, as sorted paths below the page's folder."""
    return tuple(
        sorted(path.relative_to(PAGE_SOURCES).as_posix() for path in PAGE_SOURCES.rglob("*") if path.is_file())
    )


@cache
def read_source(name: str) -> bytes:
    """The content of a source, or of SCRIPT_FILE or STYLE_FILE, to which index.html has links.

    Raises KeyError for another name.
    """
    if name == SCRIPT_FILE:
        return joined_script(modules()).encode()
    if name == STYLE_FILE:
        return b"".join(map(read_source, _STYLE_SHEET.findall((PAGE_SOURCES / INDEX_FILE).read_text("utf-8"))))
    if name not in source_names():
        raise KeyError(name)
    content = (PAGE_SOURCES / name).read_bytes()
    if is_text(name):
        content = content.replace(b"\r\n", b"\n")  # Git for Windows may have put them there
    return _with_joined(content.decode()).encode() if name == INDEX_FILE else content


@cache
def modules() -> tuple[Module, ...]:
    """All modules of the page, each after the modules that it imports."""
    return tuple(modules_in_order(MAIN_MODULE, lambda name: read_source(name).decode()))


@cache
def content_security_policy() -> str:
    """The page's Content-Security-Policy, from its meta element."""
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', read_source(INDEX_FILE).decode())
    assert found is not None
    return found[1]


def _with_joined(html: str) -> str:
    main = f'    <script type="module" src="{MAIN_MODULE}"></script>\n'
    assert html.count(main) == 1
    joined = f'    <link rel="stylesheet" href="{STYLE_FILE}">\n    <script defer src="{SCRIPT_FILE}"></script>\n'
    return _STYLE_SHEET.sub("", html).replace(main, joined)
