"""Judgement of transcripts by any rules, each by a solution for its rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ..errors import FormatError, NotSavedError, Remedy, printable
from ..storage.open_saved import open_saved
from .bot import opponent_of, require_opponent
from .judge import Judge
from .luck_and_mistakes import Analyst, Judged, KnownStrategy
from .match_history import played_from, require_rules_of
from .opponents import OPPONENTS, opponent_named
from .transcript import WrittenMatch


class Analysts:
    """The judges of transcripts. Raises FormatError for a directory without a solution.

    solution: the solution that judges all transcripts; by default, the one that ships for the rules of each.
    known: by the name of a player, the opponent or the directory of the solution that it plays.

    For messages, the attribute `sources` has the solution that judges, by rules.
    """

    def __init__(self, solution: Path | None = None, known: Mapping[str, str] | None = None) -> None:
        self._solution = solution
        self._known = {name: opponent_named(who, files_first=True) or who for name, who in (known or {}).items()}
        for player in self._known.values():
            if player not in OPPONENTS:
                open_saved(player)
        self._analysts: dict[str, Analyst] = {}
        self.sources: dict[str, str] = {}

    @property
    def in_points(self) -> bool:
        """Whether the judge is a round on its own, which counts in points."""
        return any(analyst.judge.in_points for analyst in self._analysts.values())

    def judged(self, written: WrittenMatch) -> list[Judged]:
        """The judgements of a match, or of each round of practice.

        Raises FormatError if the transcript contradicts itself or cannot be judged, and ValueError for a known player
        that cannot play by its rules.
        """
        setup = written.setup()
        analyst = self._analyst(written, setup.rules)
        if setup.winning_score is not None:
            try:
                analyst.judge.match(setup.winning_score)
            except ValueError as error:
                what = f"line {written.first_line}: {self.sources[setup.rules]} cannot judge it: {error}"
                raise FormatError(written.path, what, Remedy.OTHER_SOLUTION) from error
        replayed = written.replay(analyst.judge.tree)
        try:
            return analyst.judged(replayed, analyst.judge.opponent_in(written.path, setup))
        except (ValueError, NotSavedError) as error:
            raise FormatError(written.path, f"match at line {written.first_line}: {error}") from error

    def _analyst(self, written: WrittenMatch, rules: str) -> Analyst:
        if rules not in self._analysts:
            setup = written.setup().played_anywhere()
            directory = played_from(written.path, setup, self._solution)
            saved = open_saved(directory)
            require_rules_of(written.path, setup, directory, saved.tree)
            judge = Judge(saved)
            strategies = {name: _strategy_of(player, judge) for name, player in self._known.items()}
            self._analysts[rules], self.sources[rules] = Analyst(judge, strategies), printable(str(directory))
        return self._analysts[rules]


def _strategy_of(player: str, judge: Judge) -> KnownStrategy:
    if player in OPPONENTS:
        require_opponent(player, judge.tree)
        strategy = cache(lambda bot: opponent_of(player, bot).strategy)
        return lambda bot, *_: strategy(bot)
    other = Judge(open_saved(player))
    if other.tree.fingerprint != judge.tree.fingerprint:
        raise ValueError(f"known: {player} was solved for {other.tree.rules}, not for {judge.tree.rules}")
    return lambda bot, score, winning_score: other.round_bot(score, winning_score).strategy
