"""The code of docs/environments.md for Gambit and LiteEFG, and Gambit's equilibria here, where they are installed."""

import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.board_card import GAMES
from support.pages import Block, blocks

from tictactoe import exploitability, gambit_text, uniform_strategy
from tictactoe.environments.gambit_text import gambit_sets

PAGE = Path(__file__).parents[2] / "docs" / "environments.md"


def block_with(words: str) -> Block:
    (found,) = (block for block in blocks(PAGE) if block.language == "python" and words in block.code)
    return found


@pytest.mark.parametrize("words", ["import pygambit", "import LiteEFG"])
def test_the_page(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(words.split()[1])
    monkeypatch.setenv("HOME", str(tmp_path))
    block = block_with(words)
    exec(compile(block.code, str(PAGE), "exec"), {"__name__": "__page__"})
    assert capsys.readouterr().out.splitlines()[-1] == (block.output or "").splitlines()[-1]


@pytest.mark.parametrize("name", GAMES)
def test_an_equilibrium_of_gambit_is_one_here(name: str) -> None:
    pygambit: Any = pytest.importorskip("pygambit")
    game = GAMES[name]()
    theirs = pygambit.read_efg(io.BytesIO(gambit_text(game, name).encode()))
    (found,) = pygambit.nash.lp_solve(theirs, rational=False).equilibria
    sets = [{each.label: each for each in player.infosets} for player in theirs.players]
    strategy = uniform_strategy(game.tree)
    for each in gambit_sets(game):
        actions = sets[each.player][each.name].actions
        chances = np.clip([float(Fraction(found[action])) for action in actions], 0.0, 1.0)
        for child, chance in zip(game.tree.children(each.node), chances / chances.sum(), strict=True):
            strategy[child, list(each.types)] = chance
    assert exploitability(game, strategy).total < 1e-9
