"""Gambit's files: the games that are in them, and one line, with the line of the file, for each that is refused."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from oracle import sequences
from oracle.board_card import GAMES
from support.slowness import by_default

from tictactoe import CFRSolver, build_game, exploitability, gambit_text, update_rule
from tictactoe.environments.open_spiel_game import game_by_name
from tictactoe.errors import FormatError
from tictactoe.games import gambit_files
from tictactoe.games.gambit_files import GambitFile, GambitGame
from tictactoe.games.named_games import named_game

POKER = """EFG 2 R "One card" { "Alice" "Bob" }
"A comment"

c "" 1 "deal" { "King" 1/2 "Queen" 1/2 } 0
p "" 1 1 "a king" { "raise" "fold" } 0
p "" 2 1 "" { "meet" "pass" } 0
t "" 1 "two" { 2, -2 }
t "" 2 "one" { 1, -1 }
t "" 4 "" { -1, 1 }
p "" 1 2 "a queen" { "raise" "fold" } 0
p "" 2 1 "" { "meet" "pass" } 0
t "" 3 "" { -2, 2 }
t "" 2 "one" { 1, -1 }
t "" 4 "" { -1, 1 }
"""
"""R. Myerson, Game theory, 1991: worth 1/3 to Alice."""

PENNIES = """NFG 1 R "Pennies" { "A" "B" }
{ { "head" "tail" } { "head" "tail" } }
""
1 -1 -1 1 -1 1 1 -1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def game(folder: Path, content: str | bytes, name: str = "game.efg") -> GambitGame:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return GambitFile(folder / name).game()


def history(described: Any, *places: int) -> int:
    state: int = described.root()
    for place in places:
        state = described.moves(state)[place][1]
    return state


def solved(built: Any) -> tuple[float, float]:
    solver = CFRSolver(built, update_rule("rdcfr"))
    solver.run(2000)
    found = exploitability(built, solver.average_strategy())
    return found.value, found.total


def names(described: GambitGame, *places: int) -> list[str]:
    return [name for name, _ in described.moves(history(described, *places))]


def test_a_tree(folder: Path) -> None:
    found = game(folder, POKER)
    assert sequences.value(found) == pytest.approx(1 / 3, abs=1e-12)
    assert [found.owner(history(found, *path)) for path in ((), (0,), (0, 0), (0, 0, 0))] == [2, 0, 1, None]
    assert names(found, 0) == names(found, 1) == ["raise", "fold"]
    assert found.sees(history(found, 0), 0) == "a king"
    assert found.sees(history(found, 0, 0), 1) == found.sees(history(found, 1, 0), 1) == "set 1"
    assert found.chance(found.root(), "Queen") == Fraction(1, 2)
    assert found.payoff(history(found, 1, 0, 0)) == -2
    assert (GambitFile(folder / "game.efg").title, found.constant_sum) == ("One card", 0)


SAME = {
    "a mark": b"\xef\xbb\xbf" + POKER.encode(),
    "UTF-16": POKER.encode("utf-16"),
    "lines of Windows": POKER.replace("\n", "\r\n").encode(),
    "lines of old Macs": POKER.replace("\n", "\r").encode(),
    "no lines": POKER.replace("\n", " ").encode(),
    "no comment": POKER.replace('"A comment"', "").encode(),
    "no commas": POKER.replace(",", "").encode(),
    "no blanks": POKER.replace(" { ", "{").replace(" } ", "}").replace(", ", ",").encode(),
    "D": POKER.replace("R", "D", 1).encode(),
    "decimals": POKER.replace("1/2", "0.5").replace("2, -2", "+20e-1, -.2E1").encode(),
    "nothing twice": POKER.replace('"" { "meet" "pass" } 0\nt "" 3', '0\nt "" 3')
    .replace('2 "one" { 1, -1 }\nt "" 4 "" { -1, 1 }\n', '2\nt "" 4\n')
    .replace('t "" 2\nt "" 4\np', 't "" 2 "" { 1, -1 }\nt "" 4 "" { -1, 1 }\np')
    .encode(),
    "a name left out": POKER.replace('"one" {', "{").encode(),
    "other labels of the same moves": POKER.replace('"meet" "pass" } 0\nt "" 3', '"" "no" } 0\nt "" 3').encode(),
    "numbers of information sets": POKER.replace("1 2 ", "1 70 ").replace("2 1 ", "2 100000000000000000000 ").encode(),
}
"""The same game, written differently."""


