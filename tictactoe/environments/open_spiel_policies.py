"""Games and strategies of this package as games and policies of OpenSpiel, and policies of OpenSpiel as strategies.

    from tictactoe.environments.open_spiel_policies import exported, linked

A strategy is float64 (num_nodes, 3): the probability of the move into a node, by the mover's goal. OpenSpiel's own
compiled `efg_game` reads what is exported: all of its algorithms run on it at full speed. It gives information states
as strings, and no tensors.

Needs open_spiel: `pip install open_spiel`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import as_rows
from ..algorithms.built_game import BuiltGame
from ..algorithms.game import Game
from ..algorithms.public_tree import PublicTree
from ..algorithms.strategy import SUM_TOLERANCE, uniform_strategy
from ..games.cursor import Cursor
from ..games.rules import Goal, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score, all_scores
from .gambit_text import gambit_sets, gambit_text
from .match_game import RoundVariant
from .open_spiel_match import MATCH_TYPE, MatchGame, MatchState
from .open_spiel_round import RoundGame, RoundState, pyspiel
from .walked_game import WalkedGame

from open_spiel.python import policy as open_spiel_policy  # isort: skip

AnyGame = RoundGame | MatchGame
AnyState = RoundState | MatchState


class StrategyPolicy(open_spiel_policy.Policy):
    """Strategies of a tree as a policy of a game of OpenSpiel; made by `round_policy` and `match_policy`.

    The probability of a move of the tree that stands for several squares is divided evenly among the squares that the
    game allows. If the game goes on where the tree has a leaf, because the outcome is certain, every move is equally
    likely.
    """

    def __init__(self, game: AnyGame, tree: GameTree, strategy_at: Callable[[Any], FloatArray]) -> None:
        """strategy_at: from a state to the strategy there. Raises ValueError if game and tree differ in their rules."""
        super().__init__(game, list(range(game.num_players())))
        if tree.rules.name != game.variant.rules.name:
            raise ValueError(f"tree: of the rules {tree.rules.name}, and the game's are {game.variant.rules.name}")
        self._tree = tree
        self._strategy_at = strategy_at
        self._moves: dict[tuple[int, ...], dict[int, list[int]]] = {}

    def action_probabilities(self, state: AnyState, player_id: int | None = None) -> dict[int, float]:
        """The probability of every legal action.

        Raises ValueError for a player who is not to move, and for a strategy whose tree has moves that the game merges.
        """
        if player_id not in (None, state.current_player()) or state.current_player() < 0:
            raise ValueError(f"player_id: {player_id} is not to move at {state}")
        play = state.play
        actions = state.legal_actions()
        moves = self._moves_at(play.moves, actions)
        if not moves:
            return dict.fromkeys(actions, 1.0 / len(actions))
        strategy, goal = self._strategy_at(state), play.goals[play.mover]
        shares = ((shared, float(strategy[child, goal])) for child, shared in moves.items())
        result = {action: share / len(shared) for shared, share in shares for action in shared}
        if abs(sum(result.values()) - 1.0) > SUM_TOLERANCE:
            raise ValueError(f"strategy: its tree has moves after {play.moves} that the game has not")
        return {action: result[action] for action in actions}

    def _moves_at(self, moves: tuple[int, ...], actions: list[int]) -> dict[int, list[int]]:
        """For every child in the tree, the actions that lead to the child; empty if the tree has a leaf here."""
        if moves not in self._moves:
            squares = Cursor(self._tree, moves).squares_by_child()
            self._moves[moves] = {
                child: [square - 1 for square in shared if square - 1 in actions] for child, shared in squares.items()
            }
        return self._moves[moves]


def round_policy(game: RoundGame, strategy: FloatArray, tree: GameTree | None = None) -> StrategyPolicy:
    """A strategy as a policy of a round of OpenSpiel.

    game: any variant by the same rules.
    strategy: float64 (num_nodes, 3).
    tree: the strategy's tree; None for `GameTree.build` of the game's rules, the tree of all solutions.

    Raises ValueError for an array that is no strategy, or for a tree by other rules.

    >>> import pyspiel
    >>> from tictactoe import open_saved
    >>> game = pyspiel.load_game("smbc_tictactoe_round(merge_symmetric=false)")
    >>> policy = round_policy(game, open_saved("single_round").load().average_strategy)
    >>> state = game.new_initial_state()
    >>> for action in (0, 1, 4):  # X wants to win, O to lose; X marks 5
    ...     state.apply_action(action)
    >>> {state.action_to_string(action): round(p, 3) for action, p in policy.action_probabilities(state).items()}
    {'O1': 0.25, 'O2': 0.0, 'O3': 0.25, 'O4': 0.0, 'O6': 0.0, 'O7': 0.25, 'O8': 0.0, 'O9': 0.25}
    """
    tree = GameTree.build(game.variant.rules) if tree is None else tree
    as_rows(tree, strategy)  # raises for an array that is no strategy
    return StrategyPolicy(game, tree, lambda state: strategy)


def match_policy(
    game: MatchGame, strategies: Mapping[Score, FloatArray], tree: GameTree | None = None
) -> StrategyPolicy:
    """Strategies by score, such as `Solution.average_strategy`, as a policy of a match of OpenSpiel.

    strategies: by score, float64 (num_nodes, 3); each is checked at its first use.
    tree: as in `round_policy`.

    Raises ValueError for other rules, and for a missing score. A solution of a longer match has other scores;
    `part_for_shorter_match` translates them.
    """
    tree = GameTree.build(game.variant.rules) if tree is None else tree
    missing = [str(score) for score in all_scores(game.winning_score) if score not in strategies]
    if missing:
        raise ValueError(f"strategies: none for {len(missing)} scores, such as {missing[0]}")
    checked: dict[Score, FloatArray] = {}

    def strategy_at(state: MatchState) -> FloatArray:
        score = state.score
        if score not in checked:
            as_rows(tree, strategies[score])
            checked[score] = strategies[score]
        return checked[score]

    return StrategyPolicy(game, tree, strategy_at)


def strategy_of(game: RoundGame, policy: open_spiel_policy.Policy) -> FloatArray:
    """A policy of OpenSpiel as a strategy of this package: float64 (num_nodes, 3).

    Its tree is that of `game.variant.game()`: without the parameter start, `GameTree.build` of the same variant. The
    policy must not see the opponent's goal. With a goal that is never drawn, all moves are equally likely.

    Raises ValueError if the policy gives no probabilities, and the policy's own errors.

    >>> import pyspiel
    >>> from open_spiel.python.policy import UniformRandomPolicy
    >>> from tictactoe import exploitability
    >>> game = pyspiel.load_game("smbc_tictactoe_round(start=5193)")
    >>> ours = game.variant.game()
    >>> round(exploitability(ours, strategy_of(game, UniformRandomPolicy(game))).total, 6)
    0.883333
    """
    tree = game.variant.game().tree
    return _read(game, game.variant, tree, policy)


def match_strategies_of(game: MatchGame, policy: open_spiel_policy.Policy) -> dict[Score, FloatArray]:
    """By score, a policy's strategy in the first round of a match that begins at the score, as in `strategy_of`.

    This describes a policy completely if it looks at goal, score and the present round's moves alone. Its use of
    earlier rounds is lost. At every score the first mover is player 0.
    """
    variant = game.variant
    tree = GameTree.build(variant.rules, merge_symmetric=variant.merge_symmetric, cut_forced=variant.cut_forced)
    result = {}
    for score in all_scores(game.winning_score):
        points = {"first_points": score.first, "second_points": score.second}
        at_score = pyspiel.load_game(MATCH_TYPE.short_name, {**game.get_parameters(), **points})
        result[score] = _read(at_score, variant, tree, policy)
    return result


def _read(game: AnyGame, variant: RoundVariant, tree: PublicTree, policy: open_spiel_policy.Policy) -> FloatArray:
    """The policy's strategy at every decision node of the tree, in the first round of the game."""
    result = uniform_strategy(tree)
    drawn = [goal for goal, odds in zip(Goal, variant.rules.goal_probabilities, strict=True) if odds > 0.0]
    for seat in Seat:
        for goal in drawn:
            state = game.new_initial_state()
            for draws in (goal, drawn[0]) if seat is Seat.FIRST else (drawn[0], goal):
                state.apply_action(int(draws))
            waiting = [(0, state)]
            while waiting:
                node, state = waiting.pop()
                children = tree.children(node)
                if tree.owner[node] == seat:
                    probabilities = policy.action_probabilities(state)
                    for child in children:
                        result[child, goal] = probabilities.get(tree.move(child) - 1, 0.0)
                waiting += [(child, state.child(tree.move(child) - 1)) for child in children if tree.owner[child] >= 0]
    as_rows(tree, result)
    return result


