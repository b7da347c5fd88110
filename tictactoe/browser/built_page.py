"""All files of a page for a web server that knows nothing of this program.

    index.html, service-worker.js, files.js, page.webmanifest, icons    under the same names in every build
    page-BUILD/     page.js, page.css and the manifest, in a folder of another name in every build
    data/           named after what is in it, see page_data.py

So whatever a browser, a server or something between them has kept of an earlier build, index.html never runs with
a script of another one.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..storage.json_text import json_text
from .content_types import is_text
from .page_data import MANIFEST, PageData
from .sources import INDEX, SCRIPT, STYLE, WORKER, read_source, source_names

WORKER_FILES = "files.js"
"""What the service worker keeps, made here: the build, SHA-256 of every file, and which it keeps at once."""


@dataclass(frozen=True)
class BuiltPage:
    """build: 12 hexadecimal digits that are others for other files. files: what they hold by their paths, index.html
    last. first: what the first play needs."""

    build: str
    files: Mapping[str, bytes]
    first: tuple[str, ...]

    @property
    def data_sizes(self) -> dict[str, int]:
        """Bytes of trees and strategies by the name of the rules; they travel as they are."""
        sizes: dict[str, int] = {}
        for name, content in self.files.items():
            if name.endswith(".data"):
                rules = name.split("/")[1].rpartition("-")[0]
                sizes[rules] = sizes.get(rules, 0) + len(content)
        return sizes

    def over_the_wire(self, names: Iterable[str]) -> int:
        """Bytes of these files as a server sends them that gzips text."""
        return sum(_sent(name, self.files[name]) for name in names)


def build_page(data: PageData, report: Callable[[int, int], object] = lambda done, total: None) -> BuiltPage:
    """The page for a server. report: called with how many data files are done, of how many."""
    names = [name for name in data.names if name != MANIFEST]
    made = {}
    for done, name in enumerate(names):
        report(done, len(names))
        made[name] = data.file(name)
    report(len(names), len(names))
    manifest = json_text(data.manifest(offline=True), compact=True).encode()
    sources = {name: read_source(name) for name in sorted(source_names())}
    build = _hash_of_all({**sources, **made, MANIFEST: manifest}).hex()[:12]

    index, worker = sources.pop(INDEX).decode(), sources.pop(WORKER)
    sources = {name: content for name, content in sources.items() if not name.endswith((".js", ".css"))}
    joined = {name: read_source(name) for name in (SCRIPT, STYLE)}
    moved = {name: f"page-{build}/{name}" for name in joined}
    files = made | {place: joined[name] for name, place in moved.items()} | sources
    moved[MANIFEST] = f"page-{build}/manifest.json"
    files[moved[MANIFEST]] = manifest
    html = _with_paths(index, moved).encode()
    first = (INDEX, *moved.values(), *sources, *data.first_play)
    listed = {name: base64.b64encode(hashlib.sha256(content).digest()).decode() for name, content in files.items()}
    listed[INDEX] = base64.b64encode(hashlib.sha256(html).digest()).decode()
    of_worker = json_text({"build": build, "first": first, "files": listed}, indent=1)
    files |= {WORKER: worker, WORKER_FILES: f"self.PAGE = {of_worker};\n".encode(), INDEX: html}
    return BuiltPage(build, files, first)


def _with_paths(html: str, moved: Mapping[str, str]) -> str:
    """The page with links to where its files are."""

    def link(found: re.Match[str]) -> str:
        return f'{found[1]}="{moved.get(found[2], found[2])}"'

    return re.sub(r'\b(href|src)="([^"]*)"', link, html)


def _sent(name: str, content: bytes) -> int:
    return len(gzip.compress(content, mtime=0)) if is_text(name) else len(content)


def _hash_of_all(files: Mapping[str, bytes]) -> bytes:
    whole = hashlib.sha256()
    for name, content in sorted(files.items()):
        whole.update(f"{len(name.encode())} {name} {len(content)} ".encode() + content)
    return whole.digest()
