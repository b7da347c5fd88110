"""Games and strategies to try things on: random ones, Kuhn poker, the payoffs of a round; arrays as naive.py says."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from tictactoe import CHANCE, PublicTree, kuhn_poker

from .naive import NUM_TYPES, Floats, NaiveGame, average_strategy


@dataclass
class Table:
    """A description whose owners and moves stand in a dictionary. Without one it is a single move of player 0."""

    nodes: dict[Any, Any] = field(default_factory=lambda: {"start": (0, [("left", "l"), ("right", "r")])})
    """(owner, moves) of a state; a state without them ends the game."""
    types: Any = (("a", "b"), ("c",))
    probability: Callable[[Any, Any], Any] = lambda first, second: 1 / 2
    worth: Callable[[Any, Any, Any], Any] = lambda state, first, second: 1.0

    def prior(self, first: Any, second: Any) -> Any:
        return self.probability(first, second)

    def root(self) -> Any:
        return "start"

    def owner(self, state: Any) -> Any:
        return self.nodes.get(state, (None, ()))[0]

    def moves(self, state: Any) -> Any:
        return self.nodes[state][1]

    def payoff(self, state: Any, first: Any, second: Any) -> Any:
        return self.worth(state, first, second)


@dataclass
class Drawn:
    """A game of random shape: a state is a history, and everything about it is drawn from the history's own numbers.

    Cards may not come that somebody holds; with `hides` a player learns the last bit of its type at its second move.
    """

    seed: int
    num_types: tuple[int, int]
    hides: bool = False
    depth: int = 4

    def __post_init__(self) -> None:
        self.types = tuple(tuple(range(number)) for number in self.num_types)
        prior = np.random.default_rng(self.seed).random(self.num_types) * (np.indices(self.num_types).sum(0) % 4 > 0)
        self._prior = prior / prior.sum()

    def draw(self, *where: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, *where))

    def prior(self, first: int, second: int) -> float:
        return float(self._prior[first, second])

    def root(self) -> tuple[int, ...]:
        return ()

    def owner(self, state: tuple[int, ...]) -> int | None:
        ends = len(state) == self.depth or (len(state) > 1 and self.draw(1, *state).random() < 0.2)
        return None if ends else int(self.draw(2, *state).choice([0, 1, CHANCE]))

    def moves(self, state: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
        return [("abc"[number], (*state, number)) for number in range(int(self.draw(3, *state).integers(2, 4)))]

    def chance(self, state: tuple[int, ...], name: str, first: int, second: int) -> float:
        names = [each for each, _ in self.moves(state)]
        weights = self.draw(4, *state, first % 3, second % 2).random(len(names))
        weights[first % len(names)] = 0.0  # that card is held
        return float(weights[names.index(name)] / weights.sum())

    def payoff(self, state: tuple[int, ...], first: int, second: int) -> float:
        return float(self.draw(5, *state, first, second).normal())


class Hiding(Drawn):
    def knows(self, state: tuple[int, ...], player: int, own_type: int) -> Hashable:
        before = any(self.owner(state[:length]) == player for length in range(len(state)))
        return own_type if before else own_type // 2


class Blind(Drawn):
    """A game of random payoffs whose players see their own type and moves alone."""

    def owner(self, state: tuple[int, ...]) -> int | None:
        return (CHANCE, 1, 0, 1, None)[len(state)]

    def moves(self, state: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
        return [(name, (*state, number)) for number, name in enumerate("abc")]

    def sees(self, state: tuple[int, ...], player: int) -> Hashable:
        return tuple(move for place, move in enumerate(state) if self.owner(state[:place]) == player)


def make_tree(parent: list[int], owner: list[int], leaf_class: list[int]) -> PublicTree:
    return PublicTree(np.array(parent, np.int32), np.array(owner, np.int8), np.array(leaf_class, np.int8))


def random_game(seed: int, max_depth: int = 4, max_children: int = 3, num_classes: int = 100) -> NaiveGame:
    """Random shape, owners, payoffs and prior. Leaves have classes in turn: with enough of them no two moves tie, where
    a rounding error of 1e-17 would make one solver play what the other plays uniformly."""
    random = np.random.default_rng(seed)
    parent, owner, leaf_class, depth = [-1], [0], [0], [0]
    stack, num_leaves = [0], 0
    while stack:
        node = stack.pop()
        is_leaf = depth[node] == max_depth or (node > 0 and random.random() < 0.3)
        owner[node] = -1 if is_leaf else int(random.integers(2))
        leaf_class[node] = num_leaves % num_classes if is_leaf else -1
        num_leaves += is_leaf
        if not is_leaf:
            children = range(len(parent), len(parent) + int(random.integers(2 if node == 0 else 1, max_children + 1)))
            for _ in children:
                parent.append(node)
                owner.append(-1)
                leaf_class.append(-1)
                depth.append(depth[node] + 1)
            stack.extend(reversed(children))
    payoffs = random.uniform(-1.0, 1.0, (min(num_leaves, num_classes), NUM_TYPES, NUM_TYPES))
    prior = random.random((NUM_TYPES, NUM_TYPES))
    return NaiveGame(make_tree(parent, owner, leaf_class), payoffs, prior / prior.sum())


def alternating_game(seed: int, first: int = 0, max_depth: int = 4) -> NaiveGame:
    """A random small game of players who take turns; `first` begins."""
    tree, payoffs, prior = random_game(seed, max_depth)
    owner = np.where(tree.leaf_class >= 0, -1, (tree.depth + first) % 2)
    return NaiveGame(make_tree(tree.parent.tolist(), owner.tolist(), tree.leaf_class.tolist()), payoffs, prior)


def without_ties(game: NaiveGame, seed: int = 0, size: float = 1e-3) -> NaiveGame:
    """The game with payoffs changed by up to `size`, so that no two moves are worth the same; see random_game."""
    noise = np.random.default_rng(seed).uniform(-size, size, np.shape(game.payoffs))
    return game._replace(payoffs=game.payoffs + noise)


def kuhn_game() -> NaiveGame:
    """Kuhn poker as the oracle takes it; test_game_builder.py holds it to the game's description."""
    game = kuhn_poker()
    return NaiveGame(game.tree, game.payoffs, game.prior)