class Place(NamedTuple):
    """Where an information state of OpenSpiel is in the strategies of this package."""

    information_state: str
    node: int
    """The decision node."""
    types: Sequence[int]
    """The numbers of the mover's types."""
    actions: Sequence[int]
    """OpenSpiel's numbers of the moves, in the order of the node's children."""


class LinkedGame:
    """A game of this package and the same game of OpenSpiel; `exported` and `linked` make it.

    game: this package's.
    open_spiel: the `pyspiel.Game`.
    places: all information states.
    """

    def __init__(self, game: Game, open_spiel: Any, places: Sequence[Place]) -> None:
        self.game, self.open_spiel, self.places = game, open_spiel, places

    def policy(self, strategy: FloatArray) -> Any:
        """A strategy, float64 (num_nodes, k), as a `pyspiel.TabularPolicy`. Raises ValueError for what is none."""
        tree = self.game.tree
        as_rows(tree, strategy)  # raises for an array that is no strategy
        table = {}
        for place in self.places:
            shares = strategy[tree.children(place.node), place.types[0]].tolist()
            table[place.information_state] = list(zip(place.actions, shares, strict=True))
        return pyspiel.TabularPolicy(table)

    def strategy(self, policy: Any) -> FloatArray:
        """A `pyspiel.Policy` as a strategy, float64 (num_nodes, k).

        The policy must know information states by their strings, as those of compiled solvers do. With types that
        cannot come to a node, all moves are equally likely.

        Raises ValueError if the policy gives no probabilities, and the policy's own errors.
        """
        tree = self.game.tree
        result = uniform_strategy(tree)
        for place in self.places:
            given = policy.action_probabilities(place.information_state)
            shares = np.array([given.get(action, 0.0) for action in place.actions])
            result[np.ix_(tree.children(place.node), place.types)] = shares[:, None]
        as_rows(tree, result)
        return result


