"""docs/environments.md: its examples run, and its figures that can be computed at once are right."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from tictactoe import SINGLE_ROUND, GameTree, Score, best_response_value, exploitability, tic_tac_toe_round
from tictactoe.algorithms.strategy import both_seats
from tictactoe.environments.opponents_to_meet import opponent_to_meet

PAGE = (Path(__file__).parents[2] / "docs" / "environments.md").read_text(encoding="utf-8")
PART = re.search(r"^## PettingZoo and Gymnasium\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
assert PART is not None
BLOCKS = re.findall(r"^```python\n(.*?)^```", PART[1], re.MULTILINE | re.DOTALL)


def printed(source: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(source, {})
    return out.getvalue()


def test_the_examples_run() -> None:
    pytest.importorskip("pettingzoo", reason="pettingzoo is not installed: pip install '.[rl]'")
    match, against, judged = map(printed, BLOCKS)
    assert re.search(r"player_[01] wins the match\.", match)
    assert re.fullmatch(r"points more than the opponent: (-1|0|1)\.0\n", against)
    assert 0.0 < float(judged) < 1.4


def row(name: str, *numbers: float) -> str:
    texts = (f"{number:+.4f}".replace("-", "\N{MINUS SIGN}") if abs(number) > 1e-9 else "0" for number in numbers)
    return f"| {' | '.join((name, *texts))} |"


def test_the_tables_of_learning() -> None:
    tree = GameTree.build()
    game = tic_tac_toe_round(tree, SINGLE_ROUND)
    perfect, learner = (
        opponent_to_meet(name, "three-in-a-row", None).round_bot(Score(0, 0)).strategy
        for name in ("perfect", "learner-10")
    )
    for theirs in (perfect, learner):
        first, second = (best_response_value(game, player, theirs) for player in (0, 1))
        assert row("best possible", first, second, (first + second) / 2) in PART[1]
    first = exploitability(game, both_seats(tree, perfect, learner)).value
    second = -exploitability(game, both_seats(tree, learner, perfect)).value
    assert row("the perfect player (`single_round`)", first, second, (first + second) / 2) in PART[1]
    itself = exploitability(game, learner)
    assert f"{row('`learner-10` itself', itself.value, -itself.value, 0.0)} {itself.total:.4f} |" in PART[1]
