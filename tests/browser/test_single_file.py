"""The page as one file, opened from the disk as by a double click."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest
from support.browser import Page, expect

from tictactoe.browser.page_data import PageData
from tictactoe.browser.single_file import single_file
from tictactoe.browser.sources import modules, read_source, source_names


@pytest.fixture(scope="module")
def file(small_page: PageData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("single") / "a page.html"
    path.write_bytes(single_file(small_page))
    return path


def test_nothing_is_outside(file: Path) -> None:
    """No link, no picture, no script but those in the file; and it may connect to nothing."""
    text = file.read_text()
    for link in re.findall(
        r'<[^>]*\b(?:src|href)="([^"]*)"', re.sub(r"<script>.*</script>", "", text, flags=re.DOTALL)
    ):
        assert link.startswith(("#", "data:"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert "connect-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert "'self'" not in policy[1]


def test_one_script_and_one_style(file: Path) -> None:
    """Each allowed by its hash, and no other; all that modules and style sheets say is in them."""
    text = file.read_text()
    policy = text.partition('Content-Security-Policy" content="')[2].partition('"')[0]
    hashes = {}
    for tag in ("script", "style"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        hashes[tag] = f"'sha256-{base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()}'"
    assert f"script-src {hashes['script']}; style-src {hashes['style']};" in policy
    for module in modules():
        assert f'modules["{module.name}"] = ' in text
    for name in source_names():
        if name.endswith(".css"):
            assert read_source(name).decode() in text


def test_it_opens(page: Page, file: Path) -> None:
    """Without a word on the console and without any request; every address works, and what it needs of the browser."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition("#")[0]))
    for address, title in (("", "Play"), ("#learn", "Learn"), ("#review", "Review"), ("#1-0/wl/51", "Explore")):
        page.goto(file.as_uri() + address)
        expect(page.locator("nav [aria-current=page]")).to_have_text(title)
        expect(page.locator("[role=alert]:not(:empty)")).to_have_count(0)
    assert {url for url in asked if not url.startswith("data:")} == {file.as_uri()}
    assert page.evaluate("crypto.subtle.digest('SHA-256', new Uint8Array(1)).then((hash) => hash.byteLength)") == 32
    assert page.evaluate("(localStorage.setItem('a', '1'), localStorage.getItem('a'))") == "1"


def test_it_holds_the_same_data(small_page: PageData, file: Path) -> None:
    text = file.read_text()
    found = dict(re.findall(r'<script type="text/plain" data-file="([^"]+)">([^<]*)</script>', text))
    assert {name: base64.b64decode(content, validate=True) for name, content in found.items()} == {
        name: small_page.file(name) for name in small_page.names
    }


def test_damaged_data(page: Page, file: Path, tmp_path: Path) -> None:
    """A file that has lost a part says so."""
    damaged = tmp_path / "page.html"
    damaged.write_text(re.sub(r'(data-file="data/manifest.json">)[^<]*', r"\1 oh!", file.read_text()))
    page.goto(damaged.as_uri())
    expect(page.locator("[role=alert]:not(:empty)")).to_contain_text(
        "data/manifest.json cannot be used: it is not whole."
    )
