"""The page without a network: after a visit, when another build takes its place, and as one file on the disk."""

import base64
import json
import os
import re
import shutil
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support.browser import BrowserContext, Page, expect, noisy
from support.page_servers import static_server
from support.slowness import slow
from support.waiting import wait_until

from tictactoe.browser.built_page import build_page
from tictactoe.browser.modules import read_source
from tictactoe.browser.page_data import PageData
from tictactoe.browser.page_folder import single_file, write_page_folder

SCREENS = {"play": "Play", "review": "Review", "learn": "Learn", "1-0/wl/51": "Explore", "0-1": "Explore"}
SIZE = "async (name) => (await (await fetch(name)).arrayBuffer()).byteLength"
STATES = """async () => {
  const registration = await navigator.serviceWorker.ready;
  return [registration.installing, registration.waiting, registration.active].map((worker) => worker?.state ?? null);
}"""
KEPT = """async () => {
  const names = await caches.keys();
  const caught = await Promise.all(names.map((name) => caches.open(name)));
  const kept = await Promise.all(caught.map((cache) => cache.keys()));
  return Object.fromEntries(names.map((name, index) => [name, kept[index].map((one) => one.url).sort()]));
}"""


@pytest.fixture
def folder(built_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built_folder / "some" / "page", tmp_path / "page"))


@pytest.fixture
def host(folder: Path, context: BrowserContext) -> Iterator[ThreadingHTTPServer]:
    """And a browser that is never busy: it may wait ten seconds before it keeps everything, or finds the page gone."""
    context.add_init_script("window.requestIdleCallback = (act) => setTimeout(act)")
    with static_server(folder.parent) as running:
        yield running


def visit(page: Page, host: ThreadingHTTPServer, address: str = "") -> None:
    page.goto(f"http://127.0.0.1:{host.server_port}/page/{address}")
    expect(page.locator("nav [aria-current=page]")).to_have_count(1)
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")


def files_of(folder: Path) -> dict[str, str]:
    text = (folder / "files.js").read_text()
    files: dict[str, str] = json.loads(text.removeprefix("self.PAGE = ").rstrip(";\n"))["files"]
    return files


def all_is_kept(page: Page, folder: Path) -> bool:
    return [len(urls) for urls in page.evaluate(KEPT).values()] == [len(files_of(folder))]


def wait_until_all_is_kept(page: Page, folder: Path) -> None:
    wait_until(lambda: all_is_kept(page, folder))


def test_without_a_network(context: BrowserContext, page: Page, folder: Path, host: ThreadingHTTPServer) -> None:
    visit(page, host)
    wait_until_all_is_kept(page, folder)
    page.reload()
    for text in ("one", "two"):  # a file beside the page is left alone
        (folder / "other.txt").write_text(text)
        assert page.evaluate("fetch('other.txt', { cache: 'no-store' }).then((answer) => answer.text())") == text
    host.shutdown()
    host.server_close()
    context.set_offline(True)
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{host.server_port}/page/")
    for address, title in SCREENS.items():
        page.evaluate("address => { location.hash = address; }", address)
        expect(page.locator("nav [aria-current=page]")).to_have_text(title)
        expect(page.locator("[role=alert]:not(:empty)")).to_have_count(0)
    for name in files_of(folder):
        assert page.evaluate(SIZE, name) == (folder / name).stat().st_size


def test_what_the_first_play_needs_is_kept_at_once(page: Page, folder: Path, host: ThreadingHTTPServer) -> None:
    page.add_init_script("window.requestIdleCallback = () => 0")
    visit(page, host)
    first = json.loads((folder / "files.js").read_text().removeprefix("self.PAGE = ").rstrip(";\n"))["first"]
    assert [len(urls) for urls in page.evaluate(KEPT).values()] == [len(first)]
    later = next(name for name in files_of(folder) if name not in first)
    assert page.evaluate(SIZE, later) == (folder / later).stat().st_size
    assert [len(urls) for urls in page.evaluate(KEPT).values()] == [len(first) + 1]


