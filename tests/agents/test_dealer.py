"""The dealer of twenty-one over real sockets: its messages to the byte, tables and finals, whoever breaks the rules."""

import asyncio
import contextlib
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import pytest
from support.network import Host
from support.waiting import HANGS

from tictactoe import FormatError
from tictactoe.agents import network_reception
from tictactoe.agents.card_player import Average, CardPlayer, QTable, State
from tictactoe.agents.client import Address, RefusedError
from tictactoe.agents.dealer import DECK, Dealer, Terms, deal
from tictactoe.agents.messages import LONGEST_LINE
from tictactoe.agents.network_player import Patience


def points_of(cards: list[str]) -> int:
    """As the document has it, said once more: every ace 1 or 11, the most that is not above 21."""
    values = {"Jack": 10, "Queen": 10, "King": 10, "Ace": 1}
    numbers = ["Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"]
    values |= {name: number for number, name in enumerate(numbers, 2)}
    ranks = [card.split(" of ")[0] for card in cards]
    totals = [sum(values[rank] for rank in ranks) + 10 * elevens for elevens in range(ranks.count("Ace") + 1)]
    return max((total for total in totals if total <= 21), default=totals[0])


@pytest.mark.parametrize("seats", [1, 2, 6])
def test_games_by_the_rules(seats: int) -> None:
    draws, seen = random.Random(seats), Counter[str]()
    assert len(set(DECK)) == 52
    for _ in range(400):
        deck = draws.sample(DECK, 52)
        game, told, answer = deal(deck, seats), list[tuple[int, str]](), None
        with contextlib.suppress(StopIteration):
            while True:
                told.append(game.send(answer))
                answer = draws.choice(("HIT", "STAND")) if told[-1][1] == "DECISION" else None
                if answer:
                    told.append((told[-1][0], answer))
        cards = [message[5:] for _, message in told if message.startswith("CARD ")]
        assert cards[: 2 * seats] == [*deck[:seats], *deck[seats + 1 : 2 * seats + 1]]
        assert cards[2 * seats :] == deck[2 * seats + 2 :][: len(cards) - 2 * seats]
        dealer, rest = [deck[seats], deck[2 * seats + 1]], deck[len(cards) + 2 :]
        while points_of(dealer) < 17:
            dealer.append(rest.pop(0))
        for seat in range(seats):
            mine = [message for each, message in told if each == seat]
            hand = [message[5:] for message in mine if message.startswith("CARD ")]
            points, dealers = points_of(hand), points_of(dealer)
            words = [word for card in hand[2:] for word in ("DECISION", "HIT", f"CARD {card}")]
            ending = [] if points > 21 else ["DECISION", "STAND"]
            expected = "WIN" if dealers > 21 or points > dealers else "PUSH" if points == dealers else "LOOSE"
            result = f"RESULT {'BUST' if points > 21 else expected}"
            start = ["BEGIN", f"CARD {hand[0]}", f"CARD {hand[1]}", f"DEALER {dealer[1]}"]
            assert mine == [*start, *words, *ending, result]
            seen[result] += 1
    assert len(seen) == 4


# --- over sockets

Answer = Callable[[list[str]], str]


class Seat:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.said: list[str] = []

    @classmethod
    async def joined(cls, port: int, name: str) -> "Seat":
        seat = cls(*await asyncio.open_connection("127.0.0.1", port))
        seat.write(f"JOIN {name}\0".encode())
        return seat

    def write(self, data: bytes) -> None:
        self.writer.write(data)

    async def hear(self, until: str = "") -> str:
        async with asyncio.timeout(HANGS):
            while True:
                try:
                    message = (await self.reader.readuntil(b"\0"))[:-1].decode()
                except (asyncio.IncompleteReadError, ConnectionError):
                    return ""
                self.said.append(message)
                if message.startswith(until):
                    return message

    async def play(self, answer: Answer = lambda said: "STAND") -> "Seat":
        while (message := await self.hear()) not in ("QUIT", ""):
            if message == "DECISION":
                self.write(f"{answer(self.said)}\0".encode())
        self.writer.close()
        return self

    @property
    def results(self) -> list[str]:
        return [message for message in self.said if message.startswith("RESULT")]


class Held(Host):
    def __init__(self, terms: Terms) -> None:
        super().__init__()
        self.dealer = Dealer(terms, self.said.append)
        self.ended = self.dealer.over


