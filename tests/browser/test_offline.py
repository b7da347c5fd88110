"""The page without a network, once it has been visited; and what becomes of it when another build takes its place."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from support.browser import BrowserContext, Page, expect, noisy
from support.page_servers import static_server

from tictactoe.browser.built_page import build_page
from tictactoe.browser.page_data import PageData
from tictactoe.browser.page_folder import write_page_folder
from tictactoe.browser.sources import read_source

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
def host(folder: Path) -> Iterator[ThreadingHTTPServer]:
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


def wait_until(page: Page, is_so: Callable[[], bool]) -> None:
    """Asks twenty times a second, for two minutes: Playwright's own waiting takes any promise for the answer yes."""
    for _ in range(2400):
        if is_so():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it does not become so within two minutes")


def wait_until_all_is_kept(page: Page, folder: Path) -> None:
    wanted = len(files_of(folder))
    wait_until(page, lambda: [len(urls) for urls in page.evaluate(KEPT).values()] == [wanted])


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
    for address, title in SCREENS.items():
        page.goto("about:blank")
        page.goto(f"http://127.0.0.1:{host.server_port}/page/#{address}")
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
        return read_source(name).replace(b"<title>Tic-tac-toe", b"<title>Newer tic-tac-toe")

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
    wait_until(page, lambda: len(page.evaluate(KEPT)) == 2 and page.evaluate(STATES) == [None, None, "activated"])
    assert "Newer" not in page.title()
    for name in old.keys() - new.keys():  # which the server does not have any more
        assert page.evaluate(SIZE, name) > 0
    second = context.new_page()
    told = noisy(second)
    visit(second, host)
    assert "Newer" in second.title()
    page.close()
    second.reload()
    wait_until_all_is_kept(second, folder)
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


@pytest.mark.parametrize("forbidden", ["serviceWorker", "caches"])
def test_where_nothing_is_kept_it_works_with_a_network(page: Page, host: ThreadingHTTPServer, forbidden: str) -> None:
    page.add_init_script(
        "delete Navigator.prototype.serviceWorker"
        if forbidden == "serviceWorker"
        else "ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException('no', 'SecurityError'))"
    )
    page.goto(f"http://127.0.0.1:{host.server_port}/page/")
    expect(page.locator("nav [aria-current=page]")).to_have_count(1)
    expect(page.locator("[role=alert]:not(:empty)")).to_have_count(0)