@pytest.mark.parametrize("how", SAME)
def test_the_same_game_in_other_words(folder: Path, how: str) -> None:
    found, same = game(folder, POKER), game(folder, SAME[how], "same.EFG")
    for path in ((), (0,), (1,), (0, 0), (1, 0)):
        assert found.moves(history(found, *path)) == same.moves(history(same, *path))
        assert found.owner(history(found, *path)) == same.owner(history(same, *path))
    for path in ((0, 1), (0, 0, 0), (0, 0, 1), (1, 1), (1, 0, 0), (1, 0, 1)):
        assert found.payoff(history(found, *path)) == same.payoff(history(same, *path))
    assert same.sees(history(same, 0, 0), 1) == same.sees(history(same, 1, 0), 1)


def test_outcomes_on_the_way_add_up_and_sums_may_be_other_than_0(folder: Path) -> None:
    text = """EFG 2 R "" { "" "" } p "" 1 1 "" { "a" "b" } 7 "ante" { 0.1, 1/10 }
    p "" 2 1 "" { "a" "b" } 1 "" { 1/3 2/3 } t "" 0 t "" 2 "" { 10 -10 } t "" 1"""
    found = game(folder, text)
    assert [found.payoff(history(found, *path)) for path in ((0, 0), (0, 1), (1,))] == [
        Fraction(13, 30),
        Fraction(313, 30),
        Fraction(13, 30),
    ]
    assert found.constant_sum == Fraction(6, 5)
    assert GambitFile(folder / "game.efg").title == "game.efg"
    rounded = text.replace("1/3 2/3 } t", "0.333333333333 0.666666666667 } t").replace(
        't "" 1', 't "" 3 "" { 1/3 2/3 }'
    )
    assert game(folder, rounded).constant_sum == Fraction(6, 5)  # decimals are rounded somewhere


def test_names_that_repeat_or_are_empty(folder: Path) -> None:
    def moves(*labels: str) -> list[str]:
        listed, ends = " ".join(f'"{label}"' for label in labels), 't "" 0 ' * len(labels)
        return names(game(folder, f'EFG 2 R "" {{ "" "" }} p "" 1 1 "" {{ {listed} }} 0 {ends}'))

    assert moves("", "") == ["1", "2"]
    assert moves("left", "left", "right") == ["left (1)", "left (2)", "right"]
    assert moves("left", "left", "left (1)") == ["left (1)", "left (2)", "left (1) (3)"]
    assert moves("2", "") == ["2 (1)", "(2)"]
    assert moves("K\u00f6nig", r"a \"b\" \c", "two\n  lines\\\\.") == ["K\u00f6nig", 'a "b" \\c', "two lines\\\\."]
    latin = game(folder, 'EFG 2 R "" { "" "" } p "" 1 1 "" { "K\u00f6nig" } 0 t "" 0'.encode("latin-1"))
    assert names(latin) == ["K\u00f6nig"]
    sets = game(folder, POKER.replace("a king", "card").replace("a queen", "card"))
    assert [sets.sees(history(sets, place), 0) for place in (0, 1)] == ["card (1)", "card (2)"]
    sets = game(folder, POKER.replace("a king", "").replace("a queen", "set 1"))
    assert [sets.sees(history(sets, place), 0) for place in (0, 1)] == ["(1)", "set 1 (2)"]


def test_a_chance_move_that_cannot_come(folder: Path) -> None:
    text = POKER.replace('"Queen" 1/2', '"Queen" 1/2 "Jack" 0')
    built = build_game(game(folder, text + 'p "" 1 1 0 p "" 1 2 0 t "" 9 "" { 7 7 } t "" 9 t "" 9'))
    assert built.num_information_sets == 3


TABLES = {
    "payoffs": PENNIES,
    "payoffs with commas": PENNIES.replace(" -1 -1", ", -1, -1").replace(" 1 -1\n", ",1, -1"),
    "no comment": PENNIES.replace('""\n', ""),
    "outcomes": PENNIES.replace("1 -1 -1 1 -1 1 1 -1", '{ { "same" 1, -1 } { "" -1 1 } } 1 2 2 1'),
    "numbers of strategies": PENNIES.replace('{ { "head" "tail" } { "head" "tail" } }', "{ 2 2 }"),
}


@pytest.mark.parametrize("how", TABLES)
def test_tables(folder: Path, how: str) -> None:
    found = game(folder, TABLES[how], "game.nfg")
    assert sequences.value(found) == pytest.approx(0, abs=1e-12)
    payoffs = [[found.payoff(history(found, row, column)) for column in (0, 1)] for row in (0, 1)]
    assert payoffs == [[1, -1], [-1, 1]]
    assert found.sees(history(found, 0), 1) == found.sees(history(found, 1), 1)
    assert names(found, 1) == (["1", "2"] if how == "numbers of strategies" else ["head", "tail"])