def exported(game: Game, title: str = "") -> LinkedGame:
    """A game of this package as one of OpenSpiel. Chance deals a pair of types, and the public moves follow.

    >>> from tictactoe import exploitability, kuhn_poker
    >>> kuhn = exported(kuhn_poker())
    >>> theirs = pyspiel.CFRPlusSolver(kuhn.open_spiel)
    >>> for _ in range(200):
    ...     theirs.evaluate_and_update_policy()
    >>> pyspiel.nash_conv(kuhn.open_spiel, theirs.average_policy()) < 1e-3
    True
    >>> exploitability(kuhn.game, kuhn.strategy(theirs.average_policy())).total < 1e-3
    True
    """
    open_spiel = pyspiel.load_efg_game(gambit_text(game, title))
    actions: dict[str, Sequence[int]] = {}
    waiting = [open_spiel.new_initial_state()]
    while waiting:
        state = waiting.pop()
        legal = state.legal_actions()
        if state.current_player() >= 0:
            actions.setdefault(state.information_state_string(), legal)
        waiting += [state.child(action) for action in legal]
    places = []
    for each in gambit_sets(game):
        name = f"{each.player}-{each.player}-{each.number}-{each.name}"
        places.append(Place(name, each.node, each.types, actions[name]))
    return LinkedGame(game, open_spiel, places)


def linked(game: BuiltGame, description: WalkedGame) -> LinkedGame:
    """The game that was built from what `open_spiel_game` has found, and the game of OpenSpiel where it was found.

    Raises ValueError for a game that was built from another description, and for one of perfect information, which has
    no information states here.

    >>> from tictactoe import build_game, exploitability, open_spiel_game, uniform_strategy
    >>> description = open_spiel_game("leduc_poker")
    >>> leduc = linked(build_game(description), description)
    >>> strategy = uniform_strategy(leduc.game.tree)
    >>> print(round(exploitability(leduc.game, strategy).total, 9))
    4.747222222
    >>> print(round(pyspiel.nash_conv(leduc.open_spiel, leduc.policy(strategy)), 9))
    4.747222222
    """
    return LinkedGame(game, description.source, list(_places(game, description)))


def _places(game: BuiltGame, description: WalkedGame) -> Iterator[Place]:
    if game.types != description.types:
        raise ValueError("description: the game was not built from it")
    waiting = [(0, description.root())]
    while waiting:
        node, state = waiting.pop()
        walked, children = description.nodes[state], game.tree.children(node)
        if [game.tree.move(child) for child in children] != [name for name, _ in walked.moves]:
            raise ValueError("description: the game was not built from it")
        waiting += [(child, after) for child, (_, after) in zip(children, walked.moves, strict=True)]
        if walked.owner not in (0, 1):
            continue
        if walked.labels is None:
            raise ValueError("description: a game of perfect information has no information states here")
        for label, (text, actions) in enumerate(walked.information_states.items()):
            types = np.unique(description.type_of_deal[walked.owner][walked.labels == label]).tolist()
            yield Place(text, node, types, actions)