@contextlib.asynccontextmanager
async def held(
    players: int | None = None, rounds: int = 5, *, seconds: float = HANGS, grace: float = HANGS
) -> AsyncIterator[Held]:
    table = Held(Terms(rounds, 1, players, Patience(seconds, grace)))
    server = await table.dealer.listen("127.0.0.1", 0)
    table.port = server.address[1]

    async def say_goodbye() -> None:
        await table.ended.wait()
        await table.dealer.close(server)

    closing = asyncio.create_task(say_goodbye())
    try:
        yield table
        await table.over()
        await closing
    finally:
        closing.cancel()


def said_to(seat: int, deck: list[str]) -> list[str]:
    game, answer, heard = deal(deck, 2), None, list[str]()
    with contextlib.suppress(StopIteration):
        while True:
            each, message = game.send(answer)
            answer = "STAND" if message == "DECISION" else None
            heard += [message] if each == seat else []
    return heard


async def test_every_byte_of_a_table() -> None:
    """Equal seeds give equal decks. A message may come in parts, and with more zeros, as buffers have them."""
    async with held(2, rounds=2) as table:
        seats = [await Seat.joined(table.port, name) for name in ("Ann", "B")]
        seats[1].write(b"\0" * 5000)
        assert await seats[1].hear() == "BEGIN"
        assert await (await Seat.joined(table.port, "Cy")).hear() == "QUIT", "two were waited for"
        for _ in range(2):
            for seat in seats:
                await seat.hear("DECISION")
                for part in (b"STA", b"ND", b"\0\0\0"):
                    seat.write(part)
                    await asyncio.sleep(0.01)
        for seat in seats:
            await seat.play()
        decks = [table.dealer._deck(0, 0, game) for game in range(2)]
    for number, seat in enumerate(seats):
        assert seat.said == [*said_to(number, decks[0]), *said_to(number, decks[1]), "QUIT"]
        assert not await seat.reader.read()
    assert decks[0] != decks[1]
    assert sorted(decks[0]) == sorted(decks[1]) == sorted(DECK)


async def test_others_sit_down_from_game_to_game() -> None:
    """Without a number of players the first begins. Ann plays all games, Bob the rest, and a seventh finds no seat."""
    async with held(rounds=3) as table:
        ann = await Seat.joined(table.port, "Ann")
        await ann.hear("DECISION")
        others = [await Seat.joined(table.port, name) for name in ("Bob", "Cy", "Dee", "Eve", "Fay")]
        await table.until("Fay has joined")
        late = [await Seat.joined(table.port, name) for name in ("Gus", "Ann", "A_B C", "")]
        assert [await seat.hear() for seat in late] == ["QUIT"] * 4
        assert "BEGIN" not in [message for seat in others for message in seat.said]
        ann.write(b"STAND\0")
        await asyncio.gather(ann.play(), *(seat.play() for seat in others))
    refused = [line.removeprefix("refused: ") for line in table.said if line.startswith("refused")]
    assert [words.split(":")[0] for words in refused] == [
        "there are enough players",
        "name",
        "the name 'A_B C' has spaces",
        "there are enough players",
    ]
    assert [len(seat.results) for seat in (ann, *others)] == [3, 2, 2, 2, 2, 2]
    assert [row.score.counts[0] for row in table.dealer.standings()].count(3) == 1


async def test_tables_of_six_and_a_final() -> None:
    """Who stands wins more than who hits until bust: of each table the two who stand come to the final."""

    def player(name: str) -> Answer:
        return lambda said: "STAND" if name.startswith("good") else "HIT"

    names = [f"{kind}{number}" for kind in ("bad", "good") for number in range(6)] + ["bad6"]
    async with held(13, rounds=30) as table:
        seats = []
        for name in names:
            seats.append(await Seat.joined(table.port, name))
            await table.until(f"{name} has joined")
        await asyncio.gather(*(seat.play(player(name)) for name, seat in zip(names, seats, strict=True)))
        await table.over()
        rows = table.dealer.standings()
        data = table.dealer.as_dict()
    assert [len(stage) for stage in table.dealer.stages] == [3, 1]
    assert sorted(row.score.name for row in rows if row.stage == 2) == [f"good{number}" for number in range(6)]
    assert [row.stage for row in rows] == [2] * 6 + [1] * 7
    assert sorted((row.score.won for row in rows[:6]), reverse=True) == [row.score.won for row in rows[:6]]
    for name, seat in zip(names, seats, strict=True):
        assert len(seat.results) == (60 if "good" in name else 30)
        assert seat.said[-1] == "QUIT"
        assert seat.said.count("QUIT") == 1
        (row,) = (row for row in rows if row.score.name == name)
        assert seat.results[-30:].count("RESULT WIN") == row.score.won
        assert seat.results[-30:].count("RESULT BUST") == row.score.bust
    assert (data["dealt"], len(data["tables"][0]), data["standings"][0]["place"]) == (120, 3, 1)


