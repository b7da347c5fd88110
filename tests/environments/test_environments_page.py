"""docs/environments.md: its examples run, and figures that can be computed at once are right."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest
from support.pages import blocks

from tictactoe import SINGLE_ROUND, GameTree, Score, best_response_value, exploitability, tic_tac_toe_round
from tictactoe.algorithms.strategy import both_seats
from tictactoe.environments.match_game import opponent_to_meet

PAGE = Path(__file__).parents[2] / "docs" / "environments.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = [block for block in blocks(PAGE) if block.language == "python"]
PRINTED = {
    0: r".*player_[01] wins the match\.\n\n",
    1: r"points more than the opponent: (-1|0|1)\.0\n",
    2: r"1\.0347\d+\n",
    3: re.escape(BLOCKS[3].code.rpartition("# ")[2]),
    5: r"((-?0\.0|\S+e-1\d)[ \n]){2}(0\.883333\d*[ \n]){2}",
    10: rf".*{re.escape(str(BLOCKS[10].output))}",
}
"""What a block prints that no block of output follows, or that prints more."""


@pytest.mark.parametrize(
    ("library", "places"), [("pettingzoo", range(3)), ("pyspiel", range(3, 9)), ("pygambit", [9]), ("LiteEFG", [10])]
)
def test_the_code_of_the_page(library: str, places: list[int]) -> None:
    pytest.importorskip(library)
    names: dict[str, Any] = {"__name__": "__page__"}
    for place in places:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile("\n" * BLOCKS[place].line + BLOCKS[place].code, str(PAGE), "exec"), names)
        expected = PRINTED.get(place, re.escape(BLOCKS[place].output or ""))
        assert re.fullmatch(expected, printed.getvalue(), re.DOTALL), BLOCKS[place]
    assert "prints 0.0 and 0.883333, each twice" in TEXT


def row(name: str, *numbers: float) -> str:
    texts = (f"{number:+.4f}".replace("-", "\N{MINUS SIGN}") if abs(number) > 1e-9 else "0" for number in numbers)
    return f"| {' | '.join((name, *texts))} |"


def test_the_tables_of_learning() -> None:
    tree = GameTree.build()
    game = tic_tac_toe_round(tree, SINGLE_ROUND)
    perfect, learner = (
        opponent_to_meet(name, "three-in-a-row", None)(Score(0, 0)).strategy for name in ("perfect", "learner-10")
    )
    for theirs in (perfect, learner):
        first, second = (best_response_value(game, player, theirs) for player in (0, 1))
        assert row("best possible", first, second, (first + second) / 2) in TEXT
    first = exploitability(game, both_seats(tree, perfect, learner)).value
    second = -exploitability(game, both_seats(tree, learner, perfect)).value
    assert row("the perfect player (`single_round`)", first, second, (first + second) / 2) in TEXT
    itself = exploitability(game, learner)
    assert f"{row('`learner-10` itself', itself.value, -itself.value, 0.0)} {itself.total:.4f} |" in TEXT
