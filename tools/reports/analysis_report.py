"""The report of `review` about many matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tictactoe.number_text import counted, decimal_text, signed_text, unbroken
from tictactoe.play.luck_and_mistakes import Judged
from tictactoe.play.review_text import in_words
from tictactoe.play.round_text import Speaker
from tictactoe.play.tally import Games, MoveTally, Sample, Tally, Worst, judged_as_dict, tally_as_dict
from tictactoe.play.transcript import WrittenMatch
from tictactoe.storage.shipped import with_names
from tictactoe.storage.texts import picked

from ..program import print_json, say, shown_path
from .report import Table, print_tables

_PRICES_EXPLAINED = (
    "mistakes: moves that cost something. cost: how much more the best moves would have won, in {unit}, against a "
    "perfect opponent, or against the opponent that the transcript names if its play is fixed; that opponent makes no "
    "mistakes. accuracy: 100 x (1 - a move's cost / the worst move's cost), averaged over all moves that make a "
    "difference."
)
_PARTS_EXPLAINED = (
    "In {unit}, averaged over {what}. result = {base}seat + goals + hidden + mistakes + theirs. seat: the effect of "
    "who moves first. goals: luck with the goals that were dealt. hidden: luck with goals that the mover could not "
    "see, and the effect of a fixed opponent's moves. mistakes: the player's own. theirs: the opponents'."
)
_ESTIMATES_EXPLAINED = (
    "won: as played. without goals: without the luck of the goals. {known}±: 95 % confidence intervals. worth: the "
    "number of bare results that tell as much as one match without that luck."
)
_KNOWN_EXPLAINED = (
    "by moves: in the matches against a known player, also without that player's luck; worth by moves covers the same "
    "matches. "
)


@dataclass
class Collected:
    """The numbers of what was analysed and, for --json, every match and round of practice."""

    transcripts: int = 0
    left_out: int = 0
    """The number of transcripts that could not be read."""
    num_matches: int = 0
    num_rounds: int = 0
    """The number of rounds of practice."""
    judged: list[dict[str, Any]] = field(default_factory=list)
    """The JSON of each match and round of practice."""

    def add(self, written: WrittenMatch, judged: Judged, *, keep: bool) -> None:
        """Count a match or a round of practice. keep: whether to keep it for JSON."""
        self.num_rounds += judged.winning_score is None
        self.num_matches += judged.winning_score is not None
        if keep:
            self.judged.append(judged_as_dict(written, judged))

    def print(self, tally: Tally, in_points: bool, sources: Mapping[str, str]) -> None:
        content = {
            "unit": "points" if in_points else "points of winning chance",
            "solutions": {rules: with_names(source) for rules, source in sources.items()},
            **picked(self, "transcripts", "left_out"),
            **tally_as_dict(tally, in_points),
            "judged": self.judged,
        }
        print_json(content)


def show(tally: Tally, collected: Collected, in_points: bool, sources: Mapping[str, str]) -> None:
    by = " and ".join(with_names(source) for source in sources.values())
    judged = [
        *([counted(collected.num_matches, "match", "matches")] if collected.num_matches else []),
        *([counted(collected.num_rounds, "round of practice", "rounds of practice")] if collected.num_rounds else []),
    ]
    text = " and ".join(judged) or "nothing that has ended"
    left_out = f" Left out: {collected.left_out}." if collected.left_out else ""
    say(f"{counted(collected.transcripts, 'transcript')}: {text}; judged by {by}.{left_out}")
    for games, in_matches in ((tally.matches, True), (tally.practice, False)):
        if games:
            _Tables(games, in_matches, in_points).print()
    if tally.worst:
        print("\nThe worst moves")
        for number, worst in enumerate(tally.worst, 1):
            say(f"{number:>2}. {_worst(worst, in_points)}", "    ")


@dataclass(frozen=True)
class _Tables:
    games: Mapping[str, Games]
    """The games of each player."""
    in_matches: bool
    """Whether these are matches, not rounds of practice."""
    in_points: bool

    def print(self) -> None:
        print("\nMatches" if self.in_matches else "\nPractice")
        tables = self._players(), self._by_seat_and_goal(), self._parts()
        print_tables(*tables, *([self._estimates()] if self.in_matches else []))

    @property
    def _unit(self) -> str:
        return "points" if self.in_points else "points of winning chance"

    def _number(self, value: float, sign: str = "") -> str:
        digits = 4 if self.in_points else 2
        shown = (signed_text if sign else decimal_text)(value if self.in_points else 50.0 * value, digits)
        return f"{0.0:.{digits}f}" if float(shown) == 0.0 else shown

    def _players(self) -> Table:
        rows = []
        for name, one in self.games.items():
            total, count = one.total, one.count
            numbers = [count["over"], count["won"], total.rounds] if self.in_matches else []
            numbers = [count["all"], *numbers, total.points, total.moves, total.mistakes]
            cost = self._number(one.cost.mean) if one.cost.count else "-"
            rows.append([name, *_whole(*numbers), cost, _accuracy(total)])
        of_all, what = (["matches", "over", "won", "rounds"], "match") if self.in_matches else (["rounds"], "round")
        headings = ["player", *of_all, "points", "moves", "mistakes", f"cost/{what}", "accuracy"]
        return Table(headings, rows, _PRICES_EXPLAINED.format(unit=self._unit), ("points", "over"))

    def _by_seat_and_goal(self) -> Table:
        headings = ("player", "seat", "goal", "rounds", "points", "moves", "mistakes", "cost/round", "accuracy")
        rows = [
            (
                *(name, seat.name.lower(), goal.name.lower()),
                *_whole(own.rounds, own.points, own.moves, own.mistakes),
                *(self._number(own.cost / own.rounds), _accuracy(own)),
            )
            for name, one in self.games.items()
            for (seat, goal), own in one.moves.items()
            if own.rounds
        ]
        return Table(headings, rows, f"cost: in {self._unit}.", ("points",))

    def _parts(self) -> Table:
        rows = []
        for name, one in self.games.items():
            mean = {part: sample.mean for part, sample in one.terms.items()}
            if one.terms["result"].count:
                hidden = mean["own_hidden"] + mean["other_hidden"] + mean["inexact"]
                parts = mean["start"], mean["goals"], hidden, mean["own_mistakes"], mean["other_mistakes"]
                result = mean["result"] + (1.0 if self.in_matches else 0.0)
                rows.append((name, self._number(result), *(self._number(part, "+") for part in parts)))
        base, many = ("50 + ", "the matches that have ended") if self.in_matches else ("", "the rounds")
        headings = ("player", "result", "seat", "goals", "hidden", "mistakes", "theirs")
        return Table(headings, rows, _PARTS_EXPLAINED.format(unit=self._unit, what=many, base=base))

    def _estimates(self) -> Table:
        known = any(one.adjusted.count for one in self.games.values())
        rows = []
        for name, one in self.games.items():
            raw, fair, adjusted = one.terms["result"], one.terms["without_goals"], one.adjusted
            by_moves = (_percentage(adjusted), _worth(one.adjusted_from, adjusted)) if known else (None, None)
            if raw.count:
                rows.append((name, _percentage(raw), _percentage(fair), _worth(raw, fair), *by_moves))
        headings = ("player", "won", "without goals", "worth", "by moves", "worth by moves")
        return Table(headings, rows, _ESTIMATES_EXPLAINED.format(known=_KNOWN_EXPLAINED if known else ""))


def _whole(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{number:,}" for number in numbers)


def _accuracy(tally: MoveTally) -> str:
    return "-" if tally.accuracy is None else f"{tally.accuracy:.0f}"


def _percentage(sample: Sample) -> str:
    if not sample.count:
        return "-"
    width = "" if sample.half_width is None else f" ± {50.0 * sample.half_width:.2f}"
    return f"{50.0 + 50.0 * sample.mean:.2f} %{width}"


def _worth(raw: Sample, fair: Sample) -> str:
    return f"{raw.variance / fair.variance:,.1f}" if raw.variance and fair.variance else "-"


def _worst(worst: Worst, in_points: bool) -> str:
    mistake, names = worst.mistake, worst.judged.names
    speaker = Speaker(names[1 - worst.player], in_points=in_points, who=names[worst.player])
    where = f"{shown_path(worst.where)}, round {worst.round.played.number}, {speaker.who} wanted to {mistake.goal.name}"
    return f"{in_words(speaker, mistake, where)} ({unbroken(speaker.position(mistake.position))})"