@pytest.mark.parametrize("answer", [b"hit", b"STAND ", b"HIT\n", b"\xff\xfe", b"DECISION", b"JOIN Ann"])
async def test_a_wrong_answer_is_asked_again_three_times(answer: bytes) -> None:
    async with held(rounds=5) as table:
        ann = await Seat.joined(table.port, "Ann")
        for _ in range(3):
            await ann.hear("DECISION")
            ann.write(answer + b"\0")
        await ann.hear("DECISION")
        assert ann.said[3:] == ["DEALER " + ann.said[3][7:], *["DECISION"] * 4]
        for _ in range(4):  # of the next game
            ann.write(b"STAND\0" if len(ann.results) == 0 else answer + b"\0")
            await ann.hear("DECISION")
        ann.write(answer + b"\0")
        assert [await ann.hear() for _ in range(3)] == ["RESULT LOOSE", "QUIT", ""]
        back = await (await Seat.joined(table.port, "Ann")).play()
        assert len(back.results) == 3
    (row,) = table.dealer.standings()
    assert row.score.counts[0] == 5


async def test_a_silent_player_loses_and_may_join_again() -> None:
    """The others go on. The late answer is to nobody; three games in a row, and the player is out."""
    async with held(2, rounds=40, seconds=0.5, grace=0.5) as table:
        eve, bob = [await Seat.joined(table.port, name) for name in ("Eve", "Bob")]
        playing = asyncio.create_task(bob.play())
        for _ in range(3):
            assert [await eve.hear("RESULT"), await eve.hear(), await eve.hear()] == ["RESULT LOOSE", "QUIT", ""]
            eve.write(b"STAND\0")
            eve = await Seat.joined(table.port, "Eve")
        await playing
    assert len(bob.results) == 40
    assert any("took longer than 0.5 seconds" in line for line in table.said)


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"x" * (LONGEST_LINE + 1), f"a line of more than {LONGEST_LINE} bytes"), (b"QUIT\0", "has left")],
)
async def test_floods_and_goodbyes_at_the_table(data: bytes, reason: str) -> None:
    async with held(2, rounds=20) as table:
        eve, bob = [await Seat.joined(table.port, name) for name in ("Eve", "Bob")]
        await eve.hear("BEGIN")
        eve.write(data)
        while await eve.hear():
            pass
        assert eve.said[-1] == "QUIT"
        await bob.play()
        again = await Seat.joined(table.port, "Eve")
        assert await again.hear() in ("QUIT", "")
    assert len(bob.results) == 20
    assert f"Eve is out: {reason}" in table.said
    assert {row.score.name: row.score.counts[0] for row in table.dealer.standings()}["Bob"] == 20


async def test_a_flood_of_answers() -> None:
    """One is the answer, four are too many; the next connection begins with the next game."""
    async with held(2, rounds=4) as table:
        ann, eve = [await Seat.joined(table.port, name) for name in ("Ann", "Eve")]
        await ann.hear("DECISION")
        eve.write(b"HIT\0" * 1000)
        while await eve.hear():
            pass
        assert eve.said[-1] == "QUIT"
        eve = await Seat.joined(table.port, "Eve")
        await table.until("Eve is back")
        ann.write(b"STAND\0")
        await asyncio.gather(ann.play(), eve.play())
    assert "Eve has made too many mistakes; the last one: HIT without a DECISION; Eve may join again" in table.said
    assert (len(ann.results), len(eve.results)) == (4, 3)
    assert [row.score.counts[0] for row in table.dealer.standings()] == [4, 4]


