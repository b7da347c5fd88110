"""The writing of a built page into a folder, or as one HTML file that opens without a server."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import html
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from .. import __version__
from ..errors import StoreError
from ..storage.atomic_files import (
    MAXIMUM_SIZE,
    Replacements,
    is_temporary,
    move,
    read_bytes,
    remove_temporary_files,
    replacing,
    sync_file,
)
from ..storage.directory_layout import LOCK_FILE, SOFT_LOCK_FILE
from ..storage.locked_directory import locked
from ..storage.texts import json_text
from .modules import INDEX_FILE, LATER_MODULES, SCRIPT_FILE, STYLE_FILE, WORKER_MODULES, read_source
from .page_data import MANIFEST_FILE, PageData

MARKER_FILE = "build-page.json"
"""The list of the files that tictactoe page has written into the folder and may replace or remove."""
_KIND = "a page of smbc-tictactoe"


def write_page_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their paths below the folder and remove the other files of an earlier page.

    A new folder appears when it is complete. index.html must be the last file: in an existing folder, it refers to the
    earlier files until it is replaced.

    Raises StoreError if other files are in the way or another process writes into the folder, and OSError, which names
    the folder or a file in it.
    """
    if os.path.lexists(folder) or not _created(folder, files):
        _replace(folder, files)


def _created(folder: Path, files: Mapping[str, bytes]) -> bool:
    temporary = folder.with_name(f".smbc-tictactoe-{os.getpid()}-{os.urandom(8).hex()}.tmp")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        for name, content in {**files, MARKER_FILE: _marker(files)}.items():
            path = temporary / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "xb") as file:
                file.write(content)
                sync_file(file)
        try:
            move(temporary, folder)
        except OSError:
            if not os.path.lexists(folder):
                raise
            shutil.rmtree(temporary, ignore_errors=True)
            return False
        return True
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, OSError):  # hide the temporary name
            error.filename, error.filename2 = str(folder), None
        raise


def _replace(folder: Path, files: Mapping[str, bytes]) -> None:
    names = {*files, MARKER_FILE}
    if not (folder / LOCK_FILE).exists():  # no lock in a foreign folder
        _written_before(folder, names)
    with locked(folder):
        earlier = _written_before(folder, names)  # again, because another process may have written meanwhile
        _write(folder, files, earlier)
        if earlier - names:
            _remove(folder, earlier - names)
            with replacing(folder / MARKER_FILE) as file:
                file.write(_marker(files))


def _write(folder: Path, files: Mapping[str, bytes], earlier: set[str]) -> None:
    contents = {MARKER_FILE: _marker({*files, *earlier}), **files}
    for name in contents:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    for place in {(folder / name).parent for name in {*contents, *earlier}}:
        if place.is_dir():
            remove_temporary_files(place)
    with Replacements() as new:
        for name, content in contents.items():
            with new.file(folder / name) as file:
                file.write(content)


def _remove(folder: Path, names: Iterable[str]) -> None:
    for name in sorted(names):
        (folder / name).unlink(missing_ok=True)
        for parent in PurePosixPath(name).parents[:-1]:
            with contextlib.suppress(OSError):  # not empty
                (folder / parent).rmdir()


def _written_before(folder: Path, names: set[str]) -> set[str]:
    """The files of an earlier page. Raises StoreError if foreign files are in the way."""
    if not folder.is_dir():
        raise StoreError(f"{folder}: this is not a folder; choose another")
    earlier = _marked(folder)
    for name in sorted(names | earlier):
        for parent in reversed(PurePosixPath(name).parents[:-1]):
            place = folder / parent
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                raise StoreError(f"{place}: not a folder of an earlier page; move it away, or choose another output")
        path = folder / name
        if path.is_symlink() or (path.exists() and not (path.is_file() and name in earlier)):
            raise StoreError(f"{path}: tictactoe page has not written this; move it away, or choose another output")
    return earlier


def _marked(folder: Path) -> set[str]:
    marker = folder / MARKER_FILE
    if not os.path.lexists(marker):
        names = (path.name for path in folder.iterdir() if not is_temporary(path))
        others = sorted(name for name in names if name not in (LOCK_FILE, SOFT_LOCK_FILE))
        if others:
            what = f"holds files that tictactoe page has not written, such as {others[0]}; choose a new folder"
            raise StoreError(f"{folder}: {what}")
        return set()
    with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
        found = json.loads(read_bytes(marker, MAXIMUM_SIZE))
        names = found["files"]
        if found["kind"] == _KIND and isinstance(names, list) and all(map(_is_below, names)):
            return {*names, MARKER_FILE}
    raise StoreError(f"{marker}: not the list of an earlier page; choose a new folder")


def _is_below(name: object) -> bool:
    if not isinstance(name, str) or PurePosixPath(name).as_posix() != name or {"\\", "\0", ":"} & set(name):
        return False
    return not {"", ".", ".."} & set(name.split("/"))


def _marker(names: Iterable[str]) -> bytes:
    text = {"kind": _KIND, "program": f"smbc-tictactoe {__version__}", "files": sorted(set(names) - {MARKER_FILE})}
    return (json_text(text, indent=1) + "\n").encode()


