"""The page that is built: files, folders, the data format as its document explains it, what has to be loaded."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.browser import BrowserContext, Page, expect
from support.page_servers import static_server
from support.programs import contents
from support.slowness import slow

from tictactoe import FormatError, Goal, Score, Solution, load_solution
from tictactoe.browser.built_page import BuiltPage, build_page
from tictactoe.browser.modules import read_source, source_names
from tictactoe.browser.page_data import SHIPPED_ON_PAGE, PageData
from tictactoe.browser.page_folder import MARKER_FILE, write_page_folder
from tictactoe.browser.server import PageServer
from tictactoe.errors import StoreError
from tictactoe.games.rules import goal_name
from tictactoe.storage.directory_layout import LOCK_FILE
from tictactoe.storage.locked_directory import DirectoryLock

FIRST_PLAY = 300_000
ALL_SCORES = 2_000_000
"""Bytes over the wire: until the first match begins, and of all scores by one kind of rules."""


@pytest.fixture(scope="module")
def built(small_page: PageData) -> BuiltPage:
    return build_page(small_page)


def test_every_link_leads_to_a_file_and_the_worker_knows_it(built: BuiltPage) -> None:
    links = set(re.findall(r'(?:src|href)="([^"#]+)"', built.files["index.html"].decode()))
    assert links
    assert links <= set(built.files)
    icons = json.loads(built.files["page.webmanifest"])["icons"]
    assert {icon["src"] for icon in icons} <= set(built.files)
    assert list(built.files)[-1] == "index.html"
    manifest = built.files[f"page-{built.build}/manifest.json"].decode()
    assert set(re.findall(r'"(data/[^"]+)"', manifest)) == {name for name in built.files if name.startswith("data/")}
    told = json.loads(built.files["files.js"].decode().removeprefix("self.PAGE = ").rstrip(";\n"))
    assert (told["build"], told["first"]) == (built.build, list(built.first))
    assert told["files"].keys() == built.files.keys() - {"service-worker.js", "files.js"}


def test_other_files_have_other_names(small_page: PageData, built: BuiltPage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build_page(small_page).files == built.files

    def changed(name: str) -> bytes:
        return read_source(name) + (b"\n" if name == "style/board.css" else b"")

    monkeypatch.setattr("tictactoe.browser.built_page.read_source", changed)
    other = build_page(small_page)
    assert other.build != built.build
    moving = [name for name in built.files if name.endswith((".css", "manifest.json")) or "/" in name]
    assert not {name for name in moving if not name.startswith("data/")} & set(other.files)


def test_line_ends_of_windows_in_the_sources_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    names, read = (*source_names(), "page.js", "page.css"), Path.read_bytes
    expected = {name: read_source(name) for name in names}

    def of_windows(path: Path) -> bytes:
        return read(path) if path.suffix == ".png" else b"\r\n".join(read(path).splitlines()) + b"\r\n"

    monkeypatch.setattr(Path, "read_bytes", of_windows)
    for name in names:
        assert read_source.__wrapped__(name) == expected[name]


def test_it_works_below_any_folder(page: Page, built_folder: Path) -> None:
    asked: list[str] = []
    with static_server(built_folder) as server:
        root = f"http://127.0.0.1:{server.server_port}/"
        page.on("response", lambda response: asked.append(f"{response.status} {response.url}"))
        page.goto(f"{root}some/page/")
        expect(page.locator("nav [aria-current=page]")).to_have_count(1)
        page.wait_for_load_state("networkidle")
        page.close()
    by_page = [line for line in asked if not line.endswith(("worker.js", "files.js"))]
    assert all(line.startswith(f"200 {root}some/page/") for line in by_page)
    assert len(by_page) == len(set(by_page))


def test_opened_from_a_folder_it_says_what_to_do(context: BrowserContext, built_folder: Path) -> None:
    """There browsers let a page read no other file."""
    page = context.new_page()
    page.goto((built_folder / "some" / "page" / "index.html").as_uri())
    expect(page.get_by_role("alert")).to_contain_text("must come from a web server")
    expect(page.get_by_role("alert")).to_contain_text("tictactoe page")


def sent(server: PageServer, names: Collection[str]) -> int:
    """Bytes of these files on their way to a browser, with the data that `tictactoe page` writes."""
    written = PageData([load_solution(name) for name in SHIPPED_ON_PAGE])
    answers = [server.answer(name) for name in names if not name.endswith(".data")]
    data = sum(len(written.file(name)) for name in names if name.endswith(".data"))
    return data + sum(len(answer.zipped or answer.content) for answer in answers)


def test_what_the_first_play_loads(page: Page, server: PageServer) -> None:
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(urlsplit(request.url).path.removeprefix("/") or "index.html"))
    page.goto(server.url)
    expect(page.locator("nav [aria-current=page]")).to_have_count(1)
    page.wait_for_load_state("networkidle")
    assert {"index.html", "page.js", "page.css", "data/manifest.json"} <= asked
    page.locator(".play-button").click()
    expect(page.locator(".table")).to_be_visible()
    assert {name for name in asked if name.endswith(".data")} == set(server.data.first_play)
    assert sent(server, asked) <= FIRST_PLAY
    workers = page.evaluate("navigator.serviceWorker.getRegistrations().then((workers) => workers.length)")
    assert workers == 0  # a page from the local server keeps no copy of itself


@pytest.mark.parametrize("rules", ["three-in-a-row", *slow("filled")])
def test_what_all_scores_load(server: PageServer, rules: str) -> None:
    (solution,) = (one for one in server.data.manifest()["solutions"] if one["name"] == rules)
    scores = [score["file"] for score in solution["scores"]]
    assert len(scores) == 25
    assert sent(server, [solution["tree"]["file"]]) + 25 / 3 * sent(server, scores[::12]) <= ALL_SCORES


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


def test_files_of_somebody_else(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    without = "holds files that tictactoe page has not written, such as"
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


DOCUMENT = (Path(__file__).parents[2] / "docs" / "page-data.md").read_text()
(READER,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)


def test_the_reader_of_the_document(built_folder: Path, small_solution: Solution) -> None:
    imported = {
        name.name for node in ast.walk(ast.parse(READER)) if isinstance(node, ast.Import) for name in node.names
    }
    assert imported <= sys.stdlib_module_names
    command, page = [sys.executable, "-I", "-S", "-c", READER], built_folder / "some" / "page"
    done = subprocess.run(command, cwd=page, capture_output=True, text=True, check=True, timeout=300)
    tree = small_solution.tree
    strategy = small_solution.snapshot(Score(0, 0)).average_strategy(tree)
    children = [tree.find((square,)) for square in (1, 2, 5)]
    expected = [
        f"X wants to {goal_name(goal)}: "
        + ", ".join(f"{tree.square[node]}: {strategy[node, goal]:.1%}" for node in children)
        for goal in Goal
    ]
    assert done.stdout.splitlines() == expected


def test_the_reader_finds_the_beliefs_of_a_refined_strategy(tmp_path: Path) -> None:
    solution, path, reader = load_solution("shipped"), tmp_path / "2-2.data", dict[str, Any]()
    data = PageData([solution])
    path.write_bytes(data.file(data.first_play[1]))
    exec(READER.partition("manifest = ")[0], reader)
    _, arrays = reader["read"](path)
    beliefs = solution.snapshot(Score(2, 2)).beliefs
    assert beliefs is not None
    assert set(arrays) == {"probability", "mistakes", "beliefs"}
    assert list(arrays["mistakes"]) == beliefs.any(axis=1).tolist()
    assert list(arrays["beliefs"]) == beliefs[beliefs.any(axis=1)].ravel().tolist()


def test_rules_that_are_unknown(small_solution: Solution) -> None:
    for rules in ("", "three-in-a-row 0:0:0"):
        with pytest.raises(FormatError, match=r"solution\.msgpack: made with rules that are unknown here, '.*'"):
            PageData([replace(small_solution, rules=rules)])


def keys_of(value: Any) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    below = (keys_of(inner) for name, inner in value.items() if name not in ("to_do", "plays"))
    return set(value).union(*below)


def test_every_key_of_the_manifest_is_explained(small_page: PageData) -> None:
    named = set(re.findall(r"`(?:\w+\.)?(\w+)`", DOCUMENT))
    assert keys_of(json.loads(json.dumps(small_page.manifest()))) - named == set()