def test_the_first_player_chooses_rows_and_its_strategy_counts_fastest(folder: Path) -> None:
    """The example of the documentation, with a constant sum: strategies 3 and 2."""
    found = game(folder, 'NFG 1 R "" { "1" "2" } { 3 2 } 1 1 0 2 -1 3 4 -2 5 -3 6 -4', "game.nfg")
    payoffs = [[found.payoff(history(found, row, column)) for column in (0, 1)] for row in (0, 1, 2)]
    assert (payoffs, found.constant_sum) == ([[1, 4], [0, 5], [-1, 6]], 2)
    nothing = game(folder, 'NFG 1 R "" { "1" "2" } { 2 1 } { { "a" 1 -1 } } 0 1', "game.nfg")
    assert [nothing.payoff(history(nothing, row, 0)) for row in (0, 1)] == [0, 1]


def tree(nodes: str) -> str:
    return f'EFG 2 R "" {{ "A" "B" }}\n{nodes}'


REFUSED = {
    "": "1: the file breaks off before EFG or NFG",
    "\0\x01garbage": "1: EFG or NFG must be here, not ",
    "EFG 3 R": "1: version 2 must be here, not 3",
    'NFG 1 R "" { "A" "B" } { 1 1 } 1': "1: the file breaks off before a payoff",
    'NFG 1 R "" { "A" "B" } { 1 1 } 1 -1 1': "1: 1 follows the last payoffs",
    'NFG 1 R "" { "A" "B" } { 1 1 1 } 1 -1': "1: } must be here, not 1",
    'NFG 1 R "" { "A" "B" } { 1 0 } 1 -1': "1: the second player has no strategies",
    'NFG 1 R "" { "A" "B" } { 1 1e3 } 1 -1': "1: a number of strategies, or their names in braces, a whole number,",
    'NFG 1 R "" { "A" "B" } { 999999999999 9 }': "1: the game has more than 1,000,000 histories; raise maximum nodes",
    'NFG 1 R "" { "A" "B" } { 1 1 } { { "" 1 -1 } } 2': "1: outcome 2: there are 0 to 1",
    'NFG 1 R "" { "A" "B" } { 2 1 } 1 -1\n1 1': "2: both players get 2 together after 2, 1, and 0 after 1, 1 in line 1",
    'EFG 2 R "" { "A" "B"\n"C" }': "1: the game has 3 players, but must have two",
    'EFG 2 R "\n': "1: a quotation mark without a closing one",
    tree(""): "1: the file breaks off before a node (c, p or t)",
    tree('x "" 1'): "2: a node (c, p or t) must be here, not x",
    tree('t "" 1 "" { 1 -1 }\nt "" 0'): "3: t follows the last node",
    tree('t "" 1 "" { 1, -1 1 }'): "2: } must be here, not 1",
    tree('t "" 1 "" { 1/0 1 }'): "2: 1/0 divides by 0",
    tree('t "" 1 "" { 1e101 1 }'): "2: 1e101 is not 0, and its size is not from 1e-100 to 1e100",
    tree('t "" 1 "" { 1e-999 1 }'): "2: 1e-999 is not 0",
    tree('t "" 1 "" { one 1 }'): "2: a payoff, such as 1, 0.5 or 1/2, must be here, not one",
    tree(f't "" 1 "" {{ {"1" * 9999} 1 }}'): "2: 1111111111111111111111111111111111111... has more than 300 digits",
    tree(f't "" {"1" * 9999}'): "2: the number of an outcome, a whole number, must be here, not 111",
    tree('t "" 1 "" { 1 -1 }'): "2: the game ends before the first move; a game has at least one move",
    tree('t "" 1'): "2: outcome 1 has had no payoffs so far",
    tree('t "" 0 "" { 1 -1 }'): "2: outcome 0 pays 1 and -1 here and 0 and 0 always",
    tree('p "" 3 1 "" { "a" } 0'): "2: player 3: the players are 1 and 2",
    tree('p "" 1 1 "" { } 0'): "2: information set 1 of the first player has no moves",
    tree('p "" 1 1 0 t "" 0'): "2: information set 1 of the first player has not been described so far",
    tree(
        'p "" 1 1 "" { "a" "b" } 0 t "" 0\np "" 1 1 "" { "a" } 0'
    ): "3: information set 1 of the first player has 1 move here and 2 in line 2",
    tree('c "" 1 "" { "a" 1/2 "b" 1/3 } 0'): "2: chance move 1: the probabilities add up to 5/6, not 1",
    tree('c "" 1 "" { "a" 0.3333 "b" 0.6666 } 0'): "2: chance move 1: the probabilities add up to 9999/10000, not 1",
    tree('c "" 1 "" { "a" -1 "b" 2 } 0'): "2: chance move 1: a probability is below 0",
    tree('c "" 1 "" { "a" 1/2 "b" 1/2 } 0 t "" 0\nc "" 1 "" { "a" 1/3 "b" 2/3 } 0'): "3: chance move 1 has other "
    "probabilities here than in line 2",
    tree(
        'p "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1 -1 }\nt "" 1 "" { 1 -2 }'
    ): "4: outcome 1 pays 1 and -2 here and 1 and -1 in line 3",
    tree(
        'p "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1 -1 }\nt "" 2 "" { 1 1/2 }'
    ): "4: both players get 3/2 together after b, and 0 after a in line 3: the sum must be the same",
    tree(
        'p "" 1 1 "" { "a" "b" } 0\np "" 1 2 "" { "x" } 0 t "" 0\np "" 1 2 0 t "" 0'
    ): "4: imperfect recall: the first "
    "player has information set 2 after b and after a in line 3, but has made other moves itself",
    tree(
        'p "" 2 1 "" { "a" } 0\np "" 2 1 0 t "" 0'
    ): "3: imperfect recall: the second player has information set 1 after a and before the first move in line 2",
}
"""What is in a file, and the beginning of the error behind the file's name and `line`."""


