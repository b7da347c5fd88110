"""The page as one file, opened from the disk as by a double click."""

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
    text = file.read_text()
    without_scripts = re.sub(r"<script>.*</script>", "", text, flags=re.DOTALL)
    for link in re.findall(r'<[^>]*\b(?:src|href)="([^"]*)"', without_scripts):
        assert link.startswith(("#", "data:"))
    policy = text.partition('Content-Security-Policy" content="')[2].partition('"')[0]
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy
    assert "'self'" not in policy
    hashes = {}
    for tag in ("script", "style"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        hashes[tag] = f"'sha256-{base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()}'"
    assert f"script-src {hashes['script']}; style-src {hashes['style']};" in policy
    assert all(f'modules["{module.name}"] = ' in text for module in modules())
    assert all(read_source(name).decode() in text for name in source_names() if name.endswith(".css"))


def test_it_opens(page: Page, file: Path) -> None:
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
    parts = dict(re.findall(r'<script type="text/plain" data-file="([^"]+)">([^<]*)</script>', text))
    assert {name: base64.b64decode(content, validate=True) for name, content in parts.items()} == {
        name: small_page.file(name) for name in small_page.names
    }


def test_damaged_data(page: Page, file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "page.html"
    damaged.write_text(re.sub(r'(data-file="data/manifest.json">)[^<]*', r"\1 oh!", file.read_text()))
    page.goto(damaged.as_uri())
    expect(page.locator("[role=alert]:not(:empty)")).to_contain_text(
        "data/manifest.json cannot be used: it is not whole."
    )
