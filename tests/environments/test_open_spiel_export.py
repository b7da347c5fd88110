"""Games and strategies that go to OpenSpiel: the same game there, the same exploitability, and the same game back."""

from typing import Any

import numpy as np
import pytest
from oracle.board_card import GAMES, BoardCard
from oracle.small_games import random_strategy
from support.slowness import by_default

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install '.[openspiel]'")


from tictactoe import CFRSolver, build_game, exploitability, kuhn_poker, open_spiel_game, uniform_strategy, update_rule  # noqa: E402
from tictactoe.environments.open_spiel_export import LinkedGame, exported, linked  # noqa: E402


def checked(link: LinkedGame, strategy: Any) -> None:
    """OpenSpiel judges the strategy as we do, and its policy is the strategy again."""
    policy = link.policy(strategy)
    ours = exploitability(link.game, strategy).total
    assert pyspiel.nash_conv(link.open_spiel, policy) == pytest.approx(ours, abs=1e-9)
    assert exploitability(link.game, link.strategy(policy)).total == pytest.approx(ours, abs=1e-12)


@pytest.mark.parametrize("name", GAMES)
def test_out_and_back(name: str) -> None:
    game = GAMES[name]()
    link = exported(game)
    for strategy in (uniform_strategy(game.tree), learnt(game, 10)):
        checked(link, strategy)
    back = open_spiel_game(link.open_spiel)
    again = build_game(back)
    assert (back.knows is None) == (game.tree.knowledge is None)
    assert (again.tree.num_nodes, tuple(map(len, back.types))) == (game.tree.num_nodes, _drawn(game))
    ours, theirs = (exploitability(each, uniform_strategy(each.tree)) for each in (game, again))
    assert theirs == pytest.approx(ours, abs=1e-13)
    checked(linked(again, back), learnt(again))


def _drawn(game: Any) -> tuple[int, int]:
    return int(np.sum(game.prior.sum(axis=1) > 0)), int(np.sum(game.prior.sum(axis=0) > 0))


def learnt(game: Any, iterations: int = 3) -> Any:
    solver = CFRSolver(game, update_rule("cfr"))
    solver.run(iterations)
    return solver.average_strategy()


THEIRS = ["kuhn_poker", "leduc_poker(suit_isomorphism=true)", "liars_dice(dice_sides=3)", "leduc_poker"]


@pytest.mark.parametrize("name", by_default(THEIRS, *THEIRS[:2]))
def test_strategies_of_their_games(name: str) -> None:
    description = open_spiel_game(name)
    game = build_game(description)
    for link in (linked(game, description), exported(game)):
        checked(link, learnt(game))
        theirs = pyspiel.CFRSolver(link.open_spiel)
        for _ in range(3):
            theirs.evaluate_and_update_policy()
        found = link.strategy(theirs.average_policy())
        assert exploitability(game, found).total == pytest.approx(exploitability(game, learnt(game)).total, 1e-9)


def test_random_strategies_of_kuhn_poker() -> None:
    link = exported(kuhn_poker())
    for seed in range(5):
        strategy = random_strategy(link.game.tree, seed, 0.2)
        checked(link, strategy)
        assert link.strategy(link.policy(strategy)) == pytest.approx(strategy)


def test_what_does_not_belong_together() -> None:
    kuhn, leduc = open_spiel_game("kuhn_poker"), open_spiel_game("leduc_poker(suit_isomorphism=true)")
    with pytest.raises(ValueError, match="description: the game was not built from it"):
        linked(build_game(kuhn), leduc)
    with pytest.raises(ValueError, match="description: the game was not built from it"):
        linked(build_game(BoardCard()), leduc)
    public = open_spiel_game("pig(winscore=2,horizon=4,diceoutcomes=2)")
    with pytest.raises(ValueError, match="description: a game of perfect information has no information states here"):
        linked(build_game(public), public)
    with pytest.raises(ValueError, match="strategy: shape"):
        exported(kuhn_poker()).policy(np.zeros((2, 3)))
