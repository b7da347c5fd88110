"""A match with a friend on another device: two browsers that share nothing but the links that they are given."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.browser import HTTPS, Browser, BrowserContext, Page, expect, noisy, over_https
from support.page_servers import running_server
from support.slowness import by_default, slow
from support.waiting import wait_until

from tictactoe import load_solution
from tictactoe.browser.page_data import PageData
from tictactoe.browser.server import PageServer

Two = tuple[Page, Page]
KEPT = "name => JSON.parse(localStorage.getItem(`smbc-tictactoe / ${name}`))"


@pytest.fixture
def two(browser: Browser, not_refined: PageServer) -> Iterator[Two]:
    """A page each of two browsers, at an address with https. They may write nothing to the console."""
    contexts = [browser.new_context() for _ in range(2)]
    pages, told = [], []
    for context in contexts:
        over_https(context, not_refined.url)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        pages.append(context.new_page())
        told.append(noisy(pages[-1]))
    yield pages[0], pages[1]
    for context in contexts:
        context.close()
    assert told == [[], []]


def invite(host: Page, name: str = "Ann") -> str:
    host.goto(f"{HTTPS}#friend")
    host.locator("#friend-name").fill(name)
    host.get_by_role("button", name="Make an invitation").click()
    return link_of(host)


def link_of(page: Page) -> str:
    expect(page.locator(".link")).to_be_visible()
    return page.locator(".link").input_value()


def accept(guest: Page, link: str, name: str | None = "Bob") -> str:
    guest.goto("about:blank")
    guest.goto(link)
    if name is not None:
        guest.locator("#friend-name").fill(name)
    guest.get_by_role("button", name="Accept").click()
    return link_of(guest)


def paste(page: Page, text: str) -> None:
    page.locator(".paste input").fill(text)
    page.get_by_role("button", name="Open", exact=True).click()


def connect(host: Page, guest: Page, **names: str) -> None:
    answer = accept(guest, invite(host, names.get("host", "Ann")), names.get("guest", "Bob"))
    paste(host, answer)
    for page in (host, guest):
        expect(page.locator(".friend .board")).to_be_visible()


def play(*pages: Page, moves: int = 1000, at: int = 0) -> None:
    """On the first free square, or the one `at` another place, whoever can; until the match is over, or so many moves
    are made."""
    everybody = "all => all.every((one) => one.querySelector('.table.over'))"
    while moves > 0:
        for page in pages:
            free = page.locator(".friend .square[aria-disabled=false]")
            if free.count() > 0:
                square = free.nth(at).get_attribute("data-square")
                page.locator(f"[data-square='{square}']").click()
                expect(page.locator(f"[data-square='{square}']")).to_have_attribute("aria-disabled", "true")
                moves -= 1
        if all(page.locator("body").evaluate_all(everybody) for page in pages):
            buttons = [page.get_by_role("button", name="Next round") for page in pages]
            if not any(button.count() for button in buttons):
                return
            for button in buttons:
                button.click()
            for page in pages:
                expect(page.locator(".table.over")).to_have_count(0)


def test_a_whole_match_and_another_one(two: Two) -> None:
    host, guest = two
    connect(host, guest)
    for page in two:  # only the own goal is there during a round
        kept = page.evaluate(KEPT, "friend")
        assert [sorted(json.loads(text)) for text in kept["log"]] == [
            ["before", "commit", "lot", "n"],
            ["before", "commit", "lot", "n", "number"],
            ["before", "lot", "n", "number"],
        ]
        assert not any(kept["secrets"]["goal"][1] in text for text in kept["log"])
        assert page.evaluate(KEPT, "match") is None
    for number in (1, 2):
        play(host, guest, at=1 - number)  # never the same match twice, which the history would take for one
        ours, theirs = (page.evaluate(KEPT, "history") for page in two)
        assert [len(ours), len(theirs)] == [number, number]
        one, other = ours[0]["match"], theirs[0]["match"]
        assert (one["names"], other["names"]) == (["Ann", "Bob"], ["Bob", "Ann"])
        assert one["winner"] == 1 - other["winner"]
        for mine, yours in zip(one["rounds"], other["rounds"], strict=True):
            assert (mine["goals"], mine["moves"]) == (yours["goals"][::-1], yours["moves"])
        words = ["You win the match.", "Ann wins the match.", "Bob wins the match."]
        told = [page.locator(".turn").inner_text() for page in two]
        assert told == (words[:2] if one["winner"] == 0 else [words[2], words[0]])
        if number == 1:
            guest.get_by_role("button", name="Play again").click()
            expect(guest.get_by_text("Waiting for Ann")).to_be_visible()
            host.get_by_role("button", name="Play again").click()
            for page in two:
                expect(page.locator(".score")).to_contain_text("Round 1")
                expect(page.locator(".table.over")).to_have_count(0)
    for page, result in zip(two, told, strict=True):
        page.get_by_role("link", name="Review the match").click()
        expect(page.locator(".summary h2")).to_contain_text("You won" if result == words[0] else "You lost")
        expect(page.locator(".rounds .card")).to_have_count(len(one["rounds"]))


def test_what_is_no_link_and_an_answer_that_opens_in_another_tab(two: Two) -> None:
    host, guest = two
    link = invite(host)
    host.get_by_role("button", name="Copy the link").click()
    expect(host.locator(".copied")).to_have_text("The link is copied.")
    assert host.evaluate("navigator.clipboard.readText()") == link
    for text, told in {
        "": "This is not an invitation or an answer",
        link[:-9]: "This is not an invitation or an answer",
        f"{HTTPS}#friend/{'x' * 5000}": "This is not an invitation or an answer",
        "WzIsMV0": "another version of the page",
        "WzEsMV0": "This link is damaged",
    }.items():
        paste(host, text)
        expect(host.locator(".notice")).to_contain_text(told)
    expect(host.locator(".link")).to_have_value(link)  # it still waits
    answer, other = accept(guest, link), host.context.new_page()
    other.goto(answer)
    expect(other.locator("h1")).to_have_text("The answer has arrived")
    assert "WzEs" not in other.url
    expect(host.locator(".friend .board")).to_be_visible()
    other.goto("about:blank")
    other.goto(answer)  # nobody waits for it any more
    expect(other.locator(".notice")).to_contain_text("No tab of this browser is waiting for this answer.")


def test_a_lost_connection_and_going_on(two: Two) -> None:
    host, guest = two
    connect(host, guest)
    play(host, guest, moves=2)
    before = guest.evaluate(KEPT, "friend")["log"]
    goal = guest.locator(".goal-card").inner_text()
    guest.reload()
    for page, name in ((host, "Bob"), (guest, "Ann")):
        expect(page.locator(".status")).to_have_text(f"{name} is not connected.")
        expect(page.locator(".friend .square[aria-disabled=false]")).to_have_count(0)
    assert guest.locator(".goal-card").inner_text() == goal
    guest.get_by_role("button", name="Make a new link").click()
    link = link_of(guest)
    paste(host, link)
    host.get_by_role("button", name="Accept").click()
    paste(guest, link_of(host))
    for page in two:
        expect(page.locator(".status")).to_have_count(0)
        assert page.evaluate(KEPT, "friend")["log"][: len(before)] == before
    play(host, guest)
    assert host.evaluate(KEPT, "history")[0]["match"]["winner"] is not None
    # A link that goes on with a match means nothing to somebody else.
    host.evaluate("localStorage.clear()")
    host.goto("about:blank")
    host.goto(link)
    expect(host.locator(".notice")).to_contain_text("a match that this browser does not have")


def test_what_was_under_way_when_the_connection_broke_is_sent_again(two: Two) -> None:
    host, guest = two
    connect(host, guest)
    first, second = (host, guest) if host.locator(".square[aria-disabled=false]").count() else (guest, host)
    first.evaluate("() => { RTCDataChannel.prototype.send = () => {}; }")
    first.locator("[data-square='1']").click()
    expect(first.locator(".turn")).to_contain_text("You marked 1")
    first.reload()
    expect(second.locator(".status")).to_contain_text("is not connected")
    second.get_by_role("button", name="Make a new link").click()
    paste(first, link_of(second))
    first.get_by_role("button", name="Accept").click()
    paste(second, link_of(first))
    expect(second.locator("[data-square='1']")).to_have_attribute("aria-label", "Square 1, X, move 1")
    play(host, guest, moves=2)


def test_a_bot_may_take_over(two: Two) -> None:
    host, guest = two
    connect(host, guest)
    guest.close()
    expect(host.locator(".status")).to_have_text("Bob is not connected.")
    host.get_by_role("button", name="Continue against a bot").click()
    expect(host.locator(".play .table")).to_be_visible()
    expect(host.locator(".score")).to_contain_text("Bot")
    assert host.evaluate(KEPT, "match")["opponent"] is not None
    assert host.evaluate(KEPT, "friend") is None


PEER = """async ([link, names, evil]) => {
  const [{ readText, textOf, keyOf }, { Connection }, { FriendMatch }, { loadCatalogue }] = await Promise.all(
    ["screens/friend/invitation", "screens/friend/connection", "play/friend_match", "loading/solution_loader"]
      .map((name) => import(`/${name}.js`)));
  const { contact, terms } = readText(link);
  const tree = await (await loadCatalogue()).find(terms.solution).loadTree();
  const game = await FriendMatch.begun(terms, false, ["Mallory", "Ann"], tree);
  const make = async (text) => { MAKE };
  const message = (body) => JSON.stringify({ n: game.log.length + 1, before: game.hashes.at(-1), ...body });
  const send = (text) => connection.send(text);
  let queue = Promise.resolve();
  const hear = async (text) => {
    const body = JSON.parse(text);
    if (body.hello) return;
    if (body.end) { globalThis.ended = body.end; return; }
    await game.receive(text);
    while (game.speaker === 0) {
      const free = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((one) => !game.match.round?.moves.includes(one));
      const isDue = game.phase === evil.phase;
      if (isDue && evil.instead) { await make(); return; }
      const said = await game.say(free[0]);
      send(said);
      if (isDue) { await make(said); return; }
    }
  };
  const hello = { hello: 1, id: terms.id, n: 0, head: game.hashes[0], ...names };
  const connection = new Connection(null, {
    opens: () => send(JSON.stringify(hello)),
    hears: (_, text) => { queue = queue.then(() => hear(text)); },
    ends: () => {},
  });
  globalThis.connection = connection;
  return textOf({ kind: "answer", contact: await connection.answer(contact), to: keyOf(contact) });
}"""
"""A guest that keeps to the protocol but for one thing, MAKE."""
TEXT, LONG = "a message that cannot be read", "a message that is too long"
FOLLOW, PLACE = "a message that does not follow the one before", "a message that does not belong there"
OPENED = "opened a number other than the one that it had sealed"
EVIL: dict[str, tuple[str, str, str]] = {
    "no JSON": ("answer", "send('<img src=x onerror=alert(1)>')", f"sent {TEXT}"),
    "null": ("answer", "send('null')", f"sent {TEXT}"),
    "too long": ("answer", "send(JSON.stringify('x'.repeat(5000)))", f"sent {LONG}"),
    "bytes": ("answer", "send(new Uint8Array(9))", "sent something that is not text"),
    "a flood": ("answer", "for (let i = 0; i < 5000; i += 1) send('[' + i)", "sent "),
    "another number": ("answer", "send(message({ n: 3, number: 1 }))", f"sent {FOLLOW}"),
    "another hash": ("answer", "send(message({ before: 'a'.repeat(64), number: 1 }))", f"sent {FOLLOW}"),
    "no goal has it": ("answer", "send(message({ commit: 'a'.repeat(64), number: 3, lot: 1 }))", f"sent {PLACE}"),
    "half a number": ("answer", "send(message({ commit: 'a'.repeat(64), number: 0.5, lot: 1 }))", f"sent {PLACE}"),
    "one field more": ("answer", "send(message({ commit: 'a'.repeat(64), number: 1, lot: 1, x: 1 }))", f"sent {PLACE}"),
    "out of turn": ("after answer", "send(message({ number: 1 }))", "sent a message "),
    "twice": ("after answer", "send(text)", "sent a message "),
    "a taken square": (
        "move",
        "send(message({ square: game.match.round.moves[0] ?? 0 }))",
        "marked a square that is not allowed",
    ),
    "no square": ("move", "send(message({ square: 'a' }))", f"sent {PLACE}"),
    "another secret": (
        "guest opens",
        "send(message({ open: [(game.secrets.goal[0] + 1) % 3, game.secrets.goal[1]] }))",
        OPENED,
    ),
    "leaving": (
        "guest opens",
        "send(JSON.stringify({ end: 'left' })); globalThis.ended = 'foul'",
        "left without opening the number that it had sealed",
    ),
    "silence": ("guest opens", "globalThis.silent = true", "did not open its sealed number for a minute"),
}  # fmt: skip
"""By what a hostile guest does: when, how, and what is said of it."""


@pytest.mark.parametrize("kind", by_default(EVIL, "null", "out of turn", "another secret", "silence"))
def test_a_hostile_page(two: Two, kind: str) -> None:
    host, guest = two
    when, make, told = EVIL[kind]
    if kind == "silence":
        host.clock.install()
    link = invite(host)
    guest.goto(f"{HTTPS}icon.svg")
    evil = {"phase": when.removeprefix("after "), "instead": not when.startswith("after ")}
    paste(host, guest.evaluate(PEER.replace("MAKE", make), [link, {"name": "Mallory"}, evil]))
    status = host.locator(".status")
    if kind == "silence":
        wait_until(lambda: mark(host) or guest.evaluate("globalThis.silent"))
        host.clock.run_for(61_000)
    wait_until(lambda: mark(host) or status.get_by_text("page").count())
    expect(status).to_contain_text(f"Mallory\u2019s page {told}")
    expect(host.locator(".friend")).to_contain_text("Mallory loses this round: Ann 1 : 0 Mallory.")
    expect(host.locator(".friend")).to_contain_text("Ann wins the match.")
    expect(host.locator(".friend .square[aria-disabled=false]")).to_have_count(0)
    guest.wait_for_function("() => globalThis.ended === 'foul'")
    assert host.evaluate(KEPT, "friend") is None


def mark(host: Page) -> None:
    """The host marks a square if it is its turn, and goes on to the next round if one is over."""
    free = host.locator(".friend .square[aria-disabled=false]")
    if free.count() > 0:
        square = free.first.get_attribute("data-square")
        host.locator(f"[data-square='{square}']").click()
    if (button := host.get_by_role("button", name="Next round")).count() > 0:
        button.click()


@pytest.mark.parametrize("name", ["<b>Bob</b>", 7, *slow("Ann", "you", "B\u202eob", "x" * 300, "", None, ["Bob"])])
def test_hostile_names(two: Two, name: Any) -> None:
    host, guest = two
    link = invite(host)
    guest.goto(f"{HTTPS}icon.svg")
    waits = {"phase": "move", "instead": True}
    paste(host, guest.evaluate(PEER.replace("MAKE", ""), [link, {"name": name}, waits]))
    expect(host.locator(".friend .who").last).to_have_text("<b>Bob</b>" if name == "<b>Bob</b>" else "Friend")


DEALING = """async () => {
  const [{ FriendMatch, FoulError, isKeptFriend }, { drawWhole }, { loadCatalogue }] = await Promise.all(
    ["play/friend_match", "play/randomness", "loading/solution_loader"].map((name) => import(`/${name}.js`)));
  const catalogue = await loadCatalogue();
  const [three, uneven] = await Promise.all(catalogue.solutions.map((one) => one.loadTree()));
  Object.assign(uneven.rules.data, { goal_odds: [2, 1, 1] });
  const terms = { id: "0".repeat(32), solution: "three-in-a-row", winningScore: 1 };
  const pair = async (tree) => [await FriendMatch.begun(terms, true, ["Ann", "Bob"], tree),
                                await FriendMatch.begun(terms, false, ["Bob", "Ann"], tree)];
  const step = async (one, other) => {
    const [from, to] = one.speaker === 0 ? [one, other] : [other, one];
    const free = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((square) => !from.match.round?.moves.includes(square));
    await to.receive(await from.say(free));
  };
  const told = { goals: {}, firsts: [0, 0], kept: [], refused: [] };
  for (const [name, tree] of [["1:1:1", three], ["2:1:1", uneven]]) {
    const counts = [[0, 0, 0], [0, 0, 0]];
    for (let time = 0; time < 400; time += 1) {
      const [one, other] = await pair(tree);
      while (one.phase !== "move") await step(one, other);
      for (const [player, game] of [one, other].entries()) counts[player][game.match.round.goals[0]] += 1;
      told.firsts[one.match.first] += 1;
      if (one.match.first === other.match.first) throw new Error("both begin");
    }
    told.goals[name] = counts;
  }
  // What is kept is the same match again at every step, and nothing else is.
  const [one, other] = await pair(three);
  while (one.phase !== "over") {
    for (const game of [one, other]) {
      const kept = JSON.parse(JSON.stringify(game.kept));
      const again = await FriendMatch.restored(kept, three);
      const text = ({ phase, hashes, match }) => JSON.stringify([phase, hashes, match.round?.goals[0], match.score]);
      told.kept.push(isKeptFriend(kept, catalogue.playable.bind(catalogue)) && text(again) === text(game));
    }
    await step(one, other);
  }
  const { log } = one.kept;
  const message = (promise) => promise.then(() => "", (error) => error.message);
  for (const bad of [log.slice(1), [log[0], ...log], log.with(3, log[4]), log.with(0, log[0].replace("commit", "c"))]) {
    told.refused.push(await message(FriendMatch.restored({ ...one.kept, log: bad }, three)));
  }
  // Whoever sends the other's commitment as an own one cannot open it, though both numbers are the same then.
  const [host] = await pair(three);
  const said = [JSON.parse(await host.say())];
  const reply = (body) => host.receive(JSON.stringify({ n: host.log.length + 1, before: host.hashes.at(-1), ...body }));
  await reply({ commit: said[0].commit, number: 0, lot: 0 });
  while (host.phase !== "guest opens") {
    const free = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((square) => !host.match.round?.moves.includes(square));
    if (host.speaker === 0) said.push(JSON.parse(await host.say(free)));
    else await reply({ square: free });
  }
  told.copied = await message(reply({ open: said.at(-1).open }));
  // Every number as often as any other: what would make the lower ones more likely is drawn again.
  const real = crypto.getRandomValues;
  const drawn = [2 ** 32 - 1, 5];
  crypto.getRandomValues = (array) => array.fill(drawn.shift());
  told.drawn = drawWhole(3);
  crypto.getRandomValues = real;
  return told;
}"""


def test_dealing(page: Page, not_refined: PageServer) -> None:
    page.goto(not_refined.url)
    told = page.evaluate(DEALING)
    for name, odds in (("1:1:1", (1, 1, 1)), ("2:1:1", (2, 1, 1))):
        for counts in told["goals"][name]:
            expected = [400 * one / sum(odds) for one in odds]
            square = sum((count - mean) ** 2 / mean for count, mean in zip(counts, expected, strict=True))
            assert square < 30, counts  # by chance once in three million
    assert sum(told["firsts"]) == 800
    assert 280 < told["firsts"][0] < 520
    assert told["kept"] == [True] * len(told["kept"])
    assert len(told["kept"]) > 10
    assert told["refused"] == [f"sent {FOLLOW}"] * 3 + [f"sent {PLACE}"]
    assert told["copied"] == OPENED
    assert told["drawn"] == 2


def test_elsewhere_the_page_says_why_not(page: Page, not_refined: PageServer) -> None:
    page.goto(f"{not_refined.url}#friend")
    expect(page.locator(".friend")).to_contain_text("This page was not loaded over https")
    expect(page.locator(".friend code")).to_have_text("tictactoe page -o page/")
    address = "https://example.org/game/"
    with running_server(PageData([load_solution("match_to_1")], address, compression=1)) as server:
        page.goto(f"{server.url}#friend")
        expect(page.get_by_role("link", name=address)).to_have_attribute("href", f"{address}#friend")


@pytest.mark.parametrize("stun", ["stun.page.example:3478", *slow(None)])
def test_another_server_is_named_before_it_is_asked(context: BrowserContext, stun: str | None) -> None:
    context.add_init_script(
        """globalThis.made = [];
        globalThis.RTCPeerConnection = class {
          constructor(options) { made.push(options); throw new Error("none"); }
        };"""
    )
    with running_server(PageData([load_solution("match_to_1")], stun=stun, compression=1)) as server:
        over_https(context, server.url)
        page = context.new_page()
        page.goto(f"{HTTPS}#friend")
        told = page.locator(".friend form .muted").first
        expect(told).to_contain_text(f"your browser asks {stun}" if stun else "Both must be on the same network")
        page.locator("#friend-name").fill("Ann")
        assert page.evaluate("made") == []
        page.get_by_role("button", name="Make an invitation").click()
        expect(page.locator(".notice")).to_be_visible()
        assert page.evaluate("made") == [{"iceServers": [{"urls": f"stun:{stun}"}] if stun else []}]
