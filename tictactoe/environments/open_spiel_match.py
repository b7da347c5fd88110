"""A whole match as a game of OpenSpiel, `smbc_tictactoe_match`: player 0 moves first in the first round.

Before every round two chance nodes draw the goals, the first mover's and then the other's; then the players swap seats.
After a round both players know both goals, as in a match against the bot, where the commitment is opened. Actions and
outcomes of chance are those of a round.

A match has no last round: players who never score play for ever. OpenSpiel needs the longest possible length of a game:
it sizes buffers by that length, and stops with an error when a game lasts longer. So a match that is not decided after
`max_rounds` rounds is a draw here, worth 0 to both players. Elsewhere in this package it goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..games.rules import Goal, goal_name
from ..match.scores import Score, points_after
from .match_game import RoundPlay
from .open_spiel_round import (
    NUM_ACTIONS,
    Knowledge,
    Pieces,
    PlayState,
    game_type,
    play_text,
    pyspiel,
    refuse_text,
    round_shapes,
    round_words,
    set_moves,
    set_round,
    squares_text,
    variant_of,
)

MATCH_TYPE = game_type(
    "smbc_tictactoe_match", "a match", {"winning_score": 5, "max_rounds": 60, "first_points": 0, "second_points": 0}
)


class MatchGame(pyspiel.Game):
    """The game. Raises ValueError for parameters that make no match.

    Parameters:
    rules, merge_symmetric, cut_forced: see RoundGame.
    winning_score: the points that win the match.
    max_rounds: an undecided match is a draw after so many rounds.
    first_points, second_points: the points of players 0 and 1 at the start.

    Attributes:
    variant: the variant of the rounds.
    winning_score, max_rounds: the parameters.
    score: the score at the start.
    """

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = {**MATCH_TYPE.parameter_specification, **(parameters or {})}
        self.variant = variant_of(given)
        self.winning_score: int = given["winning_score"]
        self.max_rounds: int = given["max_rounds"]
        self.score = Score(given["first_points"], given["second_points"])
        for name in ("winning_score", "max_rounds"):
            if given[name] < 1:
                raise ValueError(f"{name}: {given[name]} is not at least 1")
        for name in ("first_points", "second_points"):
            if not 0 <= given[name] < self.winning_score:
                raise ValueError(f"{name}: {given[name]} is not in 0 to {self.winning_score - 1}")
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=len(Goal),
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=NUM_ACTIONS * self.max_rounds,
        )
        super().__init__(MATCH_TYPE, info, given)

    def max_chance_nodes_in_history(self) -> int:
        """Two goals are drawn in every round."""
        return 2 * self.max_rounds

    def new_initial_state(self, text: str | None = None) -> MatchState:
        """The state before any goal is drawn. Raises ValueError for a text, as no text says which player knows what."""
        refuse_text(text, "parameters")
        return MatchState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> MatchObserver:
        """See MatchObserver."""
        return MatchObserver(Knowledge.of(iig_obs_type, params), self.winning_score, self.max_rounds)


class MatchState(PlayState):
    """A state of the game.

    play: the present round; after the match, its last round.
    rounds: the finished rounds, in order.
    points: the points of players 0 and 1.
    winner: player 0 or 1; None if nobody has won.
    """

    def __init__(self, game: MatchGame) -> None:
        super().__init__(game)
        self.play = game.variant.play
        self.rounds: tuple[RoundPlay, ...] = ()
        self.points: tuple[int, int] = (game.score.first, game.score.second)
        self.winner: int | None = None
        self.winning_score: int = game.winning_score
        self.max_rounds: int = game.max_rounds

    @property
    def first(self) -> int:
        """The player who moves first in the round `play`: players 0 and 1 take turns."""
        return (len(self.rounds) - self.is_terminal()) % 2

    @property
    def score(self) -> Score:
        """The points before the round `play`, of its first mover and of the other player.

        Raises ValueError when the match is over.
        """
        if self.is_terminal():
            raise ValueError("the match is over")
        return Score(self.points[self.first], self.points[1 - self.first])

    def current_player(self) -> int:
        """The player who acts."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        if not self.play.is_drawn:
            return int(pyspiel.PlayerId.CHANCE)
        return (self.first + self.play.mover) % 2

    def is_terminal(self) -> bool:
        """Whether somebody has won, or `max_rounds` rounds have been played."""
        return self.winner is not None or len(self.rounds) == self.max_rounds

    def _apply_action(self, action: int) -> None:
        super()._apply_action(action)
        if self.play.is_drawn and self.play.outcome is not None:
            self._finish()

    def _finish(self) -> None:
        """Count the round, and begin the next round unless the match is over."""
        scored = self.play.scored if self.first == 0 else self.play.scored[::-1]
        self.points = points_after(self.points, scored, self.winning_score)
        self.rounds = (*self.rounds, self.play)
        if max(self.points) >= self.winning_score:
            self.winner = self.points.index(max(self.points))
            return
        if len(self.rounds) < self.max_rounds:
            self.play = self.play.variant.play

    def returns(self) -> list[float]:
        """1 to the winner and -1 to the other; 0 while nobody has won."""
        if self.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.winner == 0 else [-1.0, 1.0]

    def __str__(self) -> str:
        words = [play_text(played) for played in self.rounds]
        if not self.is_terminal():
            words.append(play_text(self.play))
        return f"{self.points[0]}-{self.points[1]}: " + ", ".join(words)


