"""Data that is damaged, foreign or missing: said on the page, in words, and never played from."""

from __future__ import annotations

import array
import gzip
import json
import math
import struct
from collections.abc import Callable
from typing import Any

import pytest
from support.browser import BrowserContext, Page, expect, noisy
from support.slowness import slow

from tictactoe.browser.server import PageServer

CODES = {"int8": "b", "uint8": "B", "float32": "f", "float64": "d"}
NOT_FOUND = b"<!doctype html><title>Not found</title><h1>404</h1><p>There is nothing here.</p>" * 20


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :]


def changed(content: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The file with its inflated bytes changed, and a right checksum."""
    return gzip.compress(change(gzip.decompress(content)), mtime=0)


def other_header(content: bytes, **fields: object) -> bytes:
    """With other entries in its header, which keeps its length."""
    inflated = gzip.decompress(content)
    length = int.from_bytes(inflated[8:12], "little")
    header = json.dumps({**json.loads(inflated[12 : 12 + length]), **fields}, separators=(",", ":")).encode()
    assert len(header) <= length
    return gzip.compress(inflated[:12] + header.ljust(length) + inflated[12 + length :], mtime=0)


def arrays_of(content: bytes) -> list[dict[str, Any]]:
    inflated = gzip.decompress(content)
    arrays: list[dict[str, Any]] = json.loads(inflated[12 : 12 + int.from_bytes(inflated[8:12], "little")])["arrays"]
    return arrays


def with_type(content: bytes, name: str) -> bytes:
    return other_header(content, rules="", arrays=[{**array, "dtype": name} for array in arrays_of(content)])


def with_array(content: bytes, changed_name: str, change: Callable[[array.array[Any]], None]) -> bytes:
    """With one of its arrays changed, in its numbers or in its length, and a header that fits."""
    inflated, arrays, parts = gzip.decompress(content), arrays_of(content), []
    at = 12 + int.from_bytes(inflated[8:12], "little")
    start = at
    for entry in arrays:
        numbers = array.array(CODES[entry["dtype"]])
        size = entry["length"] * numbers.itemsize
        numbers.frombytes(inflated[at : at + size])
        at += size + -size % 8
        if entry["name"] == changed_name:
            change(numbers)
            entry["length"] = len(numbers)
        data = numbers.tobytes()
        parts.append(data + bytes(-len(data) % 8))
    return other_header(gzip.compress(inflated[:start] + b"".join(parts), mtime=0), rules="", arrays=arrays)


def with_belief(content: bytes, number: float) -> bytes:
    """With this number as the last one of its beliefs."""
    return with_array(content, "beliefs", lambda numbers: numbers.__setitem__(-1, number))


def without_a_row(numbers: array.array[Any]) -> None:
    """A row of zeros."""
    numbers[:3] = array.array(numbers.typecode, [0, 0, 0])


def one_more(numbers: array.array[Any]) -> None:
    numbers.append(numbers[0])


def without_one(numbers: array.array[Any]) -> None:
    numbers[numbers.index(1)] = 0


def one_moved(numbers: array.array[Any]) -> None:
    """A 2 in place of two ones, so that their sum stays as it was."""
    first = numbers.index(1)
    numbers[first], numbers[numbers.index(1, first + 1)] = 2, 0


def renamed(content: bytes, name: str) -> bytes:
    """With another name of this array."""
    arrays = [entry | {"name": "?"} if entry["name"] == name else entry for entry in arrays_of(content)]
    return other_header(content, rules="", arrays=arrays)


def with_other_numbers(inflated: bytes) -> bytes:
    """The first numbers of the first array changed to some above 32."""
    start = 12 + struct.unpack_from("<I", inflated, 8)[0]
    return inflated[:start] + b"\x40" * 80 + inflated[start + 80 :]


BROKEN = "A part of this page is damaged. Load the page again; if that does not help, tell the person who runs it."
WHOLE = "its checksum is wrong, or it is not whole"
FOREIGN = "it belongs to another page"
Damages = dict[str, tuple[Callable[[bytes], bytes], str]]
"""By what was done to a file: how to do it, and a part of what the page says then."""
DAMAGES: Damages = {
    "flipped in the middle": (lambda content: flipped(content, len(content) // 2), WHOLE),
    "flipped in the checksum": (lambda content: flipped(content, len(content) - 7), WHOLE),
    "flipped in the length": (lambda content: flipped(content, len(content) - 1), WHOLE),
    "not gzip": (lambda content: flipped(content, 0), WHOLE),
    "truncated": (lambda content: content[: len(content) // 2], WHOLE),
    "without its last byte": (lambda content: content[:-1], WHOLE),
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
    "with a type that is none": (lambda content: with_type(content, "toString"), "its header cannot be read"),
    "of another kind": (lambda content: other_header(content, kind="?"), FOREIGN),
    "of another tree": (lambda content: other_header(content, tree="0" * 64), FOREIGN),
}
OF_STRATEGIES: Damages = {
    "of another solution": (lambda content: other_header(content, solution="0" * 64), FOREIGN),
    "of results worth something else": (lambda content: other_header(content, outcome_values=[0, 0, 0, 0]), FOREIGN),
    "of another score": (lambda content: other_header(content, score=[0, 1]), "another score"),
    "no probabilities": (lambda content: changed(content, with_other_numbers), "it holds no strategy"),
}
NO_BELIEFS = "it does not tell what to believe after mistakes"
OF_REFINED: Damages = {
    "a negative belief": (lambda content: with_belief(content, -0.5), NO_BELIEFS),
    "an infinite belief": (lambda content: with_belief(content, math.inf), NO_BELIEFS),
    "a belief that is no number": (lambda content: with_belief(content, math.nan), NO_BELIEFS),
    "a row of zeros": (lambda content: with_array(content, "beliefs", without_a_row), NO_BELIEFS),
    "too few beliefs": (lambda content: with_array(content, "beliefs", array.array.pop), NO_BELIEFS),
    "too many beliefs": (lambda content: with_array(content, "beliefs", one_more), NO_BELIEFS),
    "a mistake less": (lambda content: with_array(content, "mistakes", without_one), NO_BELIEFS),
    "a mistake twice": (lambda content: with_array(content, "mistakes", one_moved), NO_BELIEFS),
    "too few nodes": (lambda content: with_array(content, "mistakes", array.array.pop), NO_BELIEFS),
    "too many nodes": (lambda content: with_array(content, "mistakes", one_more), NO_BELIEFS),
    "no beliefs": (lambda content: renamed(content, "beliefs"), NO_BELIEFS),
    "no mistakes": (lambda content: renamed(content, "mistakes"), NO_BELIEFS),
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


NO_ANSWER = "The program that shows this page does not answer. Start play-browser again, then try again."


def serve_instead(page: Page, server: PageServer, name: str, content: bytes) -> None:
    page.route(server.url + name, lambda route: route.fulfill(body=content, content_type="application/octet-stream"))


@pytest.fixture
def names(server: PageServer) -> dict[str, str]:
    tree, _ = server.data.first_play
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
    assert said.startswith("A part of this page is missing where the page comes from. Load the page again;")
    assert said.endswith(f"{names['tree']} cannot be loaded: the server answers 404.")
    page.route(server.url + names["tree"], lambda route: route.abort())
    assert page.evaluate(LOAD) == NO_ANSWER
    assert all(line.startswith("console: Failed to load resource: ") for line in told)


def test_a_connection_that_breaks_off(context: BrowserContext, server: PageServer, names: dict[str, str]) -> None:
    page = context.new_page()
    page.add_init_script("Response.prototype.arrayBuffer = async () => { throw new TypeError('network error'); }")
    page.goto(server.url)
    expect(page.locator("[role=alert]:not(:empty)")).to_have_text(NO_ANSWER)


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
        "There is no connection, and this part of the page has not been loaded yet. Try again with one."
    )
    page.unroute(address + names["strategy"])
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".explore .square .note")).to_have_count(9)


def test_an_old_browser_is_told(page: Page, server: PageServer) -> None:
    page.add_init_script("delete globalThis.DecompressionStream")
    page.goto(f"{server.url}#0-0")
    notice = page.locator("[role=alert]:not(:empty)")
    expect(notice).to_have_text(
        "This browser is too old for this page: it cannot unpack the page's data. Use a newer one."
    )


MANIFESTS = {
    NOT_FOUND: "The list of what this page has is damaged.",
    b"": "The list of what this page has is damaged.",
    b"null": "another version of the page",
    b"[]": "another version of the page",
    b'{"format": 999, "solutions": [{}]}': "another version of the page",
    b'{"format": 1, "solutions": []}': "another version of the page",
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
