"""The frame of the page: it loads, its screens can be reached, and the address names them."""

from __future__ import annotations

import pytest
from support.browser import Page, expect

from tictactoe.browser.server import PageServer


@pytest.mark.parametrize(("address", "title"), [("", "Play"), ("learn", "Learn"), ("4-3/wl/51", "Explore")])
def test_address_names_screen(page: Page, server: PageServer, address: str, title: str) -> None:
    page.goto(f"{server.url}#{address}")
    expect(page.locator("nav [aria-current=page]")).to_have_text(title)


def test_back_and_forward(page: Page, server: PageServer) -> None:
    page.goto(server.url)
    page.get_by_role("link", name="Learn", exact=True).click()
    expect(page.locator("nav [aria-current=page]")).to_have_text("Learn")
    page.go_back()
    expect(page.locator("nav [aria-current=page]")).to_have_text("Play")
    page.go_forward()
    expect(page.locator("nav [aria-current=page]")).to_have_text("Learn")
