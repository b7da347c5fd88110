"""Gambit's files: read by a plain reader, they are the game, with probabilities that sum to 1 exactly."""

import io
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle import gambit
from oracle.board_card import GAMES, BoardCard

from tictactoe import best_response_value, build_game, exploitability, gambit_text, uniform_strategy
from tictactoe.algorithms.game import Game
from tictactoe.environments.gambit_text import gambit_sets, shares


@pytest.mark.parametrize("name", GAMES)
def test_the_file_is_the_game(name: str) -> None:
    game: Game = GAMES[name]()
    root = gambit.read(gambit_text(game, name))
    uniform = uniform_strategy(game.tree)
    assert float(gambit.value(root)) == pytest.approx(exploitability(game, uniform).value, abs=1e-14)
    for player in (0, 1):
        expected = best_response_value(game, player, uniform)
        assert float(gambit.best_response_value(root, player)) == pytest.approx(expected, abs=1e-14)
    found = gambit.sets(root)
    assert sorted(found) == [(each.player, each.number) for each in gambit_sets(game)]
    for each in gambit_sets(game):
        assert len({node.labels for node in found[each.player, each.number]}) == 1
        assert len(found[each.player, each.number][0].labels) == game.tree.num_children[each.node]


@pytest.mark.parametrize("name", GAMES)
def test_an_equilibrium_of_gambit_is_one_here(name: str) -> None:
    pygambit: Any = pytest.importorskip("pygambit")
    game = GAMES[name]()
    theirs = pygambit.read_efg(io.BytesIO(gambit_text(game, name).encode()))
    (found,) = pygambit.nash.lp_solve(theirs, rational=False).equilibria
    sets = [{each.label: each for each in player.infosets} for player in theirs.players]
    strategy = uniform_strategy(game.tree)
    for each in gambit_sets(game):
        odds = np.clip([float(found[move]) for move in sets[each.player][each.name].actions], 0.0, 1.0)
        strategy[np.ix_(list(game.tree.children(each.node)), each.types)] = odds[:, None] / odds.sum()
    assert exploitability(game, strategy).total < 1e-9


def test_what_a_file_says() -> None:
    text = gambit_text(build_game(BoardCard()), 'a "title"\nin two lines')
    lines = text.splitlines()
    assert lines[0] == """EFG 2 R "a 'title' in two lines" { "Player 0" "Player 1" }"""
    assert lines[2] == 'c "" 1 "deal" { "J Q" 1/4 "J K" 1/4 "Q Q" 1/12 "Q K" 1/12 "K Q" 1/3 } 0'
    assert lines[3] == """p "" 1 1 "J or Q or K" { "blind bet" "say 'no'" } 0"""
    assert lines[4] == 'c "" 2 "J Q blind bet" { "J" 1/4 "Q" 1/4 "K" 1/2 } 0'
    assert lines[5] == 'p "" 2 1 "Q blind bet, J" { "a" "b" } 0'
    assert lines[6] == 'p "" 1 2 "J blind bet, J, a" { "a" "b" } 0'
    assert lines[7] == 't "" 1 "" { 2.033333333333333, -2.033333333333333 }'
    assert any(line.endswith('"Q Q blind bet" { "J" 1/2 "K" 1/2 } 0') for line in lines)


@pytest.mark.parametrize("seed", range(20))
def test_shares_sum_to_one_exactly(seed: int) -> None:
    generator = np.random.default_rng(seed)
    given = generator.dirichlet(np.full(int(generator.integers(1, 40)), 0.3))
    given = given[given > 0.0]
    given /= given.sum()
    written = [Fraction(each) for each in shares(given.tolist())]
    assert sum(written) == 1
    assert all(abs(float(a) - b) <= 1e-15 for a, b in zip(written, given, strict=True))
    simple = [Fraction(int(each), 997) for each in generator.multinomial(997, [0.25] * 4)]
    assert [Fraction(each) for each in shares(list(map(float, simple)))] == simple
