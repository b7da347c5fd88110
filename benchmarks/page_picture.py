"""The picture of the page in the README: python benchmarks/page_picture.py writes docs/pictures/page.png.

The round of the picture above it, in a real browser: explored on a desk, played with a hint on a phone. Needs Chromium
and Playwright (pip install -e '.[browser]'), which the tests need, too.
"""

from __future__ import annotations

import base64
import json
import shutil
import threading
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tictactoe import load_solution
from tictactoe.browser.page_data import SHIPPED_ON_PAGE, PageData
from tictactoe.browser.server import PageServer

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "page.png"
EXPLORED = "2-0/xw/15274"
PLAYED = {
    "solution": "three-in-a-row",
    "winningScore": 5,
    "names": ["You", "Bot"],
    "opponent": "perfect",
    "score": [2, 0],
    "first": 1,
    "rounds": [],
    "round": {
        "number": 1,
        "score": [2, 0],
        "first": 1,
        "goals": [0, 1],
        "commitment": "",
        "moves": [1, 5, 2, 7, 4],
        "takenBack": 0,
        "hints": 0,
    },
    "winner": None,
}
"""As the page keeps it: the bot has 2 points and moves first, the person wants to win."""

_DESK, _PHONE, _GAP, _SCALE = (1180, 800), (390, 800), 24, 1.25


def screenshots(browser: Browser, url: str) -> list[bytes]:
    """The desk and the phone."""
    desk = browser.new_page(viewport={"width": _DESK[0], "height": _DESK[1]}, device_scale_factor=_SCALE)
    desk.goto(f"{url}#{EXPLORED}")
    desk.locator(".board").wait_for()
    phone = browser.new_page(viewport={"width": _PHONE[0], "height": _PHONE[1]}, device_scale_factor=_SCALE)
    phone.add_init_script(f"localStorage.setItem('smbc-tictactoe / match', {json.dumps(json.dumps(PLAYED))})")
    phone.goto(url)
    phone.get_by_role("button", name="Hint").click()
    phone.get_by_role("button", name="What do the others cost?").click()
    return [page.screenshot() for page in (desk, phone)]


def side_by_side(browser: Browser, pictures: list[bytes]) -> bytes:
    """One picture of several, on a ground that suits a light and a dark page."""
    sources = [f"data:image/png;base64,{base64.b64encode(picture).decode()}" for picture in pictures]
    images = "".join(f'<img src="{source}" height="{_DESK[1]}" style="border-radius: 12px">' for source in sources)
    width = _DESK[0] + _PHONE[0] + 3 * _GAP
    page = browser.new_page(viewport={"width": width, "height": _DESK[1] + 2 * _GAP}, device_scale_factor=_SCALE)
    style = f"margin: 0; padding: {_GAP}px; display: flex; gap: {_GAP}px; background: #8a8478"
    page.set_content(f'<body style="{style}">{images}</body>')
    return page.screenshot()


def main() -> None:
    """Write the picture."""
    data = PageData([load_solution(name) for name in SHIPPED_ON_PAGE])
    with PageServer(data) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        PICTURE.write_bytes(side_by_side(browser, screenshots(browser, server.url)))
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
