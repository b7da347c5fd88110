"""Games by name: the examples, files of a user, what stands in brackets, and what is wrong with any of these."""

from pathlib import Path

import pytest

from tictactoe.environments.open_spiel_game import game_by_name
from tictactoe.errors import GameError, UserCodeError
from tictactoe.games.named_games import EXAMPLES, named_game

MINE = """
class Mine:
    types = ("a",), ("b",)

    def __init__(self, owner=0, payoff="1"):
        self.mover, self.paid = owner, payoff

    def prior(self, first, second):
        return 1

    def root(self):
        return ""

    def owner(self, state):
        return None if state else self.mover

    def moves(self, state):
        yield from [("x", "x"), ("y", "y")]
        if self.paid == "lazy":
            next(iter(()))

    def payoff(self, state, first, second):
        return float(self.paid or next(iter(())))


number = 3
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(MINE)
    return f"{tmp_path / 'mine.py'}:Mine"


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_has_a_file_and_a_description(name: str) -> None:
    found = named_game(name)
    assert len(getattr(found.description, "types", "01")) == 2
    assert found.title != EXAMPLES[name].class_name
    assert 2 <= len(found.rules) <= 4
    assert max(map(len, found.rules)) <= 80, "four lines of the usual terminal"
    assert found.has_one_player == (name == "twenty-one")


def test_words_are_the_docstring(tmp_path: Path) -> None:
    """The first line, and the paragraph below; neither what dataclasses write nor what the library's classes say."""
    (tmp_path / "words.py").write_text(
        "from dataclasses import dataclass\n"
        'class Told:\n    """Coins.\n\n    Toss.\n      Call.\n\n    For readers of the code.\n    """\n'
        "class Silent(Told): pass\n"
        "@dataclass\nclass Data:\n    sides: int = 2\n"
        "def made():\n    from tictactoe.environments.walked_game import WalkedGame\n"
        "    return WalkedGame.__new__(WalkedGame)\n"
    )
    games = [named_game(f"{tmp_path}/words.py:{name}") for name in ("Told", "Silent", "Data", "made")]
    assert [game.title for game in games] == ["Coins", "Silent", "Data", "made"]
    assert [game.rules for game in games] == [("Toss.", "  Call."), (), (), ()]


def test_what_stands_in_brackets() -> None:
    assert len(named_game("kuhn(13)").description.types[0]) == 13
    assert len(named_game("kuhn( num_cards = 4 )").description.types[0]) == 4
    assert len(named_game("leduc(cards=6)").description.types[0]) == 6
    assert len(named_game("river(hands=some)").description.types[0]) < 64
    for number in (2, 65):
        assert [len(hands) for hands in named_game(f"river(hands={number})").description.types] == [number, number]


RIVER = Path(__file__).parents[2] / "examples" / "games" / "river_holdem.py"
WRONG = {
    "poker": "'poker' is not a game: kuhn, leduc, liars-dice, blackjack, rock-paper-scissors, twenty-one, duel, river, "
    "holdem, FILE.py:Class, FILE.efg, FILE.nfg or openspiel:NAME",
    "kuhn(3, 4)": "kuhn: too many positional arguments; it takes num_cards in brackets",
    "kuhn(cards=3)": "kuhn: got an unexpected keyword argument 'cards'; it takes num_cards in brackets",
    "blackjack(1, 2, 3, 4, 5)": "too many positional arguments; it takes first, second, dealer, max_hits in brackets",
    "blackjack(0)": "blackjack: first: 0 is not a whole number from 1 to 10",
    "blackjack(dealer=11)": "blackjack: dealer: 11 is not a whole number from 1 to 10",
    f"{RIVER}:RiverHoldem(ranges='AsQs 9s8s')": "RiverHoldem: ranges: 'AsQs 9s8s' is not two lists of hands",
    "kuhn(__import__('os'))": "only numbers and words are allowed in brackets",
    "kuhn(*3)": "only numbers and words are allowed in brackets",
    "kuhn(-three)": "only numbers and words are allowed in brackets",
    "kuhn(3": "is not NAME or NAME(VALUE, NAME=VALUE, ...)",
    "kuhn(" + "9" * 5000 + ")": "is not NAME or NAME(VALUE, NAME=VALUE, ...)",
    "kuhn(1)": "kuhn: num_cards: 1 is fewer than 2, one for each player",
    "kuhn(ten)": "kuhn cannot be made with 'ten': TypeError",
    "leduc(cards=4)": "leduc: cards: 4 is neither 3, for the ranks, nor 6",
    "river(none)": "river: hands: None is neither some nor all, nor a number from 2 to 1081",
    "nothing.py:Mine": "nothing.py: there is no such file",
    "kuhn_poker:Kuhn": "is not a game",
}
"""A name, and words of the error."""


@pytest.mark.parametrize("name", WRONG)
def test_wrong_names(name: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        game_by_name(name)
    assert WRONG[name] in str(caught.value)


def test_a_file(mine: str) -> None:
    assert named_game(mine).build().tree.num_nodes == 3
    assert named_game(f"{mine}(1)").build().tree.owner[0] == 1
    for name, words in {"Yours": "has no class 'Yours'", "number": "has no class 'number'"}.items():
        with pytest.raises(ValueError, match=words):
            named_game(mine.replace("Mine", name))


def test_wrong_answers_and_errors_in_a_file(mine: str, tmp_path: Path) -> None:
    with pytest.raises(GameError, match=r"mine.py:Mine\(3\): owner before the first move: 3 is not 0, 1"):
        named_game(f"{mine}(3)").build()
    for payoff, line in {
        "much": "23: ValueError: could not convert string to float: 'much'; payoff was asked after x",
        "none": "23: StopIteration; payoff was asked after x",
        "lazy": "20: StopIteration",
    }.items():
        with pytest.raises(UserCodeError) as caught:
            named_game(f"{mine}(payoff={payoff})").build()
        assert str(caught.value) == f"{tmp_path / 'mine.py'}:{line}"
    (tmp_path / "mine.py").write_text("x = 1 +\n")
    with pytest.raises(UserCodeError, match=r"mine.py:1: SyntaxError: "):
        named_game(mine)
