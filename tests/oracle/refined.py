"""The judge of refined strategies: plain recursion over the tree, with one belief of each player at every node."""

import numpy as np

from tictactoe import Game

from .lifting import LevelEvaluator
from .naive import NUM_TYPES, Floats


def weights_of(game: Game, strategy: Floats, beliefs: Floats | None) -> Floats:
    """By player, node and type: how likely the player's types are. A mistake tells what `beliefs` says, or nothing.

    None for a strategy that is not refined: after a mistake the types are as likely as they were drawn."""
    weights = np.ones((2, game.tree.num_nodes, NUM_TYPES))
    weights[:, 0] = _drawn(game)
    for node in range(1, game.tree.num_nodes):
        weights[:, node] = _after(game, strategy, beliefs, node, weights[:, game.tree.parent[node]])
    return weights


def weights_at(game: Game, strategy: Floats, beliefs: Floats | None, node: int) -> Floats:
    """The same for one node: by player and type."""
    if node == 0:
        return _drawn(game)
    before = weights_at(game, strategy, beliefs, int(game.tree.parent[node]))
    return _after(game, strategy, beliefs, node, before)


def _drawn(game: Game) -> Floats:
    return np.array([game.prior.any(axis=1), game.prior.any(axis=0)], np.float64)


def _after(game: Game, strategy: Floats, beliefs: Floats | None, node: int, before: Floats) -> Floats:
    """After the move into the node."""
    mover, weights = int(game.tree.mover[node]), before.copy()
    weights[mover] *= strategy[node]
    if beliefs is not None and beliefs[node].any():
        assert not weights[mover].any(), "a belief where Bayes' rule says what to believe"
        weights[mover] = beliefs[node]
    if not weights[mover].any():
        weights[mover] = _drawn(game)[mover] if beliefs is None else before[mover]
    return weights


def costs_of(game: Game, strategy: Floats, weights: Floats) -> Floats:
    """By node and type of its owner, the most that a move costs there that is played; 0 at leaves."""
    tree, values = game.tree, LevelEvaluator(game.tree).values_by_types(strategy, game.payoffs)
    costs = np.zeros((tree.num_nodes, NUM_TYPES))
    for node in np.flatnonzero(tree.owner >= 0).tolist():
        player = int(tree.owner[node])
        for own in range(NUM_TYPES):
            odds = game.prior[own] if player == 0 else game.prior[:, own]
            belief = odds * weights[1 - player, node]
            assert belief.sum() > 0.0, (node, own)
            gets = {
                child: float(belief @ (values[child][own] if player == 0 else -values[child][:, own])) / belief.sum()
                for child in tree.children(node)
            }
            played = [gets[child] for child in gets if strategy[child, own] > 0.0]
            costs[node, own] = max(gets.values()) - min(played)
    return costs


def break_of_bayes(game: Game, strategy: Floats, weights: Floats) -> float:
    """How far the weights are from Bayes' rule where it says anything: the sum of differences, the largest being 1."""
    tree, worst = game.tree, 0.0
    for node in range(1, tree.num_nodes):
        mover, parent = int(tree.mover[node]), int(tree.parent[node])
        for player in (0, 1):
            expected = weights[player, parent] * (strategy[node] if player == mover else 1.0)
            if expected.any():
                shares = expected / expected.max(), weights[player, node] / weights[player, node].max()
                worst = max(worst, float(np.abs(shares[0] - shares[1]).sum()))
    return worst


def best_play(game: Game, strategy: Floats, weights: Floats, node: int, player: int, own: int) -> float:
    """What the node is worth to the player of this type, who plays best from there on against the strategy.

    weights: by player and type at the node. The players' types are drawn independently.
    """
    return _best_play(game, strategy, game.prior.sum(axis=player) * weights[1 - player], node, player, own)


def _best_play(game: Game, strategy: Floats, belief: Floats, node: int, player: int, own: int) -> float:
    tree, belief = game.tree, belief / belief.sum()
    if tree.leaf_class[node] >= 0:
        payoffs = game.payoffs[tree.leaf_class[node]]
        return float(belief @ payoffs[own] if player == 0 else -(payoffs[:, own] @ belief))
    if tree.owner[node] == player:
        return max(_best_play(game, strategy, belief, child, player, own) for child in tree.children(node))
    ways = ((child, belief * strategy[child]) for child in tree.children(node))
    return sum(
        float(after.sum()) * _best_play(game, strategy, after, child, player, own)
        for child, after in ways
        if after.any()
    )
