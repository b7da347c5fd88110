"""The whole page as one HTML file that opens with a double click, without a server or a network."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Callable

from .page_data import PageData
from .sources import INDEX_FILE, SCRIPT_FILE, STYLE_FILE, read_source

_LINE = re.compile(r"^ *<(?:link|script|meta http-equiv)\b[^>]*>(?:</script>)?\n", re.MULTILINE)
_ICON = re.compile(r'<link rel="icon" href="([^"]*)"')
_OUTSIDE = re.compile(r'\b(?:src|href)="(?!#|data:)[^"]*"')


def single_file(data: PageData, report: Callable[[int, int], object] = lambda done, total: None) -> bytes:
    """The bytes of the file. report: called with the number of data files done, and of all data files."""
    source = read_source(INDEX_FILE).decode()
    styles, script = read_source(STYLE_FILE).decode(), read_source(SCRIPT_FILE).decode()
    icon = _ICON.search(source)
    assert icon is not None
    picture = f"data:image/svg+xml;base64,{_base64(read_source(icon[1]))}"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(styles)}'; img-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'    <meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'    <link rel="icon" href="{picture}">\n'
        f"    <style>{styles}</style>\n"
    )
    body = "".join(_data_elements(data, report)) + f"<script>{script}</script>\n"
    page = _LINE.sub("", source).replace(f'src="{icon[1]}"', f'src="{picture}"')
    if outside := _OUTSIDE.search(page):
        raise ValueError(f"{INDEX_FILE}: {outside[0]} would be missing in a page that is one file")
    charset, end = '<meta charset="utf-8">\n', "  </body>\n"
    assert page.count(charset) == page.count(end) == 1
    return page.replace(charset, charset + head).replace(end, body + end).encode()


def _data_elements(data: PageData, report: Callable[[int, int], object]) -> list[str]:
    """Every data file as text in an element, which loading/files.js reads."""
    elements = []
    for done, name in enumerate(data.names):
        report(done, len(data.names))
        content = _base64(data.file(name))
        elements.append(f'<script type="text/plain" data-file="{html.escape(name, quote=True)}">{content}</script>\n')
    report(len(data.names), len(data.names))
    return elements


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _hash(text: str) -> str:
    """The hash with which a Content-Security-Policy allows an element with that text."""
    return f"sha256-{_base64(hashlib.sha256(text.encode()).digest())}"
