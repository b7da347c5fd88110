"""A solution as the judge of moves in matches and in rounds on their own."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from ..checked_numbers import whole_number
from ..errors import FormatError
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from ..storage.open_saved import SavedRounds
from ..storage.shipped import shipped_for, shipped_solution
from .bot import MatchBot, RoundBot, require_opponent, saved_bot
from .known_opponent import KnownOpponent
from .match_history import played_from
from .opponents import DEFAULT_OPPONENT, OPPONENTS
from .transcript import Setup


class Judge:
    """The bots of a saved solution or of one round, for the rounds of a transcript.

    average: whether to judge by the average strategy, not the current one.

    >>> from tictactoe import open_saved
    >>> judge = Judge(open_saved())
    >>> print(judge.solved_score(Score(1, 0), winning_score=2), judge.in_points)
    4-3 False
    """

    def __init__(self, saved: SavedRounds, *, average: bool = True) -> None:
        self._saved, self._average = saved, average
        self._matches: dict[int, MatchBot] = {}
        self._rounds: dict[Score, RoundBot] = {}
        self._known: dict[tuple[str, int | None], KnownOpponent] = {}

    @property
    def tree(self) -> GameTree:
        return self._saved.tree

    @cached_property
    def in_points(self) -> bool:
        """Whether the solution is a round on its own, which counts in points."""
        return self._saved.solution is None and self._saved.load().snapshot.score is None

    def match(self, winning_score: int) -> MatchBot:
        """The bot for a match. Raises ValueError if the solution does not contain it."""
        if self._saved.solution is None:
            raise ValueError("it is one round, which cannot judge a match")
        winning_score = whole_number("winning_score", winning_score, 1)
        if winning_score not in self._matches:
            self._matches[winning_score] = MatchBot(self._saved.solution, winning_score, average=self._average)
        return self._matches[winning_score]

    def solved_score(self, score: Score, winning_score: int | None) -> Score:
        """The solution's score for a score of a match. winning_score: None in practice, where the score is
        unchanged."""
        return score if winning_score is None else self.match(winning_score).solved_score(score)

    def round_bot(self, score: Score, winning_score: int | None) -> RoundBot:
        """The bot for a round at a score. winning_score: None in practice.

        Raises the errors of `match`, NotSavedError for a missing score, and FormatError for a damaged file.
        """
        solved = self.solved_score(score, winning_score)
        if solved not in self._rounds:
            if winning_score is not None:
                self._rounds[solved] = self.match(winning_score).round_bot(score)
            else:
                saved = self._saved.load(solved)
                self._rounds[solved] = saved_bot(saved, self._average)
        return self._rounds[solved]

    def known_opponent(self, name: str, winning_score: int | None) -> KnownOpponent | None:
        """The opponent of that name; None for the perfect player, and for an opponent that cannot play on this tree."""
        if name == DEFAULT_OPPONENT or name not in OPPONENTS:
            return None
        try:
            require_opponent(name, self.tree)
        except ValueError:
            return None
        points = self._points_of_practice(name) if winning_score is None else winning_score
        if self.in_points:  # a round without a score represents all scores
            return KnownOpponent(name, lambda score: self.round_bot(self._saved.load().score, None), points)
        shipped = shipped_for(self.tree.rules)
        ships = self._average and shipped is not None and self._saved.directory == shipped_solution(shipped)
        return KnownOpponent(name, lambda score: self.round_bot(score, winning_score), points, ships=ships)

    def opponent_in(self, path: Path, setup: Setup) -> KnownOpponent | None:
        """Player 1 of a transcript; None if it played from another solution or cannot be answered."""
        if setup.opponent in OPPONENTS and OPPONENTS[setup.opponent].uses_solution:
            try:
                if played_from(path, setup, None).resolve() != self._saved.directory.resolve():
                    return None
            except FormatError:
                return None
        key = setup.opponent, setup.winning_score
        if key not in self._known and (known := self.known_opponent(*key)) is not None:
            self._known[key] = known
        known = self._known.get(key)
        return known if known is not None and known.can_answer else None

    def _points_of_practice(self, name: str) -> int | None:
        solution = self._saved.solution
        if OPPONENTS[name].uses_solution and (solution is None or solution.missing_scores):
            return None
        return self._saved.load().snapshot.winning_score if solution is None else solution.winning_score