def rebuild(folder: Path, data: PageData, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(name: str) -> bytes:
        return read_source(name).replace(b"<title>Tic-Tac-Tell", b"<title>Newer Tic-Tac-Tell")

    with monkeypatch.context() as patch:
        patch.setattr("tictactoe.browser.built_page.read_source", changed)
        write_page_folder(folder, build_page(data).files)
    for path in folder.rglob("*.*"):  # what this server goes by, in whole seconds
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime + 60))


def test_another_build(
    context: BrowserContext,
    page: Page,
    folder: Path,
    host: ThreadingHTTPServer,
    small_page: PageData,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An open window goes on with the old build; the next visit has the new one, and the old one is gone."""
    visit(page, host)
    wait_until_all_is_kept(page, folder)
    old = files_of(folder)
    rebuild(folder, small_page, monkeypatch)
    new = files_of(folder)
    page.evaluate("navigator.serviceWorker.ready.then((worker) => worker.update()).then(() => null)")
    wait_until(lambda: len(page.evaluate(KEPT)) == 2 and page.evaluate(STATES) == [None, None, "activated"])
    assert "Newer" not in page.title()
    for name in old.keys() - new.keys():  # which the server does not have any more
        assert page.evaluate(SIZE, name) > 0
    second = context.new_page()
    told = noisy(second)
    visit(second, host)
    assert "Newer" in second.title()
    page.close()

    def visit_again() -> bool:  # a window that is about to close may count, and then only a later visit cleans up
        second.reload()
        second.wait_for_timeout(500)
        return all_is_kept(second, folder)

    wait_until(visit_again)
    context.set_offline(True)
    second.reload()
    expect(second.locator("nav [aria-current=page]")).to_have_count(1)
    assert "Newer" in second.title()
    assert told == []


def test_a_build_that_is_not_whole_is_not_taken(
    page: Page, folder: Path, host: ThreadingHTTPServer, small_page: PageData, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half copied to the server, or changed on the way: visitors of the earlier build go on with it."""
    visit(page, host)
    wait_until_all_is_kept(page, folder)
    before = page.evaluate(KEPT)
    rebuild(folder, small_page, monkeypatch)
    next(folder.glob("page-*/page.js")).write_text("// something else\\n")
    failed = page.evaluate(
        """navigator.serviceWorker.ready.then(async (registration) => {
          await registration.update().catch(() => null);
          const worker = registration.installing;
          if (worker === null) return "none";
          return new Promise((resolve) => worker.addEventListener("statechange", () => resolve(worker.state)));
        })"""
    )
    assert failed in ("redundant", "none")
    assert {name: urls for name, urls in page.evaluate(KEPT).items() if name in before} == before
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{host.server_port}/page/")
    assert "Newer" not in page.title()


class Moved(BaseHTTPRequestHandler):
    """All is at another address now."""

    def do_GET(self) -> None:
        is_old = self.headers["Host"].startswith("127.0.0.1")
        self.send_response(301 if is_old else 200)
        if is_old:
            self.send_header("Location", f"http://localhost:{self.headers['Host'].split(':')[1]}/")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Another page</title><link rel=icon href=data:,>")

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.mark.parametrize("then", ["another page", *slow("nothing", "a server that answers all with one page", "moved")])
def test_a_page_that_is_gone_retires(
    context: BrowserContext, folder: Path, host: ThreadingHTTPServer, then: str
) -> None:
    """Chromium itself writes of what is not found to the console, so that this is not for the page fixture."""
    page = context.new_page()
    visit(page, host)
    wait_until_all_is_kept(page, folder)
    shutil.rmtree(folder)
    other = "<!doctype html><title>Another page</title><link rel=icon href=data:,>"
    if then == "moved":
        host.RequestHandlerClass = Moved
    elif then != "nothing":
        folder.mkdir()
        (folder / "index.html").write_text(other)
    if then.startswith("a server"):
        (folder / "files.js").write_text(other)
    address = f"http://127.0.0.1:{host.server_port}/page/"
    page.goto("about:blank")
    page.goto(address)  # shows for the last time what was kept
    wait_until(lambda: page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0)
    wait_until(lambda: page.evaluate(KEPT) == {})
    page.goto("about:blank")
    page.goto(address)
    assert page.title() == ("Error response" if then == "nothing" else "Another page")


REJECTING = "ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException('no', 'SecurityError'))"


@pytest.mark.parametrize(
    "script", [REJECTING, *slow("delete Navigator.prototype.serviceWorker")], ids=["refused", "none"]
)
def test_where_nothing_is_kept_it_works_with_a_network(page: Page, host: ThreadingHTTPServer, script: str) -> None:
    page.add_init_script(script)
    page.goto(f"http://127.0.0.1:{host.server_port}/page/")
    expect(page.locator("nav [aria-current=page]")).to_have_count(1)
    expect(page.locator("[role=alert]:not(:empty)")).to_have_count(0)


@pytest.fixture(scope="module")
def file(small_page: PageData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("single") / "a page.html"
    path.write_bytes(single_file(small_page))
    return path


def test_nothing_is_outside(file: Path) -> None:
    text = file.read_text()
    without_scripts = re.sub(r"<script>.*</script>", "", text, flags=re.DOTALL)
    for link in re.findall(r'<[^>]*\b(?:src|href)="([^"]*)"', without_scripts):
        assert link.startswith(("#", "data:"))
    policy = text.partition('Content-Security-Policy" content="')[2].partition('"')[0]
    hashed = r"default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; img-src data:; connect-src 'none'; "
    assert re.fullmatch(f"{hashed}worker-src blob:; base-uri 'none'; form-action 'none'", policy)


def test_it_opens(page: Page, file: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition("#")[0]))
    for address, title in (("", "Play"), ("#learn", "Learn"), ("#review", "Review"), ("#1-0/wl/51", "Explore")):
        page.goto(file.as_uri() + address)
        expect(page.locator("nav [aria-current=page]")).to_have_text(title)
        expect(page.locator("[role=alert]:not(:empty)")).to_have_count(0)
    for name in ("to the riddle", "with the answer"):  # nobody else can open it
        expect(page.get_by_role("button", name=f"Copy link {name}", include_hidden=True)).to_be_hidden()
    page.add_init_script("navigator.clipboard.writeText = undefined;")
    page.reload()
    page.get_by_role("button", name="Share").click()
    command = 'explore --rules three-in-a-row --position "1-0 wl 51"'
    assert page.get_by_label("To copy").input_value().endswith(f"\n{command}")
    assert {url for url in asked if not url.startswith("data:")} == {file.as_uri()}
    assert page.evaluate("crypto.subtle.digest('SHA-256', new Uint8Array(1)).then((hash) => hash.byteLength)") == 32
    assert page.evaluate("(localStorage.setItem('a', '1'), localStorage.getItem('a'))") == "1"


def test_it_holds_the_same_data(small_page: PageData, file: Path) -> None:
    text = file.read_text()
    parts = dict(re.findall(r'<script type="text/plain" data-file="([^"]+)">([^<]*)</script>', text))
    assert base64.b64decode(parts.pop("page-adaptive-worker.js"), validate=True).startswith(b'"use strict";')
    assert {name: base64.b64decode(content, validate=True) for name, content in parts.items()} == {
        name: small_page.file(name) for name in small_page.names
    }


def test_damaged_data(page: Page, file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "page.html"
    damaged.write_text(re.sub(r'(data-file="data/manifest.json">)[^<]*', r"\1 oh!", file.read_text()))
    page.goto(damaged.as_uri())
    expect(page.locator("[role=alert]:not(:empty)")).to_contain_text("A part of this page is damaged.")
    expect(page.locator(".notice code")).to_have_text("data/manifest.json cannot be used: it is incomplete.")
