"""What a messenger shows where somebody writes the address of a built page: a title, a sentence and a picture."""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import urlsplit

PREVIEW_FILE = "preview.png"
"""The picture's name beside index.html."""
_SIZE = (1200, 630)  # pixels, as the protocol's sites recommend
_TITLE = re.compile(r"<title>([^<]*)</title>")
_DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)">')


def page_address(text: str) -> str:
    """The address of a page's folder, with a slash at its end. Raises ValueError for any other text.

    >>> page_address("https://example.org/game")
    'https://example.org/game/'
    """
    try:
        parts = urlsplit(text)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        parts, has_port = urlsplit(""), False
    known = parts.scheme in ("http", "https") and bool(parts.hostname) and has_port
    if not known or parts.query or parts.fragment or not text.isprintable() or " " in text:
        raise ValueError(f"{text!r}: not the address of a folder, such as https://example.org/game/")
    return text.removesuffix("/index.html").rstrip("/") + "/"


def preview_picture() -> bytes:
    """The picture, a PNG file; docs/pictures/preview.svg is its source."""
    return (Path(__file__).parent / PREVIEW_FILE).read_bytes()


def with_preview(page: str, address: str) -> str:
    """index.html with the elements of the Open Graph protocol (ogp.me) for a page at that address."""
    title, description = _TITLE.search(page), _DESCRIPTION.search(page)
    assert title is not None
    assert description is not None
    address = html.escape(address, quote=True)
    properties = {
        "og:type": "website",
        "og:title": title[1],
        "og:description": description[1],
        "og:url": address,
        "og:image": f"{address}{PREVIEW_FILE}",
        "og:image:width": _SIZE[0],
        "og:image:height": _SIZE[1],
    }
    lines = [f'<meta property="{name}" content="{content}">' for name, content in properties.items()]
    lines += ['<meta name="twitter:card" content="summary_large_image">', f'<link rel="canonical" href="{address}">']
    return page.replace(title[0], "\n    ".join([title[0], *lines]))
