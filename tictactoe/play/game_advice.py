"""A described game in play: the deal, moves, chance, an opponent's moves and the values of moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np

from ..algorithms.ranked_game import RankedTypes, is_ranked, ranked_chance, ranked_payoff
from ..algorithms.strategy import best_response_from_leaves

if TYPE_CHECKING:
    from ..algorithms.arrays import FloatArray
    from ..algorithms.built_game import BuiltGame
    from ..algorithms.hidden_moves import HiddenMovesGame
    from ..algorithms.single_player import BestMoves

CHANCE = 2


@dataclass(frozen=True, eq=False)
class GameRules:
    """A description, with the way its types are dealt."""

    description: Any
    """The description, a GameDescription."""

    @cached_property
    def deals(self) -> tuple[list[tuple[Any, Any]], list[float]]:
        """The possible pairs of types, and their probabilities."""
        if not hasattr(self.description, "types"):
            return [("", "")], [1.0]
        if is_ranked(self.description):
            ranked = RankedTypes(self.description)
            some = [tuple(place) for place in np.argwhere(ranked.prior > 0.0).tolist()]
            found = [(ranked.types[0][first], ranked.types[1][second]) for first, second in some]
            return found, ranked.prior[ranked.prior > 0.0].tolist()
        pairs = product(*(list(names) for names in self.description.types))
        likely = [(pair, float(self.description.prior(*pair))) for pair in pairs]
        possible = [each for each in likely if each[1] > 0.0]
        return [pair for pair, _ in possible], [chance for _, chance in possible]

    def dealt(self, random: Random) -> GameRound:
        pairs, chances = self.deals
        return GameRound(self.description, random.choices(pairs, chances)[0], self.description.root(), random)


class GameRound:
    """A round in progress.

    >>> from random import Random
    >>> from tictactoe.games.named_games import named_game
    >>> game = GameRules(named_game("kuhn").description).dealt(Random(1))
    >>> game.play("check"); game.play("bet"); game.play("fold")
    >>> game.owner, game.history, game.payoff
    (None, ('check', 'bet', 'fold'), -1.0)
    """

    def __init__(self, description: Any, types: tuple[Any, Any], state: Any, random: Random) -> None:
        self.description, self.types, self.state, self._random = description, types, state, random
        self.history: tuple[Any, ...] = ()

    @property
    def _told(self) -> tuple[Any, ...]:
        return self.types if hasattr(self.description, "types") else ()

    @property
    def hides(self) -> bool:
        """Whether moves may be hidden."""
        return hasattr(self.description, "sees")

    @property
    def seen(self) -> Any:
        """What the mover sees of hidden moves."""
        return self.description.sees(self.state, self.owner)

    @property
    def owner(self) -> int | None:
        """The player to move: 0, 1 or CHANCE; None at the end."""
        owner: int | None = self.description.owner(self.state)
        return owner

    @property
    def moves(self) -> dict[Any, Any]:
        """The states that the moves lead to, by the names of the moves."""
        return dict(self.description.moves(self.state))

    def play(self, name: Any) -> None:
        """Make a move. Raises KeyError for an unknown name."""
        self.state, self.history = self.moves[name], (*self.history, name)

    def draw(self) -> Any:
        """Make a move of chance and return its name."""
        names, chance = list(self.moves), self.description.chance
        if is_ranked(self.description):
            chance = partial(ranked_chance, self.description)
        return self.play_one_of(names, [chance(self.state, name, *self._told) for name in names])

    def play_one_of(self, names: Sequence[Any], chances: Sequence[float]) -> Any:
        """Make a move drawn by these probabilities and return its name."""
        name = self._random.choices(names, list(map(float, chances)))[0]
        self.play(name)
        return name

    @property
    def payoff(self) -> float:
        """The payoff to player 0 at the end."""
        if hasattr(self.description, "payoff"):
            return float(self.description.payoff(self.state, *self._told))
        if is_ranked(self.description):
            return ranked_payoff(self.description, self.state, *self.types)
        factor, name = self.description.payoff_matrix(self.state)
        first, second = (list(names).index(own) for names, own in zip(self.description.types, self.types, strict=True))
        return float(factor) * float(self.description.matrices[name][first][second])

    @property
    def total(self) -> float:
        """The sum of both players' payoffs."""
        return float(getattr(self.description, "constant_sum", 0.0))

    @property
    def shown(self) -> str | None:
        """The description's words for what lies on the table; None if it has none."""
        show = getattr(self.description, "show", None)
        return None if show is None else " ".join(str(show(self.state)).split())

    @property
    def meanings(self) -> dict[Any, str]:
        """The description's words for the moves here, by name."""
        means = getattr(self.description, "means", None)
        return {} if means is None else {name: " ".join(str(means(self.state, name)).split()) for name in self.moves}

    def known_types(self, player: int) -> list[Any]:
        """The types that the player may have, as far as it knows."""
        if self.hides:
            return [self.types[player]]
        knows = getattr(self.description, "knows", None)
        own = self.types[player]
        if knows is None:
            return [own]
        answer = knows(self.state, player, own)
        return [each for each in self.description.types[player] if knows(self.state, player, each) == answer]


_LEAVES_AT_ONCE = 4096