class MatchObserver(Pieces):
    """A player's knowledge of a match.

    Pieces, where "one of" means a 1 in one place:
    player: one of two.
    goal, and moves or board: see `round_shapes`.
    seat: in the round, one of first and second.
    points: [own or the opponent's], one of 0 to winning_score.
    rounds: the finished rounds as a part of max_rounds, 0 to 1.
    earlier_goals, with perfect recall: [round, own or the opponent's], one of three.
    earlier_moves, with perfect recall: [round, move, square], 1 if the move marked the square.
    """

    def __init__(self, knowledge: Knowledge, winning_score: int, max_rounds: int) -> None:
        shapes: dict[str, tuple[int, ...]] = {"player": (2,), **round_shapes(knowledge)}
        if knowledge.public:
            shapes |= {"seat": (2,), "points": (2, winning_score + 1), "rounds": (1,)}
            if knowledge.perfect_recall:
                shapes["earlier_goals"] = (max_rounds, 2, len(Goal))
                shapes["earlier_moves"] = (max_rounds, NUM_ACTIONS, NUM_ACTIONS)
        super().__init__(shapes)
        self._knowledge = knowledge

    def set_from(self, state: MatchState, player: int) -> None:
        """Fill the tensor."""
        self.tensor.fill(0)
        seat = (player + state.first) % 2
        self.dict["player"][player] = 1
        set_round(self.dict, state.play, seat)
        if not self._knowledge.public:
            return
        self.dict["seat"][seat] = 1
        for row, whose in enumerate((player, 1 - player)):
            self.dict["points"][row, state.points[whose]] = 1
        self.dict["rounds"][0] = len(state.rounds) / state.max_rounds
        if self._knowledge.perfect_recall:
            for number, played in enumerate(state.rounds):
                own = (player + number) % 2
                for row, whose in enumerate((own, 1 - own)):
                    self.dict["earlier_goals"][number, row, played.goals[whose]] = 1
                set_moves(self.dict["earlier_moves"][number], played.moves)

    def string_from(self, state: MatchState, player: int) -> str:
        """Such as "player:0 round:2 points:1-0 earlier:win/tie/14253 goal:win moves:5", own points and goals first."""
        words = [f"player:{player}"]
        if self._knowledge.public:
            words += [f"round:{len(state.rounds) + 1}", f"points:{state.points[player]}-{state.points[1 - player]}"]
            if self._knowledge.perfect_recall:
                for number, played in enumerate(state.rounds):
                    own = (player + number) % 2
                    goals = (goal_name(played.goals[whose]) for whose in (own, 1 - own))
                    words.append(f"earlier:{'/'.join([*goals, squares_text(played.moves)])}")
        return " ".join([*words, *round_words(self._knowledge, state.play, (player + state.first) % 2)])


pyspiel.register_game(MATCH_TYPE, MatchGame)
