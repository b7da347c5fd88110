"""Writing a page into a folder: whole or not at all, and nothing of anybody else's is touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.programs import contents

from tictactoe.browser.page_folder import MARKER_FILE, write_page_folder
from tictactoe.errors import StoreError
from tictactoe.storage.directory_layout import LOCK_FILE
from tictactoe.storage.lock import DirectoryLock

OLD = {"page-1/main.js": b"1", "data/a/x.data": b"x", "data/b/y.data": b"y", "index.html": b"old"}
NEW = {"page-2/main.js": b"2", "data/a/x.data": b"x2", "index.html": b"new"}


def files_in(folder: Path) -> dict[str, bytes]:
    return {name: content for name, content in contents(folder).items() if content is not None and name != MARKER_FILE}


def test_new_and_empty_folders(tmp_path: Path) -> None:
    write_page_folder(tmp_path / "a" / "page", OLD)
    assert files_in(tmp_path / "a" / "page") == OLD
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["page"]
    (tmp_path / "empty").mkdir()
    write_page_folder(tmp_path / "empty", OLD)
    assert files_in(tmp_path / "empty") == OLD


def test_an_earlier_page_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page"
    write_page_folder(page, OLD)
    (page / "CNAME").write_text("example.org")
    (page / "data" / "b" / "mine.txt").write_text("mine")
    write_page_folder(page, NEW)
    assert files_in(page) == {**NEW, "CNAME": b"example.org", "data/b/mine.txt": b"mine"}
    assert not (page / "page-1").exists()
    assert json.loads((page / MARKER_FILE).read_text())["files"] == sorted(NEW)
    write_page_folder(page, NEW)
    assert files_in(page)["CNAME"] == b"example.org"


def test_what_a_killed_build_has_left(tmp_path: Path) -> None:
    for files in (OLD, NEW):
        for place in {path.parent for path in (tmp_path / MARKER_FILE, *tmp_path.rglob("*.*"))}:
            (place / ".smbc-tictactoe-1-0123456789abcdef.tmp").touch()
        (tmp_path / LOCK_FILE).touch()
        write_page_folder(tmp_path, files)
        assert not list(tmp_path.rglob(".*"))
    assert files_in(tmp_path) == NEW


@pytest.mark.parametrize("begun", [False, True])
def test_one_build_at_a_time(begun: bool, tmp_path: Path) -> None:
    if begun:
        (tmp_path / "data").mkdir()
    else:
        write_page_folder(tmp_path, OLD)
    lock = DirectoryLock()
    lock.acquire(tmp_path)
    with pytest.raises(StoreError, match="another run is using it"):
        write_page_folder(tmp_path, NEW)
    lock.release()
    if not begun:
        write_page_folder(tmp_path, NEW)


def test_two_builds_into_a_new_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that another process has made meanwhile is an earlier page like any other."""
    page, rename = tmp_path / "page", os.rename

    def overtaken(source: str, target: str) -> None:
        monkeypatch.setattr(os, "rename", rename)
        write_page_folder(page, OLD)
        rename(source, target)

    monkeypatch.setattr(os, "rename", overtaken)
    write_page_folder(page, NEW)
    assert files_in(page) == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["page"]


def test_two_builds_into_a_folder_with_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another process writes just before this one has the lock is known to be of an earlier page, too."""
    write_page_folder(tmp_path, OLD)
    acquire = DirectoryLock.acquire

    def overtaken(lock: DirectoryLock, directory: Path) -> None:
        monkeypatch.setattr(DirectoryLock, "acquire", acquire)
        write_page_folder(tmp_path, {"page-3/main.js": b"3", **OLD})
        acquire(lock, directory)

    monkeypatch.setattr(DirectoryLock, "acquire", overtaken)
    write_page_folder(tmp_path, NEW)
    assert files_in(tmp_path) == NEW
    assert not (tmp_path / "page-3").exists()


def test_index_is_replaced_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at any file, the folder holds one page or the other, and the next try goes through."""
    page = tmp_path / "page"
    replace = os.replace
    for allowed in range(len(NEW) + 2):
        write_page_folder(page, OLD)
        calls = iter(range(allowed))

        def stopped(source: str, target: str, calls: object = calls) -> None:
            if next(calls, None) is None:  # type: ignore[call-overload]
                raise OSError(28, "No space left on device")
            replace(source, target)

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", stopped)
            with pytest.raises(OSError, match="No space"):
                write_page_folder(page, NEW)
        found = files_in(page)
        whole = NEW if found["index.html"] == b"new" else {"page-1/main.js": b"1", "index.html": b"old"}
        assert whole.items() <= found.items()
        assert not list(page.rglob(".*"))
        write_page_folder(page, NEW)
        assert files_in(page) == NEW


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space") as caught:
        write_page_folder(tmp_path / "page", OLD)
    assert caught.value.filename == str(tmp_path / "page")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["notes.txt", "index.html"])
def test_a_folder_of_somebody_else(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(StoreError, match=f"holds files that build-page has not written, such as {name}"):
        write_page_folder(tmp_path, OLD)
    assert contents(tmp_path) == before


def test_a_strangers_file_in_the_way(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name, put in {
        "page-2/main.js": lambda path: path.write_text("mine"),
        "index.html": lambda path: (path.unlink(), path.symlink_to(elsewhere / "index.html")),
        "page-2": lambda path: path.symlink_to(elsewhere, target_is_directory=True),
        "data/a": lambda path: (path.rename(elsewhere / "a"), path.symlink_to(elsewhere / "a")),
    }.items():
        page = tmp_path / name.replace("/", "_")
        write_page_folder(page, OLD)
        (page / name).parent.mkdir(exist_ok=True)
        put(page / name)
        before = contents(tmp_path)
        with pytest.raises(StoreError, match=name):
            write_page_folder(page, NEW)
        assert contents(tmp_path) == before


OUTSIDE = ("../mine", "/etc/passwd", "a/../../mine", "a//b", "", ".", "a\\b", "c:/x", 5)
MARKERS = ["", "{}", "[]", '{"kind": "another", "files": []}', "[" * 50_000 + "]" * 50_000]
MARKERS += [json.dumps({"kind": "a page of smbc-tictactoe", "files": [name]}) for name in OUTSIDE]


def test_markers_that_are_refused(tmp_path: Path) -> None:
    """None can name a file outside the folder."""
    (tmp_path / "mine").write_text("mine")
    page = tmp_path / "page"
    page.mkdir()
    for marker in MARKERS:
        (page / MARKER_FILE).write_text(marker)
        before = contents(tmp_path)
        with pytest.raises(StoreError, match="not the list of an earlier page"):
            write_page_folder(page, OLD)
        assert contents(tmp_path) == before