_LINE = re.compile(r"^ *<(?:link|script|meta http-equiv)\b[^>]*>(?:</script>)?\n", re.MULTILINE)
_ICON = re.compile(r'<link rel="icon" href="([^"]*)"')
_OUTSIDE = re.compile(r'\b(?:src|href)="(?!#|data:)[^"]*"')


def single_file(data: PageData, report: Callable[[int, int], object] = lambda done, total: None) -> bytes:
    """The page as one HTML file. report: called with the number of data files made so far and their total number."""
    source = read_source(INDEX_FILE).decode()
    styles = read_source(STYLE_FILE).decode()
    script = "".join(read_source(name).decode() for name in (SCRIPT_FILE, *LATER_MODULES))
    (icon,) = _ICON.findall(source)
    picture = f"data:image/svg+xml;base64,{_base64(read_source(icon))}"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(styles)}'; img-src data:; "
        "connect-src 'none'; worker-src blob:; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'    <meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'    <link rel="icon" href="{picture}">\n'
        f"    <style>{styles}</style>\n"
    )
    body = ""
    workers = {name: read_source(name) for name in WORKER_MODULES}
    embedded = {MANIFEST_FILE: data.file(MANIFEST_FILE), **data.other_files(report), **workers}  # for files.js
    for name, content in embedded.items():
        name = html.escape(name, quote=True)
        body += f'<script type="text/plain" data-file="{name}">{_base64(content)}</script>\n'
    body += f"<script>{script}</script>\n"
    page = _LINE.sub("", source).replace(f'src="{icon}"', f'src="{picture}"')
    if outside := _OUTSIDE.search(page):
        raise ValueError(f"{INDEX_FILE}: {outside[0]} would be missing in a page that is one file")
    charset, end = '<meta charset="utf-8">\n', "  </body>\n"
    assert page.count(charset) == page.count(end) == 1
    return page.replace(charset, charset + head).replace(end, body + end).encode()


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _hash(text: str) -> str:
    return f"sha256-{_base64(hashlib.sha256(text.encode()).digest())}"


PREVIEW_FILE = "preview.png"
"""The picture's name here and beside index.html. Its source is docs/pictures/preview.svg."""
_SIZE = (1200, 630)  # pixels, as the protocol's sites recommend
_TITLE = re.compile(r"<title>([^<]*)</title>")
_DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)">')


def page_address(text: str) -> str:
    """The address of a page's folder, with a trailing slash. Raises ValueError for any other text.

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


def stun_host(text: str) -> str:
    """A STUN host, optionally with a port. Raises ValueError for any other text.

    >>> stun_host("stun.example.org:3478")
    'stun.example.org:3478'
    """
    found = re.fullmatch(r"(?=.{1,253}(?::|$))[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::([0-9]{1,5}))?", text)
    if found is None or not 0 < int(found[1] or 1) < 65536:
        raise ValueError(f"{text!r}: not a host, such as stun.example.org or stun.example.org:3478")
    return text


def with_preview(page: str, address: str) -> str:
    """index.html with Open Graph elements (ogp.me), from which messengers show a title, a sentence and a picture."""
    (title,), (description,) = _TITLE.findall(page), _DESCRIPTION.findall(page)
    address = html.escape(address, quote=True)
    properties = {
        "og:type": "website",
        "og:title": title,
        "og:description": description,
        "og:url": address,
        "og:image": f"{address}{PREVIEW_FILE}",
        "og:image:width": _SIZE[0],
        "og:image:height": _SIZE[1],
    }
    lines = [f'<meta property="{name}" content="{content}">' for name, content in properties.items()]
    lines += ['<meta name="twitter:card" content="summary_large_image">', f'<link rel="canonical" href="{address}">']
    ends = "</title>"
    return page.replace(ends, "\n    ".join([ends, *lines]))


_NOT_FOUND_STYLE = (
    ":root{color-scheme:light dark;font:1.1rem/1.5 system-ui,sans-serif}"
    "body{max-width:32rem;margin:12vh auto;padding:0 1rem;text-align:center}"
    "svg{width:9rem;fill:none;stroke:currentcolor;stroke-width:3;stroke-linecap:round}"
)
_NOT_FOUND = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '{hash}'">
    <meta name="robots" content="noindex">
    <title>No such page: Tic-Tac-Tell</title>
    <style>{style}</style>
  </head>
  <body>
    <svg viewBox="0 0 96 96" aria-hidden="true"><path d="M33 3V93M63 3V93M3 33H93M3 63H93"/></svg>
    <h1>There is nothing on this square</h1>
    <p>The address has a mistake, or what was here has moved.</p>
    <p><a href="{address}">Play Tic-Tac-Tell</a>, tic-tac-toe in which both players have a secret goal.</p>
  </body>
</html>
"""


def not_found_page(address: str) -> bytes:
    """The page for unknown addresses, with a link to the game. It needs no other file."""
    address = html.escape(address, quote=True)
    return _NOT_FOUND.format(hash=_hash(_NOT_FOUND_STYLE), style=_NOT_FOUND_STYLE, address=address).encode()
