"""Writing a page into a folder: the folder shows a whole page or none, and the files of others stay as they are."""

import json
import os
from pathlib import Path
from typing import Any

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


def test_new_empty_and_earlier_folders(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for page in (tmp_path / "empty", tmp_path / "a" / "page"):
        write_page_folder(page, OLD)
        assert files_in(page) == OLD
        assert os.listdir(page.parent) == [page.name] or page.name == "empty"
        (page / "CNAME").write_text("example.org")
        (page / "data" / "b" / "mine.txt").write_text("mine")
        for _ in range(2):
            write_page_folder(page, NEW)
            assert files_in(page) == {**NEW, "CNAME": b"example.org", "data/b/mine.txt": b"mine"}
            assert not (page / "page-1").exists()
            assert json.loads((page / MARKER_FILE).read_text())["files"] == sorted(NEW)


def test_what_a_killed_build_has_left(tmp_path: Path) -> None:
    for files in (OLD, NEW):
        for place in {path.parent for path in (tmp_path / MARKER_FILE, *tmp_path.rglob("*.*"))}:
            (place / ".smbc-tictactoe-1-0123456789abcdef.tmp").touch()
        (tmp_path / LOCK_FILE).touch()
        write_page_folder(tmp_path, files)
        assert not list(tmp_path.rglob(".*"))
    assert files_in(tmp_path) == NEW


def test_one_build_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "begun" / "data").mkdir(parents=True)
    write_page_folder(tmp_path / "old", OLD)
    for name in ("begun", "old"):
        lock = DirectoryLock()
        lock.acquire(tmp_path / name)
        with pytest.raises(StoreError, match="another run is using it"):
            write_page_folder(tmp_path / name, NEW)
        lock.release()
    write_page_folder(tmp_path / "old", NEW)


@pytest.mark.parametrize(("module", "function"), [(os, "replace"), (DirectoryLock, "acquire")], ids=["new", "old"])
def test_another_process_is_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, function: str) -> None:
    """Its page is an earlier one like any other: made meanwhile, or just before this process has the lock."""
    page, usual = tmp_path / "page", getattr(module, function)
    if module is DirectoryLock:
        write_page_folder(page, OLD)

    def overtaken(*given: Any) -> None:
        monkeypatch.setattr(module, function, usual)
        write_page_folder(page, {"page-3/main.js": b"3", **OLD})
        usual(*given)

    monkeypatch.setattr(module, function, overtaken)
    write_page_folder(page, NEW)
    assert files_in(page) == NEW
    assert not (page / "page-3").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["page"]


def test_index_is_replaced_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        files = files_in(page)
        whole = NEW if files["index.html"] == b"new" else {"page-1/main.js": b"1", "index.html": b"old"}
        assert whole.items() <= files.items()
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


def test_files_of_somebody_else(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    without = "holds files that build-page has not written, such as"
    for number, (earlier, name, put, message) in enumerate(
        (
            ({}, "notes.txt", lambda path: path.write_text("mine"), f"{without} notes.txt"),
            ({}, "index.html", lambda path: path.write_text("mine"), f"{without} index.html"),
            (OLD, "page-2/main.js", lambda path: path.write_text("mine"), "page-2/main.js"),
            (OLD, "index.html", lambda path: (path.unlink(), path.symlink_to(elsewhere / "index.html")), "index.html"),
            (OLD, "page-2", lambda path: path.symlink_to(elsewhere, target_is_directory=True), "page-2"),
            (OLD, "data/a", lambda path: (path.rename(elsewhere / "a"), path.symlink_to(elsewhere / "a")), "data/a"),
        )
    ):
        page = tmp_path / str(number)
        if earlier:
            write_page_folder(page, earlier)
        (page / name).parent.mkdir(parents=True, exist_ok=True)
        put(page / name)
        before = contents(tmp_path)
        with pytest.raises(StoreError, match=message):
            write_page_folder(page, NEW)
        assert contents(tmp_path) == before


OUTSIDE = ("../mine", "/etc/passwd", "a/../../mine", "a//b", "", ".", "a\\b", "c:/x", 5)
MARKERS = ["", "{}", "[]", '{"kind": "another", "files": []}', "[" * 50_000 + "]" * 50_000]
MARKERS += [json.dumps({"kind": "a page of smbc-tictactoe", "files": [name]}) for name in OUTSIDE]


def test_markers_that_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    page = tmp_path / "page"
    page.mkdir()
    for marker in MARKERS:
        (page / MARKER_FILE).write_text(marker)
        before = contents(tmp_path)
        with pytest.raises(StoreError, match="not the list of an earlier page"):
            write_page_folder(page, OLD)
        assert contents(tmp_path) == before