async def test_who_is_cut_off_loses_the_hand_and_comes_back() -> None:
    """Asked or not; one who has stood has played the game. Nobody else may take the name meanwhile."""
    async with held(2, rounds=4) as table:
        ann, bob = [await Seat.joined(table.port, name) for name in ("Ann", "Bob")]
        await ann.hear("DECISION")
        ann.writer.transport.abort()  # asked
        await bob.hear("DECISION")
        await table.until("Ann is away")
        assert table.dealer.waits_for == "playing"
        ann = await Seat.joined(table.port, "Ann")
        await table.until("Ann is back")
        bob.write(b"STAND\0")
        await ann.hear("DECISION")
        assert ann.said[0] == "BEGIN"
        ann.write(b"STAND\0")
        await bob.hear("DECISION")
        table.said.clear()
        ann.writer.transport.abort()  # has stood
        await table.until("Ann is away")
        ann = await Seat.joined(table.port, "Ann")
        await table.until("Ann is back")
        bob.write(b"STAND\0")
        await asyncio.gather(ann.play(), bob.play())
        assert ann.said[0] == "BEGIN"
    scores = {row.score.name: row.score for row in table.dealer.standings()}
    assert (len(bob.results), len(ann.results)) == (4, 2)
    assert [score.counts[0] for score in scores.values()] == [4, 4]


async def test_a_table_that_all_have_left_is_over() -> None:
    async with held(rounds=10**6, grace=0.05) as table:
        ann = await Seat.joined(table.port, "Ann")
        await ann.hear("DECISION")
        ann.writer.close()
        await table.over()
    assert "Ann is out: away for longer than 0.05 seconds" in table.said


async def test_strangers_who_do_not_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_reception, "SECONDS_TO_JOIN", 0.05)
    async with held(rounds=1) as table:
        for first in (b"", b"HIT\0", b"GET / HTTP/1.1\r\n\r\n", b"JOIN \xff\0", b"JOIN You\0"):
            seat = Seat(*await asyncio.open_connection("127.0.0.1", table.port))
            seat.write(first)
            assert [await seat.hear(), await seat.hear()] == ["QUIT", ""]
        assert not table.dealer.has_begun
        await (await Seat.joined(table.port, "Ann")).play()


async def test_the_example_player() -> None:
    example = Path(__file__).parents[2] / "examples" / "agents" / "twenty_one_player.py"
    async with held(3, rounds=100) as table:
        theirs = [
            await asyncio.create_subprocess_exec(
                sys.executable, example, "127.0.0.1", str(table.port), name, stdout=asyncio.subprocess.PIPE
            )
            for name in ("Ann", "Bob")
        ]
        await asyncio.to_thread(CardPlayer(QTable()).sit, Address("127.0.0.1", table.port), "Cy", 30.0)
        outs = [(await player.communicate())[0].decode().split() for player in theirs]
    scores = {row.score.name: row.score for row in table.dealer.standings()}
    assert [scores[name].won for name in ("Ann", "Bob")] == [out.count("WIN") for out in outs]
    assert [len(out) for out in outs] == [100, 100]
    assert 20 < scores["Ann"].won < 60


# --- the player, and its table


async def test_a_player_learns_and_plays(tmp_path: Path) -> None:
    """What is learnt is what the messages say, and it goes on; playing leaves the table as it is."""
    path, table = tmp_path / "q.csv", QTable()
    for train in (True, True, False):
        player = CardPlayer(table, random.Random(1) if train else None)
        async with held(rounds=200) as host:
            await asyncio.to_thread(player.sit, Address("127.0.0.1", host.port), "Ann", 30.0)
        assert player.results.total() == 200
        assert host.dealer.standings()[0].score.won == player.results["WIN"]
        table.save(path)
        again = QTable.load(path)
        assert again.averages.keys() == {(each._replace(), action) for each, action in again.averages}
        assert {each: again.averages[each] for each in table.averages} == table.averages
        table = again
    assert sum(average.tried for average in table.averages.values()) > 400


