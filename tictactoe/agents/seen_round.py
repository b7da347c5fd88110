"""A round on a network as one of its players sees it: the goal of the opponent is secret until the end."""

from __future__ import annotations

from collections.abc import Iterator

from ..games.goals import Goal, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..play.commitment import commitment_text
from ..play.referee import Round
from .agent import RoundEnd, RoundFacts


class SeenRound:
    """A round whose player is number 0. played: has an arbitrary goal of the opponent, which is not to be shown."""

    def __init__(self, facts: RoundFacts, tree: GameTree) -> None:
        self._facts, self._tree = facts, tree
        self.played = self._round(Goal.WIN)

    def _round(self, goal: Goal) -> Round:
        facts = self._facts
        text = commitment_text(facts.number, goal, "00")
        return Round(facts.number, facts.score, int(facts.seat is not Seat.FIRST), (facts.goal, goal), text, self._tree)

    def mark(self, square: int) -> int:
        """Play a move. Returns the player who made it. Raises ValueError after the end, and IllegalMoveError."""
        player = self.played.mover
        if player is None:
            raise ValueError("a move after the end of the round")
        self.played.play(square)
        return player

    def follow(self, moves: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Play the moves that are new, and yield each with its player before it. Raises ValueError for moves that do
        not continue the round."""
        known = self.played.cursor.moves
        if moves[: len(known)] != known:
            if known[: len(moves)] != moves:
                raise ValueError(f"moves {moves} after {known}")
            while len(self.played.cursor.moves) > len(moves):
                self.played.cursor.undo()
        for square in moves[len(known) :]:
            yield self.mark(square), square

    def ended(self, end: RoundEnd) -> Round:
        """The round with both goals, at its end. Raises ValueError if it has not ended."""
        played = self._round(end.goals[1])
        for square in end.moves:
            played.play(square)
        if played.outcome is None:
            raise ValueError("the round has not ended")
        return played
