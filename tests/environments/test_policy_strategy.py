"""Policies become strategies: the policy that looks a strategy up comes back as that strategy."""

from __future__ import annotations

import numpy as np
import pytest

from tictactoe.environments.match_game import GameOptions, MatchGame
from tictactoe.environments.observations import Masks, Observations
from tictactoe.environments.policy_strategy import Policy, strategy_of_policy
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.scores import Score
from tictactoe.storage.open_saved import open_saved


def looked_up(tree: GameTree, strategy: np.ndarray) -> Policy:
    """Reads the moves and the goal from an observation, finds the node, and plays the strategy there."""

    def policy(shown: Observations, masks: Masks) -> np.ndarray:
        result = np.zeros(masks.shape)
        for row, seen, mask in zip(result, shown, masks, strict=True):
            moves = [int(np.argmax(move)) + 1 for move in seen[18:99].reshape(9, 9) if move.any()]
            node, goal = tree.find(tuple(moves)), int(np.argmax(seen[99:102]))
            for child in tree.children(node):
                row[tree.square[child] - 1] = strategy[child, goal]
            assert (row <= mask).all()
        return result

    return policy


def test_a_strategy_comes_back() -> None:
    """One at random: with probabilities that tell every node, goal and square from each other."""
    tree = GameTree.build()
    weights = np.random.default_rng(1).random((tree.num_nodes, 3)) + 0.01
    strategy = np.ones(weights.shape)
    strategy[1:] = weights[1:] / tree.at_children(tree.sums_over_children(weights))[1:]
    found = strategy_of_policy(tree, looked_up(tree, strategy))
    assert np.allclose(found, strategy, rtol=0.0, atol=1e-12)


def test_it_is_asked_with_what_the_environment_shows() -> None:
    """Every observation and mask of matches played at random is among those that a policy is asked with."""
    tree, winning_score = GameTree.build(), 2
    game = MatchGame(GameOptions(winning_score=winning_score, merge_symmetric=True))
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

        strategy_of_policy(tree, policy, score, winning_score)
        assert len(asked) == 3 * tree.num_decision_nodes
        assert seen <= asked


def test_single_precision_is_made_exact() -> None:
    """Rows sum to 1 as strategies must."""
    tree = GameTree.build()
    strategy = open_saved("single_round").load().average_strategy

    def policy(shown: Observations, masks: Masks) -> np.ndarray:
        weights = masks * (1.0 + shown[:, :9])
        return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)

    found = strategy_of_policy(tree, policy)
    assert found.shape == strategy.shape
    assert np.abs(tree.sums_over_children(found) - 1.0).max() < 1e-12


@pytest.mark.parametrize(
    "wrong",
    [
        lambda masks: masks / 9.0,
        lambda masks: np.full(masks.shape, 1.0 / 9.0),
        lambda masks: np.full(masks.shape, np.nan),
        lambda masks: np.where(np.arange(9) == 0, 2.0, -1.0 / 8.0) * np.ones_like(masks),
    ],
)
def test_what_is_no_policy(wrong: object) -> None:
    """Too little, of forbidden moves, not numbers, negative."""
    with pytest.raises(ValueError, match="policy: these are no probabilities"):
        strategy_of_policy(GameTree.build(), lambda shown, masks: wrong(masks))  # type: ignore[operator]
    with pytest.raises(ValueError, match="expected"):
        strategy_of_policy(GameTree.build(), lambda shown, masks: masks[:, :3])
    with pytest.raises(ValueError, match="score:"):
        strategy_of_policy(GameTree.build(), lambda shown, masks: masks, Score(0, 0))