@pytest.mark.parametrize("content", REFUSED, ids=map(str, range(len(REFUSED))))
def test_what_is_refused(folder: Path, content: str) -> None:
    with pytest.raises(FormatError) as caught:
        game(folder, content)
    assert str(caught.value).startswith(f"{folder / 'game.efg'}: line {REFUSED[content]}")
    assert "\n" not in str(caught.value)


def refusal(folder: Path, content: bytes) -> str:
    try:
        game(folder, content)
    except FormatError as error:
        return str(error).removeprefix(f"{folder / 'game.efg'}: ")
    return ""


@pytest.mark.parametrize("content", [POKER, *TABLES.values()], ids=["tree", *TABLES])
def test_a_file_that_breaks_off(folder: Path, content: str) -> None:
    """At every byte: refused in one line, unless a description is lost that may be left out."""
    for length in range(len(content)):
        lost = content[length:].strip()
        if lost not in ("", '"" { -1, 1 }'):
            assert re.fullmatch(r"line \d+: [^\n]+", refusal(folder, content[:length].encode())), lost


def test_damaged_bytes(folder: Path) -> None:
    content = POKER.encode()
    for place in range(0, len(content), 2):
        for byte in b'\0"9':
            assert "\n" not in refusal(folder, content[:place] + bytes([byte]) + content[place + 1 :])


def test_large_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of 20,000 moves; limits of histories, which are counted on the way, and of bytes."""
    lines = [f'p "" {1 + number % 2} {number} "" {{ "on" }} 0' for number in range(20_000)]
    (folder / "deep.efg").write_text(tree("\n".join([*lines, 't "" 0'])))
    counted: list[int] = []
    assert len(GambitFile(folder / "deep.efg").game(walked=counted.append)._paid) == 20_001
    assert counted[-1] == 20_000
    with pytest.raises(FormatError, match="line 102: the game has more than 100 histories"):
        GambitFile(folder / "deep.efg").game(100)
    monkeypatch.setattr(gambit_files, "LARGEST_FILE", 100_000)
    with pytest.raises(FormatError, match=r"has more than 0\.1 million bytes"):
        GambitFile(folder / "deep.efg")


def test_games_by_the_names_of_files(folder: Path) -> None:
    game(folder, POKER, "one (1).efg")
    named = game_by_name(str(folder / "one (1).efg"))
    assert (named.title, named.has_one_player) == ("One card", False)
    assert solved(named.build()) == pytest.approx((1 / 3, 0), abs=1e-9)
    for name, words in (("none.efg", "there is no such file"), (".nfg", "there is no such file")):
        with pytest.raises(ValueError, match=words):
            named_game(str(folder / name))


@pytest.mark.parametrize("name", by_default(GAMES, *(name for name in GAMES if name != "a board card")))
def test_what_was_exported_is_read_as_the_same_game(folder: Path, name: str) -> None:
    exported, there = GAMES[name](), folder / "game.efg"
    there.write_text(gambit_text(exported, name))
    (value, gain), (again, left) = solved(exported), solved(named_game(str(there)).build())
    assert abs(value - again) <= gain + left + 1e-9
    assert gain + left < 1e-3


SHARED = [folder / "shared" / "efg" for folder in Path(__file__).parents if (folder / "shared" / "efg").is_dir()]


@pytest.mark.skipif(not SHARED, reason="public files with values are not beside the clone")
def test_public_files_have_their_values() -> None:
    values = json.loads((SHARED[0] / "values.json").read_text())
    for name, known in values.items():
        found = GambitFile(SHARED[0] / name).game()
        assert sequences.value(found) == pytest.approx(known["value_to_first_player"], abs=1e-8), name
        assert float(found.constant_sum) == known["constant_sum"], name
        value, gain = solved(build_game(found))
        assert abs(value - known["value_to_first_player"]) <= gain + 1e-9, name
        assert gain < 1e-3, name
