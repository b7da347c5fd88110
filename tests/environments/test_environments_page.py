"""docs/environments.md, openspiel.md, gambit.md: their examples run, and figures of learning.md are right."""

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

DOCS = Path(__file__).parents[2] / "docs"
BLOCKS = {
    name: [block for block in blocks(DOCS / f"{name}.md") if block.language == "python"]
    for name in ("environments", "openspiel", "gambit")
}
PRINTED = {
    ("environments", 0): r".*player_[01] wins the match\.\n\n",
    ("environments", 1): r"points more than the opponent: (-1|0|1)\.0\n",
    ("environments", 2): r"1\.0347\d+\n",
    ("openspiel", 0): re.escape(BLOCKS["openspiel"][0].code.rpartition("# ")[2]),
    ("openspiel", 2): r"((-?0\.0|\S+e-1\d)[ \n]){2}(0\.883333\d*[ \n]){2}",
    ("gambit", 2): rf".*{re.escape(str(BLOCKS['gambit'][2].output))}",
}
"""What a block prints that no block of output follows, or that prints more."""


@pytest.mark.parametrize(
    ("library", "page", "places"),
    [
        ("pettingzoo", "environments", range(3)),
        ("pyspiel", "openspiel", range(6)),
        ("tictactoe", "gambit", [0]),
        ("pygambit", "gambit", [1]),
        ("LiteEFG", "gambit", [2]),
    ],
)
def test_the_code_of_the_pages(
    library: str, page: str, places: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__page__"}
    for place in places:
        block = BLOCKS[page][place]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile("\n" * block.line + block.code, f"{page}.md", "exec"), names)
        expected = PRINTED.get((page, place), re.escape(block.output or ""))
        assert re.fullmatch(expected, printed.getvalue(), re.DOTALL), block


def test_every_block_is_run() -> None:
    assert [len(found) for found in BLOCKS.values()] == [3, 6, 3]
    assert "prints 0.0 and 0.883333, each twice" in (DOCS / "openspiel.md").read_text(encoding="utf-8")


TEXT = (DOCS / "learning.md").read_text(encoding="utf-8")


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
