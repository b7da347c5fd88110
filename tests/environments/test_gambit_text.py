"""Gambit's files: the form, names and sets that Gambit takes, with probabilities that sum to 1 exactly."""

import io
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle.board_card import GAMES, BoardCard

from tictactoe import build_game, exploitability, gambit_text, uniform_strategy
from tictactoe.algorithms.game import Game
from tictactoe.environments.gambit_text import gambit_sets, shares

LINE = re.compile(
    r't "" \d+ "" \{ (-?[\d.]+), (-?[\d.]+) \}|c "" \d+ "[^"]*" \{ (?P<chances>.*) \} 0'
    r'|p "" (?P<player>[12]) (?P<set>\d+) "(?P<name>[^"]*)" \{ (?P<moves>.*) \} 0'
)


@pytest.mark.parametrize("name", GAMES)
def test_the_file_is_what_gambit_takes(name: str) -> None:
    """OpenSpiel and Gambit, if installed, read the file and find the game's values and best responses in it."""
    game: Game = GAMES[name]()
    text, sets = gambit_text(game, name), dict[tuple[int, int], tuple[str, str]]()
    assert re.fullmatch("[ -~\n]*", text), "Gambit takes printable ASCII alone"
    head, _, *lines = text.splitlines()
    assert re.fullmatch(r'EFG 2 R "[^"]*" \{ "[^"]*" "[^"]*" \}', head)
    for line in lines:
        found = LINE.fullmatch(line)
        assert found, line
        if found["player"]:
            of_set = found["name"], found["moves"]
            assert sets.setdefault((int(found["player"]) - 1, int(found["set"])), of_set) == of_set
        elif found["chances"]:
            assert sum(map(Fraction, re.findall('" ([\\d./]+)', found["chances"]))) == 1
        else:
            assert Fraction(found[1]) == -Fraction(found[2])
    assert sorted(sets) == [(each.player, each.number) for each in gambit_sets(game)]
    assert len({(player, name) for (player, _), (name, _) in sets.items()}) == len(sets)
    for each in gambit_sets(game):
        moves = re.findall('"([^"]*)"', sets[each.player, each.number][1])
        assert len(set(moves)) == len(moves) == game.tree.num_children[each.node]


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
