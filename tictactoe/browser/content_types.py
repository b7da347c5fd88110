"""The content types of the page's files, by the ends of their names."""

from __future__ import annotations

from pathlib import PurePath

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".data": "application/octet-stream",
}
_PACKED = {".png", ".data"}


def content_type(name: str) -> str:
    """The value of a file's Content-Type header."""
    return _TYPES[PurePath(name).suffix]


def is_text(name: str) -> bool:
    """Whether gzip makes the file smaller: pictures and data are compressed already."""
    return PurePath(name).suffix not in _PACKED