def kuhn_equilibrium(alpha: float = 0.0) -> Floats:
    """The member of Kuhn's family of equilibria that bets the jack with probability `alpha`, 0 to 1/3."""
    third = 1.0 / 3.0
    bet = np.array([alpha, 0.0, 3.0 * alpha])
    bet_after_check = np.array([third, 0.0, 1.0])
    call_after_check = np.array([0.0, alpha + third, 1.0])
    call = np.array([0.0, third, 1.0])
    rows = (np.ones(3), 1 - bet, bet, 1 - bet_after_check, bet_after_check)
    return np.array([*rows, 1 - call_after_check, call_after_check, 1 - call, call])


def round_payoffs(outcome_values: tuple[float, float, float, float], *both_lines: tuple[int, ...]) -> Floats:
    """(3, 3, 3): the payoff to the first mover by outcome and by both goals (win 0, lose 1, tie 2). `outcome_values` is
    what it is worth to the first mover that both, only the first, only the second, neither score. both_lines: where
    three in a row of both are an outcome, the fourth one, the goals that come true for either then."""
    reached = [((0,), (1,)), ((1,), (0,)), ((2,), (2,)), *((goals, goals) for goals in both_lines)]
    payoffs = np.empty((len(reached), 3, 3))
    for outcome, first_goal, second_goal in product(range(len(reached)), range(3), range(3)):
        first, second = reached[outcome]
        payoffs[outcome, first_goal, second_goal] = outcome_values[
            2 * (first_goal not in first) + (second_goal not in second)
        ]
    return payoffs


def prior_of_odds(*odds: int) -> Floats:
    return np.outer(odds, odds) / sum(odds) ** 2


def uniform_prior() -> Floats:
    return np.full((NUM_TYPES, NUM_TYPES), 1.0 / 9.0)


def random_strategy(tree: PublicTree, seed: int, share_of_zeros: float = 0.0) -> Floats:
    random = np.random.default_rng(seed)
    weights = random.random((tree.num_nodes, NUM_TYPES))
    weights[random.random(weights.shape) < share_of_zeros] = 0.0
    return average_strategy(tree, weights)


def pure_strategy(tree: PublicTree, seed: int, by_type: bool = True) -> Floats:
    random = np.random.default_rng(seed).random((tree.num_nodes, NUM_TYPES))
    if not by_type:
        random[:, 1:] = random[:, :1]
    best = np.zeros(random.shape)
    np.maximum.at(best, tree.parent[1:], random[1:])
    return np.concatenate([np.ones((1, NUM_TYPES)), (random[1:] == best[tree.parent[1:]]).astype(float)])
