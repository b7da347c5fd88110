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
    """What strategies of a tree play in a game of OpenSpiel; made by `round_policy` and `match_policy`.

    A move of the tree that stands for several squares is shared out evenly among those that the game has. Where the
    tree has a leaf, as all is decided there, and the game goes on, every move is equally likely.
    """

    def __init__(self, game: AnyGame, tree: GameTree, strategy_at: Callable[[Any], FloatArray]) -> None:
        """strategy_at: the strategy to be used at a state. Raises ValueError when game and tree have other rules."""
        super().__init__(game, list(range(game.num_players())))
        if tree.rules.name != game.variant.rules.name:
            raise ValueError(f"tree: of the rules {tree.rules.name}, and the game's are {game.variant.rules.name}")
        self._tree = tree
        self._strategy_at = strategy_at
        self._moves: dict[tuple[int, ...], dict[int, list[int]]] = {}

    def action_probabilities(self, state: AnyState, player_id: int | None = None) -> dict[int, float]:
        """Of every legal action. Raises ValueError for a player who is not to move, and for a strategy whose tree tells
        moves apart that the game does not."""
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
        """For every child in the tree those actions that lead to it; nothing where the tree has a leaf."""
        if moves not in self._moves:
            squares = Cursor(self._tree, moves).squares_by_child()
            self._moves[moves] = {
                child: [square - 1 for square in shared if square - 1 in actions] for child, shared in squares.items()
            }
        return self._moves[moves]


def round_policy(game: RoundGame, strategy: FloatArray, tree: GameTree | None = None) -> StrategyPolicy:
    """What a strategy plays in a round of OpenSpiel. Raises ValueError when it is none, or of other rules.

    game: any variant by the same rules. tree: of the strategy; None for `GameTree.build` of the game's rules, the tree
    of all solutions.

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
    as_rows(tree, strategy)  # raises when it is no strategy
    return StrategyPolicy(game, tree, lambda state: strategy)


def match_policy(
    game: MatchGame, strategies: Mapping[Score, FloatArray], tree: GameTree | None = None
) -> StrategyPolicy:
    """What strategies by score play in a match of OpenSpiel, such as `Solution.average_strategy`.

    Each is checked when it is first used. Raises ValueError for other rules, and for missing scores, as those of a
    solution of a match to another number of points are; `part_for_shorter_match` makes them fit. tree: as in
    `round_policy`.
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
    """A policy of OpenSpiel as a strategy of this package: float64 (num_nodes, 3), of `game.variant.game()`.

    Without the parameter start, that is the tree `GameTree.build` of the same variant. The policy must not see the
    opponent's goal. For goals that are never drawn, all moves are equally likely. Raises ValueError when the policy
    gives no probabilities, and whatever the policy raises.

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
    """By score, what a policy of OpenSpiel plays in the first round of a match that begins at that score.

    That is all of a policy that looks at nothing but goal, score and this round's moves; whatever it makes of earlier
    rounds is lost. At every score the first mover is player 0. float64 (num_nodes, 3), as `strategy_of`.
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
    """What the policy plays at every decision node of the tree, in the first round of the game."""
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
