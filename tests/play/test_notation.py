"""Positions as text."""

import random

import pytest
from support.playing import PAIRS, random_moves

from tictactoe import GameTree, Goal, Position, Rules, Score

GOALS = "are not two goals: write w, l or t for each player, ? if unknown, such as w?"
POSITION = "is not a position: write score, goals and moves, such as 4-3 w? 513"
SCORE = "is not a score: write both players' points, first mover first, such as 4-3"
RULES_NAME = ", which are not rules; known: three-in-a-row, filled, filled-none, filled-tie"


def test_text_and_back(tree: GameTree) -> None:
    rng = random.Random(2)
    for _ in range(30):
        goals = rng.choice([*PAIRS, (None, Goal.TIE), (Goal.LOSE, None), (None, None)])
        position = Position(Score(rng.randrange(12), 3), goals, random_moves(rng, tree, rng.randrange(10)))
        assert Position.parse(str(position)) == position
        assert Position.parse(position.text(numpad=True)) == position
    assert str(Position(Score(4, 3), (Goal.WIN, Goal.LOSE), (5, 1, 3))) == "4-3 wl 513"
    assert Position.parse("0-0 w? N79").moves == (1, 3)
    assert Position.parse("4-3\n") == Position(Score(4, 3), (None, None), ())
    assert Position.parse(" 10-0  TL ") == Position(Score(10, 0), (Goal.TIE, Goal.LOSE), ())


@pytest.mark.parametrize(
    ("address", "expected", "rules"),
    [
        ("#0-0", "0-0 ?? -", None),
        ("#4-3/wx/51", "4-3 w? 51", None),
        ("#4-3/w%3F/51", "4-3 w? 51", None),
        ("#filled_2:1:1/4-3", "4-3 ?? -", "filled 2:1:1"),
        ("three-in-a-row/0-4/tl/-", "0-4 tl -", "three-in-a-row"),
        ("https://example.org/tic-tac-toe/#filled-tie/1-2/wl/51", "1-2 wl 51", "filled-tie"),
        ("file:///home/me/a%20b/page.html#1-2/wl", "1-2 wl -", None),
        (" (http://127.0.0.1:1/#1-2/xx/5) ", "1-2 ?? 5", None),
    ],
)
def test_addresses_of_the_page(address: str, expected: str, rules: str | None) -> None:
    found = Position.parse(address)
    assert (str(found), found.rules) == (expected, None if rules is None else Rules.parse(rules))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", f"'' {POSITION}"),
        ("4-3-2\n", f"'4-3-2' {SCORE}"),
        ("0-0 ww 5 1", f"'0-0 ww 5 1' {POSITION}"),
        ("-1-0 ww", f"'-1-0' {SCORE}"),
        ("\u00bd-1 ww", f"'\u00bd-1' {SCORE}"),
        ("0-0 yy", f"'yy' {GOALS}"),
        ("0-0 W! 5", f"'W!' {GOALS}"),
        ("0-0 w? 5n1", "'5n1' are not moves: write different squares from 1 to 9, such as 513"),
        ("#0-0/ww/11", "'11' are not moves: write different squares from 1 to 9, such as 513"),
        ("#0-0/ww/1/2", f"'0-0 ww 1 2' {POSITION}"),
        ("#learn/4-4", f"the address begins with 'learn'{RULES_NAME}"),
        ("#filled 1:1/4-4", f"'filled' {SCORE}"),
        ("https://example.org/page/", f"'https:' {SCORE}"),
        ("#", f"'' {POSITION}"),
    ],
)
def test_errors_of_texts(text: str, expected: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        Position.parse(text)
    assert str(caught.value) == expected
