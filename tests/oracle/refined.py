"""The judge of refined strategies: plain recursion over the tree, with one belief of each player at every node."""

import numpy as np

from tictactoe import Game

from .naive import NUM_TYPES, Floats


def values_of(game: Game, strategy: Floats) -> Floats:
    """What player 0 gets from every node on, by both players' types."""
    tree = game.tree
    values = np.zeros((tree.num_nodes, NUM_TYPES, NUM_TYPES))
    for node in range(tree.num_nodes - 1, -1, -1):
        if tree.leaf_class[node] >= 0:
            values[node] = game.payoffs[tree.leaf_class[node]]
        for child in tree.children(node):
            chance = strategy[child][:, None] if tree.owner[node] == 0 else strategy[child][None, :]
            values[node] += chance * values[child]
    return values


def weights_of(game: Game, strategy: Floats, beliefs: Floats) -> Floats:
    """By player, node and type: how likely the player's types are. A mistake tells what `beliefs` says, or nothing."""
    tree = game.tree
    weights = np.ones((2, tree.num_nodes, NUM_TYPES))
    for node in range(1, tree.num_nodes):
        mover, parent = int(tree.mover[node]), int(tree.parent[node])
        weights[1 - mover, node] = weights[1 - mover, parent]
        likely = weights[mover, parent] * strategy[node]
        if beliefs[node].any():
            assert not likely.any(), "a belief where Bayes' rule says what to believe"
            likely = beliefs[node]
        weights[mover, node] = likely if likely.any() else weights[mover, parent]
    return weights


def costs_of(game: Game, strategy: Floats, weights: Floats) -> Floats:
    """By node and type of its owner, the most that a move costs there that is played; 0 at leaves."""
    tree, values = game.tree, values_of(game, strategy)
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