class MoveAdvice(NamedTuple):
    played: float
    """The probability with which the opponent would make the move in the player's place."""
    worth: float
    """The value, in payoff, of a best response to the opponent after the move."""


class Advice(Protocol):
    """Advice to somebody who plays against a known strategy."""

    def moves(self, position: GameRound) -> dict[Any, MoveAdvice]:
        """Advice on the mover's moves, by name."""


class TreeAdvice:
    """Advice against a strategy of a built game, float64 (num_nodes, k)."""

    def __init__(self, game: BuiltGame, strategy: FloatArray) -> None:
        self._game, self.strategy = game, strategy
        self._values: dict[int, FloatArray] = {}

    def moves(self, position: GameRound) -> dict[Any, MoveAdvice]:
        game, player = self._game, position.owner
        assert player in (0, 1)
        node, types = game.tree.find(position.history), game.types[player]
        number = types.index(position.types[player])
        together = [types.index(each) for each in position.known_types(player)]
        weight = float(self._weights(node, player)[together].sum())
        values = self._values_of(player)
        return {
            game.tree.move(child): MoveAdvice(
                float(self.strategy[child, number]),
                float(values[child][together].sum()) / weight if weight > 0.0 else 0.0,
            )
            for child in game.tree.children(node)
        }

    def _weights(self, node: int, player: int) -> FloatArray:
        dealt = self._game.dealt(node)
        weights: FloatArray = (dealt if player == 0 else dealt.T) @ self.reach[1 - player, node]
        return weights

    @cached_property
    def reach(self) -> FloatArray:
        """Each player's own reach, float64 (2, num_nodes, k)."""
        return self._game.tree.own_reach(self.strategy)

    def _values_of(self, player: int) -> FloatArray:
        """The player's counterfactual values of a best response, float64 (num_nodes, k)."""
        if player not in self._values:
            tree = self._game.tree
            leaves = self._leaves(player, 1.0 - 2.0 * player, np.zeros((tree.num_nodes, tree.num_types)))
            self._values[player] = best_response_from_leaves(tree, player, leaves)
        return self._values[player]

    def _leaves(self, player: int, sign: float, result: FloatArray) -> FloatArray:
        game, reach = self._game, self.reach[1 - player]
        leaves = np.flatnonzero(game.tree.leaf_class >= 0)
        classes = game.tree.leaf_class[leaves]
        if game.is_wide:
            for leaf in leaves.tolist():
                paid = game.paid(leaf)
                result[leaf] = sign * ((paid if player == 0 else paid.T) @ reach[leaf])
            return result
        for start in range(0, len(leaves), _LEAVES_AT_ONCE):
            some = leaves[start : start + _LEAVES_AT_ONCE]
            paid = game.payoffs[classes[start : start + _LEAVES_AT_ONCE]] * game.prior
            subscripts = "nab,nb->na" if player == 0 else "nab,na->nb"
            result[some] = sign * np.einsum(subscripts, paid, reach[some])
        return result


class HiddenAdvice:
    """Advice against a strategy of a game with hidden moves, float64 (num_nodes, 1)."""

    def __init__(self, game: HiddenMovesGame, strategy: FloatArray) -> None:
        self._game, self.strategy = game, strategy
        self._values: dict[int, tuple[FloatArray, FloatArray]] = {}

    def moves(self, position: GameRound) -> dict[Any, MoveAdvice]:
        player = position.owner
        assert player in (0, 1)
        return self.moves_at(self._game.node_seen(player, position.seen, position.types[player]))

    def moves_at(self, node: int) -> dict[Any, MoveAdvice]:
        """Advice on the moves at an information set, by name."""
        tree, (values, _) = self._game.tree, self._of(int(self._game.tree.owner[node]))
        met = self.met(node)
        return {
            tree.move(child): MoveAdvice(
                float(self.strategy[child, 0]), float(values[child, 0]) / met if met > 0.0 else 0.0
            )
            for child in tree.children(node)
        }

    def met(self, node: int) -> float:
        """The counterfactual reach of an information set of the mover."""
        return float(self._of(int(self._game.tree.owner[node]))[1][node, 0])

    def _of(self, player: int) -> tuple[FloatArray, FloatArray]:
        """The counterfactual values of a best response and its counterfactual reach, float64 (num_nodes, 1) each."""
        if player not in self._values:
            game = self._game
            reach = game.tree.own_reach_of_player(1 - player, self.strategy)
            values = best_response_from_leaves(game.tree, player, game.sweeps()[1].leaf_values(player, reach))
            self._values[player] = values, game.met(player, self.strategy)
        return self._values[player]


def advice_under(game: BuiltGame, strategy: FloatArray) -> TreeAdvice | HiddenAdvice:
    """Advice against a strategy of a built game, float64 (num_nodes, k)."""
    if game.has_hidden_moves:
        return HiddenAdvice(cast("HiddenMovesGame", game), strategy)
    return TreeAdvice(game, strategy)


class StateAdvice:
    """Advice in a game of a single player. played: the moves that are played, by state."""

    def __init__(self, best: BestMoves, played: Mapping[Any, Any]) -> None:
        self._best, self._played = best, played

    def moves(self, position: GameRound) -> dict[Any, MoveAdvice]:
        chosen = self._played[position.state]
        return {
            name: MoveAdvice(float(name == chosen), float(self._best.values[after]))
            for name, after in position.moves.items()
        }
