"""Data that is damaged, foreign or missing: said on the page, in words, and never played from."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.browser import BrowserContext, Page, expect, noisy
from support.slowness import slow

from tictactoe.browser.page_data import encode
from tictactoe.browser.server import PageServer

NOT_FOUND = b"<!doctype html><title>Not found</title><h1>404</h1><p>There is nothing here.</p>" * 20


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :]


def changed(content: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The file with its inflated bytes changed, and a right checksum."""
    return gzip.compress(change(gzip.decompress(content)), mtime=0)


def decoded(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a file."""
    inflated = gzip.decompress(content)
    at = 12 + int.from_bytes(inflated[8:12], "little")
    header, arrays = json.loads(inflated[12:at]), {}
    for entry in header.pop("arrays"):
        array = arrays[entry["name"]] = np.frombuffer(inflated, entry["dtype"], entry["length"], at)
        at += array.nbytes + -array.nbytes % 8
    return header, arrays


def other_header(content: bytes, **fields: object) -> bytes:
    """With other entries in its header."""
    header, arrays = decoded(content)
    return encode(header | fields, arrays, 1)


def with_array(content: bytes, name: str, change: Callable[[list[float]], object]) -> bytes:
    """With one of its arrays changed, in its numbers or in its length, and a header that fits."""
    header, arrays = decoded(content)
    numbers = arrays[name].tolist()
    change(numbers)
    return encode(header, arrays | {name: np.array(numbers, arrays[name].dtype)}, 1)


def with_start(numbers: list[float], start: list[float]) -> None:
    numbers[: len(start)] = start


def one_more(numbers: list[float]) -> None:
    numbers.append(numbers[0])


def without_one(numbers: list[float]) -> None:
    numbers[numbers.index(1)] = 0


def one_moved(numbers: list[float]) -> None:
    """Counts one mistake twice and another not at all, so that their number stays the same."""
    without_one(numbers)
    numbers[numbers.index(1)] = 2


def replaced(content: bytes, old: bytes, new: bytes) -> bytes:
    return changed(content, lambda inflated: inflated.replace(old, new, 1))


def with_type(content: bytes, name: bytes) -> bytes:
    """With a type of eight letters for its first array, in a header of the same length."""
    return replaced(replaced(content, b'"kind":"tree"', b'"kind":""'), b'"int8"', b'"%s"' % name)


BROKEN = "A part of this page is damaged. Load the page again; if that does not help, tell the person who runs it."
WHOLE = "its checksum is wrong, or it is incomplete"
FOREIGN = "it belongs to another page"
Damages = dict[str, tuple[Callable[[bytes], bytes], str]]
"""By what was done to a file: how to do it, and a part of what the page says then."""
DAMAGES: Damages = {
    "flipped in the middle": (lambda content: flipped(content, len(content) // 2), WHOLE),
    "flipped in the checksum": (lambda content: flipped(content, len(content) - 7), WHOLE),
    "not gzip": (lambda content: flipped(content, 0), WHOLE),
    "truncated": (lambda content: content[: len(content) // 2], WHOLE),
    "appended to": (lambda content: content + b"\0", WHOLE),
    "empty": (lambda content: b"", WHOLE),
    "a server's page": (lambda content: NOT_FOUND, WHOLE),
    "something else, gzipped": (lambda content: gzip.compress(NOT_FOUND), "it is not a data file of this page"),
    "of another version": (
        lambda content: changed(content, lambda inflated: b"SMBCTTT9" + inflated[8:]),
        "it is not a data file of this page",
    ),
    "shorter than its header says": (lambda content: changed(content, lambda inflated: inflated[:-8]), "shorter"),
    "longer than its header says": (lambda content: changed(content, lambda inflated: inflated + bytes(8)), "longer"),
    "with a type that is none": (lambda content: with_type(content, b"toString"), "its header cannot be read"),
    "of another kind": (lambda content: other_header(content, kind="?"), FOREIGN),
    "of another tree": (lambda content: other_header(content, tree="0" * 64), FOREIGN),
}
OF_STRATEGIES: Damages = {
    "of another solution": (lambda content: other_header(content, solution="0" * 64), FOREIGN),
    "of results worth something else": (lambda content: other_header(content, outcome_values=[0, 0, 0, 0]), FOREIGN),
    "of another score": (lambda content: other_header(content, score=[0, 1]), "another score"),
    "no probabilities": (
        lambda content: with_array(content, "probability", partial(with_start, start=[32.5])),
        "it has no strategy",
    ),
}
OF_REFINED: Damages = {
    what: (damage, "it has no beliefs for play after mistakes")
    for what, damage in {
        "a negative belief": partial(with_array, name="beliefs", change=partial(with_start, start=[-0.5])),
        "an infinite belief": partial(with_array, name="beliefs", change=partial(with_start, start=[math.inf])),
        "a belief that is no number": partial(with_array, name="beliefs", change=partial(with_start, start=[math.nan])),
        "a row of zeros": partial(with_array, name="beliefs", change=partial(with_start, start=[0.0, 0.0, 0.0])),
        "too few beliefs": partial(with_array, name="beliefs", change=list.pop),
        "too many beliefs": partial(with_array, name="beliefs", change=one_more),
        "a mistake less": partial(with_array, name="mistakes", change=without_one),
        "a mistake twice": partial(with_array, name="mistakes", change=one_moved),
        "too few nodes": partial(with_array, name="mistakes", change=list.pop),
        "too many nodes": partial(with_array, name="mistakes", change=one_more),
        "no beliefs": partial(replaced, old=b'"beliefs"', new=b'"nothing"'),
        "no mistakes": partial(replaced, old=b'"mistakes"', new=b'"nothings"'),
    }.items()
}
LOAD = """async () => {
  const { loadCatalogue } = await import("/loading/solution_loader.js");
  const { DataError } = await import("/loading/data_file.js");
  try {
    await (await loadCatalogue()).first.loadRound([0, 0]);
    return "loaded";
  } catch (error) {
    return error instanceof DataError ? `${error.message} ${error.detail}`.trim() : `a fault: ${error}`;
  }
}"""


NO_ANSWER = "The program that shows this page does not answer. Start tictactoe page again, then try again."


def serve_instead(page: Page, server: PageServer, name: str, content: bytes) -> None:
    page.route(server.url + name, lambda route: route.fulfill(body=content, content_type="application/octet-stream"))


@pytest.fixture
def names(server: PageServer) -> dict[str, str]:
    tree, *_ = server.data.first_play
    return {"tree": tree, "strategy": tree.replace("tree.data", "0-0.data")}


FEW = {name: DAMAGES[name] for name in ("flipped in the middle", "longer than its header says", "of another tree")}
FEW_BELIEFS = {name: OF_REFINED[name] for name in ("a negative belief", "a mistake twice", "no beliefs")}


@pytest.mark.parametrize(
    ("kind", "damages"),
    [("tree", DAMAGES), ("strategy", FEW | OF_STRATEGIES | FEW_BELIEFS), *slow(("strategy", OF_REFINED))],
)
def test_damaged_files(tab: Page, server: PageServer, names: dict[str, str], kind: str, damages: Damages) -> None:
    name, wrong = names[kind], {}
    assert tab.evaluate(LOAD) == "loaded"
    for what, (damage, reason) in damages.items():
        serve_instead(tab, server, name, damage(server.data.file(name)))
        message = tab.evaluate(LOAD)
        parts = f"{name} cannot be used: ", reason
        if not (message.startswith(BROKEN) and all(part in message for part in parts)):
            wrong[what] = message
    assert wrong == {}
    tab.unroute_all()
    assert tab.evaluate(LOAD) == "loaded"


def test_files_that_are_not_there(context: BrowserContext, server: PageServer, names: dict[str, str]) -> None:
    page = context.new_page()
    page.goto(f"{server.url}#learn")
    told = noisy(page)
    page.route(server.url + names["tree"], lambda route: route.fulfill(status=404, body=NOT_FOUND))
    said = page.evaluate(LOAD)
    assert said.startswith("A part of this page is missing on its server. Load the page again;")
    assert said.endswith(f"{names['tree']} cannot be loaded: the server answers 404.")
    page.route(server.url + names["tree"], lambda route: route.abort())
    assert page.evaluate(LOAD) == NO_ANSWER
    assert all(line.startswith("console: Failed to load resource: ") for line in told)
    page.unroute_all()
    page.add_init_script("Response.prototype.arrayBuffer = async () => { throw new TypeError('network error'); }")
    page.reload()  # a connection that breaks off
    assert page.evaluate(LOAD) == NO_ANSWER


def test_no_connection(context: BrowserContext, server: PageServer, names: dict[str, str]) -> None:
    """To a page on the internet: what a person reads, and that it goes on when the connection is back."""
    page = context.new_page()
    address = "http://example.org/"
    page.route(
        f"{address}**",
        lambda route: route.fulfill(response=page.request.get(route.request.url.replace(address, server.url))),
    )
    page.route(address + names["strategy"], lambda route: route.abort())
    page.goto(f"{address}#0-0")
    expect(page.get_by_role("alert")).to_have_text(
        "There is no connection, and this part of the page has not been loaded yet. Try again when there is one."
    )
    page.unroute(address + names["strategy"])
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".explore .square[class*=fits-]")).to_have_count(9)


def test_an_old_browser_is_told(page: Page, server: PageServer) -> None:
    page.add_init_script("delete globalThis.DecompressionStream")
    page.goto(f"{server.url}#0-0")
    notice = page.locator("[role=alert]:not(:empty)")
    expect(notice).to_have_text(
        "This browser is too old for this page: it cannot unpack the page's data. Use a newer one."
    )


MANIFESTS = {
    NOT_FOUND: "The page's list of files is damaged.",
    b"": "The page's list of files is damaged.",
    b"null": "is from another version",
    b"[]": "is from another version",
    b'{"format": 999, "solutions": [{}]}': "is from another version",
    b'{"format": 1, "solutions": []}': "is from another version",
}


def test_screens_say_what_is_wrong(page: Page, server: PageServer, names: dict[str, str]) -> None:
    alert = page.locator("[role=alert]:not(:empty)")
    serve_instead(page, server, names["strategy"], flipped(server.data.file(names["strategy"]), 5000))
    for address in ("0-0", "0-0/wl/51"):
        page.goto(f"{server.url}#{address}")
        expect(alert).to_have_text(BROKEN)
        detail = page.locator(".notice code")
        expect(detail).to_be_hidden()
        expect(detail).to_have_text(f"{names['strategy']} cannot be used: {WHOLE}.")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
    for content, said in MANIFESTS.items():
        serve_instead(page, server, "data/manifest.json", content)
        page.goto(server.url)
        expect(alert).to_contain_text(said)
        expect(alert).to_contain_text("Load the page again.")
