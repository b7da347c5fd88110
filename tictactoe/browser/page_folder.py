"""Writing a built page into a folder: a new one appears whole, an earlier one is replaced, nothing else is touched."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from .. import __version__
from ..errors import StoreError
from ..storage.directory_layout import LOCK_FILE, SOFT_LOCK_FILE
from ..storage.json_text import json_text
from ..storage.lock import DirectoryLock
from ..storage.safe_files import (
    MAXIMUM_SIZE,
    Replacements,
    is_temporary,
    read_bytes,
    remove_temporary_files,
    replacing,
    sync_file,
)

MARKER = "build-page.json"
"""Names what was written into the folder, and so may be replaced or removed."""
_KIND = "a page of smbc-tictactoe"


def write_page_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their paths below the folder, in their order; what an earlier page had beyond them is removed.

    A folder that does not exist appears complete or not at all. In one that holds an earlier page nothing is replaced
    before all files are on the disk, and the last file is replaced last: index.html, which until then leads to the
    earlier files. Raises StoreError for a folder with files of somebody else that are, or would have to be, in the way,
    and while another process writes into it; OSError, with the name of the folder or of a file in it, when something
    cannot be written.
    """
    if os.path.lexists(folder) or not _created(folder, files):
        _replace(folder, files)


def _created(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Make the folder, whole; False where another process has made it meanwhile."""
    temporary = folder.with_name(f".smbc-tictactoe-{os.getpid()}-{os.urandom(8).hex()}.tmp")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        for name, content in {**files, MARKER: _marker(files)}.items():
            path = temporary / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "xb") as file:
                file.write(content)
                sync_file(file)
        try:
            os.rename(temporary, folder)
        except OSError:
            if not os.path.lexists(folder):
                raise
            shutil.rmtree(temporary, ignore_errors=True)
            return False
        return True
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, OSError):  # the temporary name tells nobody anything
            error.filename, error.filename2 = str(folder), None
        raise


def _replace(folder: Path, files: Mapping[str, bytes]) -> None:
    names = {*files, MARKER}
    if not (folder / LOCK_FILE).exists():  # a folder of somebody else gets no lock either
        _written_before(folder, names)
    lock = DirectoryLock()
    lock.acquire(folder)
    try:
        earlier = _written_before(folder, names)  # another process may have written until now
        _write(folder, files, earlier)
        if earlier - names:
            _remove(folder, earlier - names)
            with replacing(folder / MARKER) as file:
                file.write(_marker(files))
    finally:
        lock.release()


def _write(folder: Path, files: Mapping[str, bytes], earlier: set[str]) -> None:
    """All files, and a marker that names those of an earlier page, too, as long as they are there."""
    contents = {MARKER: _marker({*files, *earlier}), **files}
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
            with contextlib.suppress(OSError):  # not empty: something else is in it
                (folder / parent).rmdir()


def _written_before(folder: Path, names: set[str]) -> set[str]:
    """What an earlier page has written. Raises StoreError where that, or the names to write now, are in the way of
    what build-page has not written."""
    if not folder.is_dir():
        raise StoreError(f"{folder}: not a folder; choose another one")
    earlier = _marked(folder)
    for name in sorted(names | earlier):
        for parent in reversed(PurePosixPath(name).parents[:-1]):
            place = folder / parent
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                raise StoreError(f"{place}: not a folder of an earlier page; move it away, or choose another output")
        path = folder / name
        if path.is_symlink() or (path.exists() and not (path.is_file() and name in earlier)):
            raise StoreError(f"{path}: build-page has not written this; move it away, or choose another output")
    return earlier


def _marked(folder: Path) -> set[str]:
    """What the marker of an earlier page names; nothing for an empty folder. Raises StoreError for any other folder."""
    marker = folder / MARKER
    if not os.path.lexists(marker):
        names = (path.name for path in folder.iterdir() if not is_temporary(path))
        others = sorted(name for name in names if name not in (LOCK_FILE, SOFT_LOCK_FILE))
        if others:
            what = f"holds files that build-page has not written, such as {others[0]}; choose a new folder"
            raise StoreError(f"{folder}: {what}")
        return set()
    with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
        found = json.loads(read_bytes(marker, MAXIMUM_SIZE))
        names = found["files"]
        if found["kind"] == _KIND and isinstance(names, list) and all(map(_is_below, names)):
            return {*names, MARKER}
    raise StoreError(f"{marker}: not the list of an earlier page; choose a new folder")


def _is_below(name: object) -> bool:
    """Whether it is a path that stays in the folder."""
    return isinstance(name, str) and PurePosixPath(name).as_posix() == name and _has_plain_parts(name)


def _has_plain_parts(name: str) -> bool:
    return all(part not in ("", ".", "..") and not {"\\", "\0", ":"} & set(part) for part in name.split("/"))


def _marker(names: Iterable[str]) -> bytes:
    text = {"kind": _KIND, "program": f"smbc-tictactoe {__version__}", "files": sorted(set(names) - {MARKER})}
    return (json_text(text, indent=1) + "\n").encode()
