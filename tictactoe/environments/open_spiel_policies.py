"""Strategies of this package as policies of OpenSpiel, and policies of OpenSpiel as strategies of this package.

A strategy is float64 (num_nodes, 3): the probability of the move into a node, by the mover's goal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyspiel
from open_spiel.python import policy as open_spiel_policy

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import as_rows
from ..algorithms.public_tree import PublicTree
from ..algorithms.strategy import SUM_TOLERANCE, uniform_strategy
from ..games.cursor import Cursor
from ..games.goals import Goal, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score, all_scores
from .open_spiel_match import MATCH_TYPE, MatchGame, MatchState
from .open_spiel_round import RoundGame, RoundState
from .round_play import RoundVariant

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
