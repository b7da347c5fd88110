"""Hold'em as players type it: ranges, sizes of bets, trees that other solvers count alike, and play by plain Python."""

import re
from collections import Counter
from functools import cache
from itertools import combinations
from typing import Any
from unittest import mock

import pytest
from oracle import descriptions, poker_hands

from tictactoe import CHANCE, CFRSolver, build_game, exploitability, update_rule
from tictactoe.algorithms.ranked_game import RankedGame
from tictactoe.games.named_games import named_game

BOARD = "Ks Th 7s 4d 2s"
OFF = {"add_all_in": 0, "force_all_in": 0, "merging": 0}
TURN = {
    "board": "Td 9d 6h Qc",
    "ranges": "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s : "
    "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
    "pot": 200,
    "stack": 900,
    "bets": "60%, geometric, all-in",
    "raises": "2.5x",
    "donk": "50%",
}


def holdem(**given: Any) -> Any:
    return named_game(f"holdem({', '.join(f'{name}={value!r}' for name, value in given.items())})").description


def weights(text: str, board: str = "2c 2d 2h 2s 3c") -> dict[str, float]:
    found = holdem(board=board, ranges=f"{text} : all")
    return dict(zip(found.types[0], found.weights[0], strict=True))


RANGES = [
    ("QQ", 6, "QdQc"),
    ("AKs", 4, "AsKs"),
    ("AKo", 12, "AsKd"),
    ("KA", 16, "AsKs"),
    ("AsKd", 1, "AsKd"),
    ("KdAs", 1, "AsKd"),
    ("TT+", 30, "AsAc"),
    ("A9s+", 20, "AhTh"),
    ("T9o+", 12, "Ts9c"),
    ("96o+", 36, "9s6c"),
    ("QQ-88", 30, "9h9d"),
    ("88-QQ", 30, "9h9d"),
    ("A5s-A4s", 8, "Ad4d"),
    ("98s-65s", 16, "7h6h"),
    ("97-75", 48, "8s6d"),
    ("AA, KK, AA", 12, "KsKh"),
    ("all", 47 * 46 // 2, "4s3d"),
]


@pytest.mark.parametrize(("text", "number", "one"), RANGES, ids=[text for text, *_ in RANGES])
def test_ranges(text: str, number: int, one: str) -> None:
    found = weights(text)
    assert len(found) == number
    assert one in found
    assert set(found.values()) == {1.0}


def test_weights_and_what_counts_twice() -> None:
    assert weights("AA@0.5, AsAh:.25, KK : 1") == weights("AA:.5,KK") | {"AsAh": 0.25}
    assert len(weights("AA, AsAh@0")) == 5
    assert set(weights("all", BOARD)) == {
        hand for hand in weights("all", "2c 2d 2h 2s 3c") if not {hand[:2], hand[2:]} & {*BOARD.split()}
    } | {hand for hand in weights("all", BOARD) if {hand[:2], hand[2:]} & {"2c", "2d", "2h", "3c"}}


def test_small_and_capital_letters() -> None:
    assert weights("aks, QQ+, ASkD, tT@.5") == weights("AKs, QQ+, AsKd, TT@.5")
    assert weights("ALL", "KS,th 7s4d2S") == weights("all", BOARD)
    upper, lower = holdem(bets="50%, ALL-IN", raises="3X"), holdem(bets="50%, all-in", raises="3x")
    assert counted(upper) == counted(lower)


def test_no_bets_on_the_river() -> None:
    found = holdem(board=BOARD, bets="50%", river_bets="", river_raises="")
    assert [name for name, _ in found.moves(found.root())] == ["check"]


WRONG = [
    ({"ranges": "AA"}, "ranges: 'AA' is not one part for each player, with a colon between them"),
    ({"ranges": "AA : KK : QQ"}, "ranges: 'AA : KK : QQ' is not one part for each player, with a colon between them"),
    ({"ranges": "AA, AKx : all"}, "ranges, player 0: 'AKx' (character 5) is no hands, such as QQ, AKs, AsKd"),
    ({"ranges": "AA : KK,  AAs"}, "ranges, player 1: 'AAs' (character 11): there are no such hands"),
    ({"ranges": "AA : AsAs"}, "ranges, player 1: 'AsAs' (character 6): there are no such hands"),
    ({"ranges": "AA : A5s-K3s"}, "ranges, player 1: 'A5s-K3s' (character 6): there are no such hands"),
    ({"ranges": "AA : A5s-A4o"}, "ranges, player 1: 'A5s-A4o' (character 6): there are no such hands"),
    ({"ranges": "AA@2 : all"}, "ranges, player 0: 'AA@2' (character 1): '2' is not a weight from 0 to 1"),
    ({"ranges": "KsKd : all"}, "ranges, player 0: no hand is possible with the board Ks Th 7s 4d 2s"),
    ({"ranges": " : all"}, "ranges, player 0: no hand is possible with the board Ks Th 7s 4d 2s"),
    ({"ranges": "AA@ : all"}, "ranges, player 0: 'AA@' (character 1): '' is not a weight from 0 to 1"),
    ({"ranges": 22}, "ranges: 22 is no text in quotes"),
    ({"bets": 50}, "bets: 50 is no text in quotes"),
    ({"board": "Ks Th 7s"}, "board: 'Ks Th 7s' is not four or five cards: only the turn and the river are solved"),
    ({"board": "Ks Th 7s 4d 4D"}, "board: '4D' (character 13) lies there twice"),
    ({"board": "Ks Th 7x 4d 2s"}, "board: '7x' (character 7) is no card, such as Ks or Th"),
    ({"bets": "50%, half"}, "bets: 'half' (character 6) is no size such as 50%, geometric or all-in"),
    ({"bets": "3x"}, "bets: '3x' (character 1) is no size such as 50%, geometric or all-in"),
    ({"raises": "1x"}, "raises: '1x' (character 1) is no size such as 50%, geometric or all-in, or 3x"),
    ({"bets": "50% : 3%, x"}, "bets: 'x' (character 11) is no size"),
    ({"pot": 0}, "pot: 0 is not a whole number of chips from 1 on"),
    ({"stack": 4.5}, "stack: 4.5 is not a whole number of chips from 1 on"),
    ({"merging": -0.5}, "merging: -0.5 is not a number from 0 on"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[message[:60] for _, message in WRONG])
def test_what_is_mistyped_is_said_with_its_place(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^holdem: {re.escape(message)}") as caught:
        holdem(**{"board": BOARD, "ranges": "AA : all", **given})
    assert "\n" not in str(caught.value)


def counted(description: Any) -> tuple[int, int, int, int]:
    waiting, found = [description.root()], Counter[str]()
    while waiting:
        state = waiting.pop()
        owner = description.owner(state)
        if owner is not None:
            waiting += [after for _, after in description.moves(state)]
        found[{None: state.last, CHANCE: "chance"}.get(owner, "decision")] += 1
    return (
        found["decision"],
        found["chance"],
        found["fold"],
        sum(found.values()) - sum(found[each] for each in ("decision", "chance", "fold")),
    )


def test_trees_are_those_of_another_solver() -> None:
    """Counted by postflop-solver 0.1.0 (github.com/b-inary/postflop-solver): 2,754 decisions, 9 chance moves and
    4,200 ends, of which 8 are all-ins on the turn, with one end for all river cards."""
    river = {"board": BOARD, "ranges": "all : all", "pot": 100, "stack": 450, "bets": "50%,100%", "raises": "3x"}
    assert counted(holdem(**river, **OFF)) == (14, 0, 12, 13)
    decisions, _, *ends = counted(holdem(**river))
    assert (decisions, sum(ends)) == (16, 29)
    turn = holdem(**TURN)
    decisions, chances, *ends = counted(turn)
    assert (decisions, chances, sum(ends)) == (2754, 9 + 8, 4200 - 8 + 8 * 48)
    assert [len(hands) for hands in turn.types] == [167, 250]
    names = [name for name, _ in turn.moves(turn.root())]
    assert names == ["check", "bet 120", "bet 216", "all-in"]
    after_bet = dict(turn.moves(turn.root()))["bet 120"]
    assert [name for name, _ in turn.moves(after_bet)] == ["fold", "call", "raise 300"]


def after(description: Any, *names: str) -> list[str]:
    state = description.root()
    for name in names:
        state = dict(description.moves(state))[name]
    return [name for name, _ in description.moves(state)]


def test_sizes() -> None:
    seats = holdem(bets="50% : 75%, all-in", raises="100% : 2x", **OFF)
    assert after(seats) == ["check", "bet 50"]
    assert after(seats, "check") == ["check", "bet 75", "all-in"]
    assert after(seats, "bet 50") == ["fold", "call", "raise 100"]
    assert after(seats, "bet 50", "raise 100") == ["fold", "call", "raise 400"]  # the pot is 300 once 100 are called
    assert after(seats, "check", "all-in") == ["fold", "call"]
    assert after(holdem(bets="50%", raises="1.2x", **OFF), "bet 50")[-1] == "raise 100"  # a raise doubles it at least
    streets = holdem(board="Td 9d 6h Qc", bets="50%", river_bets="25%", donk="10%", stack=10**6, **OFF)
    assert after(streets, "check", "check", "2c") == ["check", "bet 25"]
    assert after(streets, "check", "bet 50", "call", "2c") == ["check", "bet 20"]  # a donk bet into 200
    assert after(streets, "bet 50", "call", "2c") == ["check", "bet 50"]
    # 100 + 2 * 450 = 10 * 100: two bets of 1.08 of the pot each, and on the river all of it
    geometric = holdem(board="Td 9d 6h Qc", bets="geometric", **OFF)
    assert after(geometric) == ["check", "bet 108"]
    assert after(geometric, "bet 108", "call", "2c") == ["check", "all-in"]
    # all-in is added up to 1.5 pots, and comes in place of a bet that leaves at most 0.15 of the pot
    assert after(holdem(bets="50%", stack=150)) == ["check", "bet 50", "all-in"]
    assert after(holdem(bets="50%", stack=151)) == ["check", "bet 50"]
    assert after(holdem(bets="100%", stack=145, add_all_in=0)) == ["check", "all-in"]
    assert after(holdem(bets="100%", stack=146, add_all_in=0)) == ["check", "bet 100"]
    # 1.5 / 1.37 < 1.1 < 1.5 / 1.36
    assert after(holdem(bets="50%, 37%")) == ["check", "bet 50"]
    assert after(holdem(bets="50%, 36%")) == ["check", "bet 36", "bet 50"]


SMALL = [
    {"board": BOARD, "ranges": "AA,K7s,QJs@0.5,98s,AsQs : KQo,33,7c6c:0.25,JJ", "stack": 150, "bets": "50%,100%"},
    {"board": "Kh Th 7s 4d", "ranges": "AhQh,7c7d@0.5,AsTs : KcQc,JhJd,8h6h", "stack": 120, "bets": "60%"},
]


class ByPairs:
    """The same game, hand against hand, with the rules of showdowns written anew."""

    def __init__(self, description: Any, given: dict[str, Any]) -> None:
        self._description, self._given = description, given
        self.types, self.root, self.owner, self.moves = (
            getattr(description, name) for name in ("types", "root", "owner", "moves")
        )
        self._weights = [dict(zip(*each, strict=True)) for each in zip(self.types, description.weights, strict=True)]
        self._total = 1.0
        self._total = sum(self.prior(first, second) for first in self.types[0] for second in self.types[1])

    def prior(self, first: str, second: str) -> float:
        meet = len({first[:2], first[2:], second[:2], second[2:]}) < 4
        return 0.0 if meet else self._weights[0][first] * self._weights[1][second] / self._total

    def chance(self, state: Any, card: str, first: str, second: str) -> float:
        return 0.0 if card in (first[:2], first[2:], second[:2], second[2:]) else 1 / 44

    def payoff(self, state: Any, first: str, second: str) -> float:
        put_in, pot = [self._given["stack"] - left for left in state.left], self._description.base * 2
        if state.last == "fold":
            return float(-put_in[0] if state.mover == 1 else pot + put_in[1])
        cards = [*self._given["board"].split(), *([state.card] if state.card else [])]
        ours, other = (best_of((*cards, hand[:2], hand[2:])) for hand in (first, second))
        return float(pot / 2 if ours == other else pot + put_in[1] if ours > other else -put_in[0])


best_of = cache(poker_hands.best)


@pytest.mark.parametrize("given", SMALL, ids=["river", "turn"])
def test_small_games_by_plain_python(given: dict[str, Any]) -> None:
    description = holdem(**given)
    with mock.patch.object(RankedGame, "is_wide", True):  # with its kernels, though there are few types
        game, plain = build_game(description), ByPairs(description, given)
    solver = CFRSolver(game, update_rule("pdcfr+"))
    solver.run(40)
    strategy = solver.average_strategy()
    known = {(each.history, each.type): each.probabilities for each in game.information_sets(strategy)}
    play = (lambda *where: known[where],) * 2
    found = exploitability(game, strategy)
    assert found.value == pytest.approx(descriptions.value(plain, play), abs=1e-9)
    for player, gain in enumerate((found.value + found.first_gain, found.second_gain - found.value)):
        assert gain == pytest.approx(descriptions.best_response_value(plain, play, player), abs=1e-9)
    assert found.total > 1e-6


def test_all_hands_of_a_river() -> None:
    """What player 0 takes out of the pot: 46.93 of 100, as postflop-solver says, too."""
    game = build_game(holdem(board=BOARD, ranges="all : all", bets="50%,100%", **OFF))
    assert [len(hands) for hands in game.types] == [1081, 1081]
    possible = sum(1 for _ in combinations(range(47), 2)) * (45 * 44 // 2)
    assert (game.prior > 0).sum() == possible
    solver = CFRSolver(game, update_rule("rdcfr"))
    solver.run(500)
    found = exploitability(game, solver.average_strategy())
    assert found.value == pytest.approx(46.933, abs=0.02)
    assert found.total < 0.1
