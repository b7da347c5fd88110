"""A tournament as tables."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Sequence

from tictactoe.agents.ratings import Rating
from tictactoe.agents.results import PairResult
from tictactoe.agents.tournament import TournamentSettings, forfeits_of
from tictactoe.match.head_to_head import HeadToHead
from tictactoe.match.scores import match_to
from tictactoe.number_text import counted

from ..program import say
from .report import print_table


def print_tournament(settings: TournamentSettings, ratings: Sequence[Rating], results: Sequence[PairResult]) -> None:
    say(f"{counted(len(ratings), 'agent')}, {match_to(settings.winning_score, settings.tree.rules)}")
    _print_ratings(ratings, forfeits_of(results))
    print()
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 120
    if len(ratings) > 2 and max(len(row.name) for row in ratings) + 5 + 8 * len(ratings) <= width:
        _print_matrix(ratings, results)
        results = [result for result in results if result.exact is None]
    if len(ratings) == 2 and results[0].exact is not None:
        _print_seats(results[0].names, results[0].exact)
    elif results:
        _print_pairs(ratings, results)


def _print_ratings(ratings: Sequence[Rating], forfeits: Counter[str]) -> None:
    sampled = any(row.interval is not None for row in ratings)
    rows = []
    for place, row in enumerate(ratings, 1):
        interval = "" if row.interval is None else f"{row.interval.low:+z.0f} to {row.interval.high:+z.0f}"
        lost = str(forfeits[row.name]) if forfeits else None
        figures = f"{row.rating:+z.0f}", interval if sampled else None, f"{100.0 * row.score:.2f} %"
        rows.append((str(place), row.name, *figures, lost))
    explanation = (
        "rating: by Bradley and Terry's model on Elo's scale, 0 on average; 400 points more mean 10 wins per loss. "
        "wins: the share of matches won, averaged over all opponents."
    )
    print_table(("", "agent", "rating", "95 %", "wins", "forfeits"), rows, explanation, ("95 %",))


def _print_matrix(ratings: Sequence[Rating], results: Sequence[PairResult]) -> None:
    shares = {(a, b): (each.seen_by(a)[0], each.exact) for each in results for a, b in (each.names, each.names[::-1])}
    rows = []
    for number, row in enumerate(ratings, 1):
        cells = [f"{number} {row.name}"]
        for other in ratings:
            share, exact = shares.get((row.name, other.name), (None, None))
            cells.append("" if share is None else f"{100.0 * share:.2f}" if exact else f"~{100.0 * share:.1f}")
        rows.append(cells)
    sampled = any(result.exact is None for result in results)
    explanation = "Percentage of matches that the agent of the row wins against that of the column"
    explanation += "; ~: in matches that were played; all others are exact." if sampled else "; exact."
    print_table(["", *map(str, range(1, len(ratings) + 1))], rows, explanation)


def _print_seats(names: tuple[str, str], exact: HeadToHead) -> None:
    a, b = names
    for seat, wins, rounds in (
        ("moving first in the first round", exact.wins_as_first, exact.rounds_as_first),
        ("moving second", exact.wins_as_second, exact.rounds_as_second),
    ):
        say(f"{a} wins {100.0 * wins:.5f} % of the matches when {seat} ({rounds:.2f} rounds expected)")
    say(f"{a} wins {100.0 * exact.wins:.5f} % overall, {b} {100.0 - 100.0 * exact.wins:z.5f} %; exact")


def _print_pairs(ratings: Sequence[Rating], results: Sequence[PairResult]) -> None:
    order = {row.name: place for place, row in enumerate(ratings)}
    sampled = [result for result in results if result.exact is None]
    rows = []
    for result in sorted(results, key=lambda result: sorted(order[name] for name in result.names)):
        a, b = sorted(result.names, key=order.__getitem__)
        share, interval = result.seen_by(a)
        ends = "exact" if interval is None else f"{100.0 * interval.low:.1f} to {100.0 * interval.high:.1f}"
        played = (ends, f"{result.matches:,}" if result.matches else "-") if sampled else (None, None)
        rows.append((a, b, f"{100.0 * share:.2f} %", *played))
    explanation = "wins: by the first of the two" + (". " if sampled else "; exact.")
    if sampled:
        explanation += "95 %: Wilson's interval, for matches that were played."
    if undecided := sum(result.undecided for result in sampled):
        explanation += f" {counted(undecided, 'match', 'matches')} broken off: half a win for each."
    print_table(("agent", "against", "wins", "95 %", "matches"), rows, explanation, ("matches", "95 %"))
