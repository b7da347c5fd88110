"""Practice: single rounds from the same start between player 0, who practises, and player 1, the bot."""

from __future__ import annotations

from dataclasses import dataclass

from ..games.cursor import Cursor
from ..games.rules import Goal, Seat
from ..match.scores import Score
from .bot import RoundBot, deal_goals, draw_first, generator_for
from .known_opponent import KnownOpponent
from .notation import Position
from .referee import COMMITTED_PLAYER, Round, new_commitment


@dataclass
class Practice:
    """What all rounds of practice have in common."""

    bot: RoundBot
    score: Score
    seat: Seat | None
    """Of player 0; None to draw it each round."""
    seed: int | None
    """Of all draws; None for unpredictable ones."""
    goals: tuple[Goal | None, Goal | None] = (None, None)
    """By player; None to deal one each round."""
    start: Position | None = None
    """The position where rounds begin. Its goals take precedence over `goals`. A goal that is unknown in both is drawn
    by what the moves of the position tell about it."""
    known: KnownOpponent | None = None
    """Player 1, if its strategy is known and not that of `bot`."""
    _drawn = 0  # how many goals were drawn by what the moves tell

    def deal(self, number: int) -> Round:
        """Round `number`, ready to be played."""
        first = draw_first(self.seat, self.seed, number)
        dealt = deal_goals(self.bot.tree.rules, self.seed, number)
        goals = self._goal(0, first, dealt[0]), self._goal(1, first, dealt[1])
        commitment = new_commitment(self.seed, number, goals[COMMITTED_PLAYER])
        moves = () if self.start is None else self.start.moves
        return Round(number, self.score, first, goals, commitment, self.bot.tree, moves)

    def _goal(self, player: int, first: int, dealt: Goal) -> Goal:
        seat = Seat(int(player != first))
        wanted = None if self.start is None else self.start.goals[seat]
        wanted = self.goals[player] if wanted is None else wanted
        if wanted is not None or self.start is None:
            return dealt if wanted is None else wanted
        cursor = Cursor(self.bot.tree, self.start.moves)
        if player == COMMITTED_PLAYER and self.known is not None:
            belief = self.known.belief(cursor, seat, self.score)
        else:
            belief = self.bot.belief(cursor.node, seat)
        self._drawn += 1
        return generator_for(self.seed, f"unknown goal {self._drawn}").choices(list(Goal), weights=belief)[0]


def seat_at(start: Position) -> Seat:
    """The seat of the person who practises at a position: the one whose goal is known, or else the first."""
    return Seat.SECOND if start.goals[0] is None and start.goals[1] is not None else Seat.FIRST
