"""The report of `analyse`: tables of players, the parts of their results, and the worst moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tictactoe.number_text import decimal_text, signed_text
from tictactoe.storage.shipped import with_names

from ..program import say, shown_path
from ..words import counted, unbroken
from .analysis_json import Collected
from .play_text import Speaker
from .report import print_table
from .review_text import in_words

if TYPE_CHECKING:
    from tictactoe.play.tally import Games, Sample, Tally, Worst

_PRICES_EXPLAINED = (
    "moves: priced and not. mistakes: moves that cost something worth mentioning. unpriced: moves after the opponent "
    "had left perfect play, where nothing tells its goal. cost: what the best moves would have won more against a "
    "perfect opponent, in {unit}."
)
_PARTS_EXPLAINED = (
    "In {unit}, on average of {what}. result = {base}seat + goals + hidden + mistakes + theirs + unpriced. seat: who "
    "moves first. goals: luck with the goals that were dealt. hidden: luck with goals that the mover could not see. "
    "mistakes: own ones. theirs: the opponents'. unpriced: moves after the opponent had left perfect play, against how "
    "the solution goes on."
)
_ESTIMATES_EXPLAINED = (
    "won: as played. without goals: the luck of the goals taken away. {known}±: 95 % intervals. worth: one such match "
    "tells as much as so many results alone."
)
_KNOWN_EXPLAINED = (
    "by moves: of the matches against a player that is known, with its luck taken away; worth then is "
    "about the same matches. "
)


def show(tally: Tally, collected: Collected, in_points: bool, sources: Mapping[str, str]) -> None:
    """Print the whole report."""
    by = " and ".join(with_names(source) for source in sources.values())
    judged = [
        (number, what) for number, what in ((collected.num_matches, "match"), (collected.num_rounds, "round")) if number
    ]
    plural = {"match": "matches", "round": "rounds of practice"}
    singular = {"match": "match", "round": "round of practice"}
    text = " and ".join(counted(number, singular[what], plural[what]) for number, what in judged)
    left_out = f" Left out: {collected.left_out}." if collected.left_out else ""
    say(f"{counted(collected.transcripts, 'transcript')}: {text or 'nothing that is over'}; judged by {by}.{left_out}")
    unit = "points" if in_points else "percentage points of matches"
    for games, what in ((tally.matches, "match"), (tally.practice, "round")):
        if games:
            print(f"\n{'Matches' if what == 'match' else 'Practice'}")
            _players(games, what, unit, in_points)
            _by_seat_and_goal(games, unit, in_points)
            _parts(games, what, unit, in_points)
            if what == "match":
                _estimates(games)
    if tally.worst:
        print("\nThe worst moves")
        for number, worst in enumerate(tally.worst, 1):
            say(f"{number:>2}. {_worst(worst, in_points)}", "    ")


def _number(value: float | None, in_points: bool, sign: str = "") -> str:
    """A value in its unit, "-" for None; without a sign if it rounds to 0."""
    if value is None:
        return "-"
    digits = 4 if in_points else 2
    shown = (signed_text if sign else decimal_text)(value if in_points else 50.0 * value, digits)
    return f"{0.0:.{digits}f}" if float(shown) == 0.0 else shown


def _players(games: Mapping[str, Games], what: str, unit: str, in_points: bool) -> None:
    rows = []
    for name, one in games.items():
        total, is_match = one.total, what == "match"
        row = [name, f"{one.count['all']:,}"]
        row += [f"{one.count['over']:,}", f"{one.count['won']:,}", f"{total.rounds:,}"] if is_match else []
        row += [f"{total.points:,}", f"{total.moves:,}", f"{total.mistakes:,}", f"{total.astray:,}"]
        cost = one.cost.mean if one.cost.count else None
        row += [_number(cost, in_points), _number(total.cost / total.moves if total.moves else None, in_points)]
        rows.append(row)
    headings = ["player", "matches", "over", "won", "rounds"] if what == "match" else ["player", "rounds"]
    headings += ["points", "moves", "mistakes", "unpriced", f"cost/{what}", "cost/move"]
    print_table(headings, rows, _PRICES_EXPLAINED.format(unit=unit), ("points", "over"))


def _by_seat_and_goal(games: Mapping[str, Games], unit: str, in_points: bool) -> None:
    rows = [
        (
            name,
            seat.name.lower(),
            goal.name.lower(),
            f"{tally.rounds:,}",
            f"{tally.points:,}",
            f"{tally.moves:,}",
            f"{tally.mistakes:,}",
            _number(tally.cost / tally.rounds, in_points),
        )
        for name, one in games.items()
        for (seat, goal), tally in one.moves.items()
        if tally.rounds
    ]
    if rows:
        print()
        headings = ("player", "seat", "goal", "rounds", "points", "moves", "mistakes", "cost/round")
        print_table(headings, rows, f"cost: in {unit}.", ("points",))


def _parts(games: Mapping[str, Games], what: str, unit: str, in_points: bool) -> None:
    rows = []
    for name, one in games.items():
        means = {part: sample.mean for part, sample in one.terms.items()}
        if not one.terms["result"].count:
            continue
        result = means["result"] + (1.0 if what == "match" else 0.0)
        parts = (
            means["start"],
            means["goals"],
            means["own_hidden"] + means["other_hidden"],
            means["own_mistakes"],
            means["other_mistakes"],
            means["own_astray"] + means["other_astray"] + means["inexact"],
        )
        rows.append((name, _number(result, in_points), *(_number(part, in_points, "+") for part in parts)))
    if rows:
        print()
        base = "50 + " if what == "match" else ""
        many = "the matches that are over" if what == "match" else "the rounds"
        headings = ("player", "result", "seat", "goals", "hidden", "mistakes", "theirs", "unpriced")
        print_table(headings, rows, _PARTS_EXPLAINED.format(unit=unit, what=many, base=base))


def _estimates(games: Mapping[str, Games]) -> None:
    known = any(one.adjusted.count for one in games.values())
    rows = []
    for name, one in games.items():
        raw, fair = one.terms["result"], one.terms["without_goals"]
        if not raw.count:
            continue
        row = [name, _percentage(raw), _percentage(fair), _worth(raw, fair)]
        if known:
            row += [_percentage(one.adjusted), _worth(one.adjusted_from, one.adjusted)]
        rows.append(row)
    if rows:
        print()
        headings = ["player", "won", "without goals", "worth"] + (["by moves", "worth then"] if known else [])
        print_table(headings, rows, _ESTIMATES_EXPLAINED.format(known=_KNOWN_EXPLAINED if known else ""))


def _percentage(sample: Sample) -> str:
    if not sample.count:
        return "-"
    width = "" if sample.half_width is None else f" ± {50.0 * sample.half_width:.2f}"
    return f"{50.0 + 50.0 * sample.mean:.2f} %{width}"


def _worth(raw: Sample, fair: Sample) -> str:
    if not raw.variance or not fair.variance:
        return "-"
    return f"{raw.variance / fair.variance:,.1f}"


def _worst(worst: Worst, in_points: bool) -> str:
    mistake, names = worst.mistake, worst.judged.names
    speaker = Speaker(names[1 - worst.player], in_points=in_points, who=names[worst.player])
    where = f"{shown_path(worst.where)}, round {worst.round.played.number}, {speaker.who} wanted to {mistake.goal.name}"
    return f"{in_words(speaker, mistake, where)} ({unbroken(speaker.position(mistake.position))})"