def test_every_decision_gets_the_reward() -> None:
    """The example of the document: 11, 14 and 21 against an 8, and a win."""
    player = CardPlayer(QTable(), random.Random(0))
    choices = iter(["HIT", "HIT"])
    player.draws.choice = lambda _: next(choices)  # type: ignore
    for message in ("BEGIN", "CARD Five of Diamonds", "CARD Six of Clubs", "DEALER Eight of Spades"):
        assert player.told(message) is None
    answers = [player.told("DECISION"), player.told("CARD Three of Hearts"), player.told("DECISION")]
    answers += [player.told("CARD Seven of Spades"), player.told("DECISION"), player.told("RESULT WIN")]
    assert answers == ["HIT", None, "HIT", None, "STAND", None]
    expected = {(11, "HIT"), (14, "HIT"), (21, "STAND")}
    assert {(state.points, action) for (state, action), average in player.table.averages.items()} == expected
    assert set(player.table.averages.values()) == {Average(1.0, 1)}
    assert player.table.text().splitlines()[1:] == [
        *(f"{points},hard,8,{cells}" for points, cells in ((11, "1.0,1,,0"), (14, "1.0,1,,0"), (21, ",0,1.0,1"))),
        *(f"{points},any,8,{cells}" for points, cells in ((11, "1.0,1,,0"), (14, "1.0,1,,0"), (21, ",0,1.0,1"))),
    ]
    soft = State(14, True, 8)
    player.table.learn([(soft, "HIT")], -1)
    assert player.table.by_points(14, 8) == (Average(0.0, 2), Average())
    assert [player.table.best(each) for each in (State(14, False, 8), soft, State(21, True, 8))] == [
        "HIT",
        "STAND",
        "STAND",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1"),
        ("a,b\n", "line 1: the columns"),
        ("HEAD12,hard,6,0.5,1\n", "line 2: 5 cells"),
        ("HEAD22,hard,6,0.5,1,,0\n", "line 2: no state"),
        ("HEAD12,firm,6,0.5,1,,0\n", "line 2: no state"),
        ("HEAD12,hard,6,1.5,1,,0\n", "line 2: HIT: no average"),
        ("HEAD12,hard,6,,1,,0\n", "line 2: HIT: a value and a count"),
        ("HEAD12,hard,6,0.5,1,nan,2\n", "line 2: STAND: 'nan' or '2' is not a finite"),
        ("HEAD12,hard,6,0.5,1,,0\n" + "12,hard,6,0.5,1,,0\n", "line 3: this state occurs twice"),
        ("HEAD\u00e9", "not a table"),
    ],
)
def test_a_damaged_table(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text(text.replace("HEAD", "points,hand,dealer,hit,hits,stand,stands\n"))
    with pytest.raises(FormatError, match=problem):
        QTable.load(path)


def test_a_table_that_a_spreadsheet_has_saved(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_bytes(b"\xef\xbb\xbfpoints,hand,dealer,hit,hits,stand,stands\r\n12,hard,6,0.5,2,,0\r\n\r\n")
    assert QTable.load(path).averages[State(12, False, 6), "HIT"] == Average(0.5, 2)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (b"CARD One of Clubs\0", "the dealer breaks the protocol: 'One of Clubs' is not a card"),
        (b"BEGIN\0DECISION\0", "the dealer breaks the protocol: DECISION with 0 cards"),
        (b"RESULT WIN\0", "the dealer breaks the protocol: RESULT WIN without a game"),
        (b"RESULT LOSE\0", "the dealer breaks the protocol: 'RESULT LOSE'"),
        (b'{"type":"welcome"}\n\0', "the dealer breaks the protocol: '{"),
        (b"x" * 5000, "the dealer breaks the protocol: a line of more than"),
        (b"QUIT\0", "sends Ann away"),
        (b"BEGIN\0CARD", "the connection is lost"),
    ],
)
async def test_dealers_that_are_none(said: bytes, problem: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.readuntil(b"\0") == b"JOIN Ann\0"
        writer.write(said)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        address = Address(*server.sockets[0].getsockname())
        with pytest.raises(RefusedError, match=problem):
            await asyncio.to_thread(CardPlayer(QTable()).sit, address, "Ann", 0.1)


async def test_a_silent_dealer_is_waited_for_and_that_is_said() -> None:
    said: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\0")
        while not said:
            await asyncio.sleep(0.01)
        writer.write(b"BEGIN\0QUIT\0")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        address = Address(*server.sockets[0].getsockname())
        sit = partial(CardPlayer(QTable()).sit, say=said.append)
        await asyncio.wait_for(asyncio.to_thread(sit, address, "Ann", 0.1), HANGS)
    assert said == ["the dealer has said nothing for 0.1 seconds; still waiting, Ctrl-C stops"]
