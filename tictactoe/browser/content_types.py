"""What the page's files are, by their names."""

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
    """For the header of that name."""
    return _TYPES[PurePath(name).suffix]


def is_text(name: str) -> bool:
    """Whether gzip makes it smaller: pictures and data are packed already."""
    return PurePath(name).suffix not in _PACKED
