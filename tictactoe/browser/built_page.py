"""The files of a page for an ordinary web server.

    index.html, service-worker.js, files.js, page.webmanifest, icons    under the same names in every build
    page-BUILD/     page.js, other scripts, page.css and the manifest, in a folder with a new name in every build
    data/           files named after their content, see page_data.py
    404.html        shown by servers such as GitHub's at unknown addresses; only if the page's own address is known

index.html never runs with a script of another build.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..storage.texts import json_text
from .modules import (
    INDEX_FILE,
    LATER_MODULES,
    SCRIPT_FILE,
    STYLE_FILE,
    WORKER_FILE,
    WORKER_MODULES,
    is_text,
    read_source,
    source_names,
)
from .page_data import MANIFEST_FILE, PageData
from .page_folder import PREVIEW_FILE, not_found_page, with_preview

NOT_FOUND_FILE = "404.html"
WORKER_LIST_FILE = "files.js"
"""The service worker's list, made here: the build, the SHA-256 of every file, and the files to keep at once."""


_PREVIEW = Path(__file__).parent / PREVIEW_FILE


@dataclass(frozen=True)
class BuiltPage:
    """A page for a web server."""

    build: str
    """12 hexadecimal digits, computed from the content of all files."""
    files: Mapping[str, bytes]
    """The content of the files by path, index.html last."""
    first: tuple[str, ...]
    """The paths of the files that the first play needs."""

    @property
    def data_sizes(self) -> dict[str, int]:
        """The bytes of trees and strategies by the name of the rules."""
        sizes = Counter[str]()
        for name, content in self.files.items():
            if name.endswith(".data"):
                sizes[name.split("/")[1].rpartition("-")[0]] += len(content)
        return dict(sizes)

    def over_the_wire(self, names: Iterable[str]) -> int:
        """The bytes that a server sends for these files if it compresses text with gzip."""
        contents = ((name, self.files[name]) for name in names)
        return sum(len(gzip.compress(data, mtime=0) if is_text(name) else data) for name, data in contents)

    def as_dict(self) -> dict[str, Any]:
        """The build and its sizes, as JSON types."""
        return {
            "build": self.build,
            "files": len(self.files),
            "bytes": sum(map(len, self.files.values())),
            "bytes_over_the_wire": self.over_the_wire(self.files),
            "first_play_bytes": sum(len(self.files[name]) for name in self.first),
            "first_play_bytes_over_the_wire": self.over_the_wire(self.first),
            "data_bytes_by_rules": self.data_sizes,
        }


def build_page(data: PageData, report: Callable[[int, int], object] = lambda done, total: None) -> BuiltPage:
    """Build the page. report: called with the number of data files made so far and their total number."""
    made = data.other_files(report)
    manifest = json_text(data.manifest(offline=True), compact=True).encode()
    sources = {name: read_source(name) for name in sorted(source_names())}
    whole = hashlib.sha256()
    for name, content in sorted({**sources, **made, MANIFEST_FILE: manifest}.items()):
        whole.update(f"{len(name.encode())} {name} {len(content)} ".encode() + content)
    build = whole.hexdigest()[:12]

    index, worker = sources.pop(INDEX_FILE).decode(), sources.pop(WORKER_FILE)
    if data.address is not None:
        index = with_preview(index, data.address)
    sources = {name: content for name, content in sources.items() if not name.endswith((".js", ".css"))}
    joined = {name: read_source(name) for name in (SCRIPT_FILE, STYLE_FILE)}
    moved = {name: f"page-{build}/{name}" for name in joined}
    files = made | {place: joined[name] for name, place in moved.items()} | sources
    files |= {f"page-{build}/{name}": read_source(name) for name in (*LATER_MODULES, *WORKER_MODULES)}
    moved[MANIFEST_FILE] = f"page-{build}/manifest.json"
    files[moved[MANIFEST_FILE]] = manifest
    html = _with_paths(index, moved).encode()
    first = (INDEX_FILE, *moved.values(), *sources, *data.first_play)
    listed = {name: _sha256(content) for name, content in {**files, INDEX_FILE: html}.items()}
    unlisted = {}  # not for browsers that show the page
    if data.address is not None:
        unlisted = {PREVIEW_FILE: _PREVIEW.read_bytes(), NOT_FOUND_FILE: not_found_page(data.address)}
    of_worker = json_text({"build": build, "first": first, "files": listed}, indent=1)
    files |= unlisted
    files |= {WORKER_FILE: worker, WORKER_LIST_FILE: f"self.PAGE = {of_worker};\n".encode(), INDEX_FILE: html}
    return BuiltPage(build, files, first)


def _with_paths(html: str, moved: Mapping[str, str]) -> str:
    def link(found: re.Match[str]) -> str:
        return f'{found[1]}="{moved.get(found[2], found[2])}"'

    return re.sub(r'\b(href|src)="([^"]*)"', link, html)


def _sha256(content: bytes) -> str:
    return base64.b64encode(hashlib.sha256(content).digest()).decode()
