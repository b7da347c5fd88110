"""The page built for a server: what is in the folder, that it works anywhere, and how much has to be loaded."""

import json
import re
from collections.abc import Collection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.browser import BrowserContext, Page, expect
from support.page_servers import static_server
from support.slowness import slow

from tictactoe import load_solution
from tictactoe.browser.built_page import BuiltPage, build_page
from tictactoe.browser.modules import read_source, source_names
from tictactoe.browser.page_data import SHIPPED_ON_PAGE, PageData
from tictactoe.browser.server import PageServer

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


def test_the_page_has_one_script_and_one_style_sheet() -> None:
    html, style = (read_source(name).decode() for name in ("index.html", "page.css"))
    assert re.findall(r'<script[^>]*src="([^"]+)"', html) == ["page.js"]
    assert re.findall(r'<link rel="stylesheet" href="([^"]+)">', html) == ["page.css"]
    for name in source_names():
        if name.endswith(".css"):
            assert style.count(read_source(name).decode()) == 1


def test_line_ends_of_windows_in_the_sources_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    names, read = (*source_names(), "page.js", "page.css"), Path.read_bytes
    expected = {name: read_source(name) for name in names}

    def of_windows(path: Path) -> bytes:
        return read(path) if path.suffix == ".png" else b"\r\n".join(read(path).splitlines()) + b"\r\n"

    monkeypatch.setattr(Path, "read_bytes", of_windows)
    for name in names:
        assert read_source.__wrapped__(name) == expected[name]


@pytest.mark.parametrize("path", ["some/page/", "some/page/index.html#learn"])
def test_it_works_below_any_folder(page: Page, built_folder: Path, path: str) -> None:
    asked: list[str] = []
    with static_server(built_folder) as server:
        root = f"http://127.0.0.1:{server.server_port}/"
        page.on("response", lambda response: asked.append(f"{response.status} {response.url}"))
        page.goto(root + path)
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
    expect(page.get_by_role("alert")).to_contain_text("has to come from a web server")
    expect(page.get_by_role("alert")).to_contain_text("play-browser")


def sent(server: PageServer, names: Collection[str]) -> int:
    """Bytes of these files on their way to a browser, with the data that `build-page` writes."""
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
    assert workers == 0  # the page of play-browser keeps nothing


@pytest.mark.parametrize("rules", ["three-in-a-row", *slow("filled")])
def test_what_all_scores_load(server: PageServer, rules: str) -> None:
    (solution,) = (one for one in server.data.manifest()["solutions"] if one["name"] == rules)
    scores = [score["file"] for score in solution["scores"]]
    assert len(scores) == 25
    assert sent(server, [solution["tree"]["file"]]) + 5 * sent(server, scores[::5]) <= ALL_SCORES
