"""Policies become strategies: the policy that looks a strategy up comes back as that strategy."""

import numpy as np
import pytest
from oracle.small_games import random_strategy

from tictactoe import GameTree, Score, open_saved, strategy_of_policy
from tictactoe.environments.match_game import MatchGame, MatchGameOptions
from tictactoe.environments.open_spiel_policies import Policy
from tictactoe.environments.open_spiel_round import Masks, Observations

TREE = GameTree.build()


def looked_up(strategy: np.ndarray) -> Policy:
    """Reads the moves and the goal from an observation, finds the node, and plays the strategy there."""
    nodes = {TREE.history(node): node for node in TREE.decision_nodes.tolist()}

    def policy(shown: Observations, masks: Masks) -> np.ndarray:
        result = np.zeros(masks.shape)
        moves = shown[:, 18:99].reshape(-1, 9, 9)
        squares = np.where(moves.any(axis=2), moves.argmax(axis=2) + 1, 0).tolist()
        for row, played, goal in zip(result, squares, shown[:, 99:102].argmax(axis=1).tolist(), strict=True):
            for child in TREE.children(nodes[tuple(square for square in played if square)]):
                row[TREE.square[child] - 1] = strategy[child, goal]
        assert (result <= masks).all()
        return result

    return policy


def test_a_strategy_comes_back() -> None:
    strategy = random_strategy(TREE, seed=1)
    assert np.allclose(strategy_of_policy(TREE, looked_up(strategy)), strategy, rtol=0.0, atol=1e-12)

    def policy(shown: Observations, masks: Masks) -> np.ndarray:
        weights = masks * (1.0 + shown[:, :9])
        return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)

    strategy = strategy_of_policy(TREE, policy)
    assert strategy.shape == open_saved("single_round").load().average_strategy.shape
    assert np.abs(TREE.sums_over_children(strategy) - 1.0).max() < 1e-12


def test_it_is_asked_with_what_the_environment_shows() -> None:
    winning_score = 2
    game = MatchGame(MatchGameOptions(winning_score=winning_score, merge_symmetric=True))
    chooser = np.random.default_rng(3)
    wanted: dict[Score, set[bytes]] = {}
    for seed in range(12):
        game.reset(seed)
        while game.mover is not None:
            shown, mask = game.observation(game.mover), game.mask(game.mover)
            wanted.setdefault(game.round.score, set()).add(shown.tobytes() + mask.tobytes())
            game.play(int(chooser.choice(game.squares)))
    assert len(wanted) == winning_score**2
    for score, seen in wanted.items():
        asked: set[bytes] = set()

        def policy(shown: Observations, masks: Masks, asked: set[bytes] = asked) -> np.ndarray:
            asked.update(one.tobytes() + mask.tobytes() for one, mask in zip(shown, masks, strict=True))
            return masks / masks.sum(axis=1, keepdims=True)

        strategy_of_policy(TREE, policy, score, winning_score)
        assert len(asked) == 3 * TREE.num_decision_nodes
        assert seen <= asked


@pytest.mark.parametrize(
    "wrong",
    [
        lambda masks: masks / 9.0,
        lambda masks: np.full(masks.shape, 1.0 / 9.0),
        lambda masks: np.full(masks.shape, np.nan),
        lambda masks: np.where(np.arange(9) == 0, 2.0, -1.0 / 8.0) * np.ones_like(masks),
    ],
    ids=["too little", "of forbidden moves", "not numbers", "negative"],
)
def test_no_probabilities(wrong: object) -> None:
    with pytest.raises(ValueError, match="policy: these are no probabilities"):
        strategy_of_policy(TREE, lambda shown, masks: wrong(masks))  # type: ignore[operator]


def test_other_shapes_and_scores() -> None:
    with pytest.raises(ValueError, match="expected"):
        strategy_of_policy(TREE, lambda shown, masks: masks[:, :3])
    with pytest.raises(ValueError, match="score:"):
        strategy_of_policy(TREE, lambda shown, masks: masks, Score(0, 0))
