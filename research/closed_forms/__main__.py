"""Closed forms, derived and verified: python research/closed_forms [--rules RULES] OUTPUT_DIR [POINTS ...]

What the results of a round are worth to the first mover is written (b, 1, -1, n), for both, first, second and neither
scoring, after scaling. Strategies for both seats are found that leave nothing to chance, or next to nothing.
docs/closed-forms.md says what they do, docs/paper/paper.pdf what follows.

Given is how the round goes when both players play well (stories.py, plans.py). How each seat answers every departure
of the other is found by linear programs, one per departure, and rounded to zeros and ones. Rounded strategies are not
trusted:

- a pure strategy is written to OUTPUT_DIR/single_round, as solve-multiround --one-round does, and to
  OUTPUT_DIR/match_to_1 (the same round as 4-4 in a match to 5), as solve-multiround does, read back, and both seats'
  best responses to it are computed in fractions over the whole tree, there and in the corners of the region of (b, n)
  in which it is optimal;
- three-in-a-row, where b > n, needs a draw, before the round, between three pure plans A, B, C with probabilities that
  are fractions in b and n. Their tables ship (fewest_moves_three_plans.py found them, half_square.py proves them for
  all b >= n). Here they are checked once more, in another way: at every score of a match to 5 (or of those to POINTS),
  whose b and n are mostly irrational, best responses are computed as polynomials in b and n: a comparison is believed
  when it is decided by far more than b and n are uncertain, or when the two sides are the same polynomial;
- by filled and filled-tie the pure strategies are enough at every score of a match to 5 (or of those to POINTS); by
  filled-none, strategies that toss a coin at some positions are (pieces.py). The values are fractions, and the match is
  written to OUTPUT_DIR/match_to_5, for `certify`.

Takes about three minutes for three-in-a-row, half a minute for other rules. Needs highspy (pip install highspy).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from answers import derive
from pieces import PIECES, SCALE, find_choices, scaled_array
from plans import Plan, Round
from snapshots import as_array, check_files, check_region, write_match, write_round
from stories import STORIES, Story, Table, play
from stories_at_scores import Valued, exact_values, print_values
from tables import choices_of, print_results, print_tables, shipped_plan, write_tables
from values import check_match

from tictactoe.games.rules import DEFAULT_RULES, Seat
from tictactoe.match.scores import Score


def main() -> None:
    """Derive, write, read back, verify, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="OUTPUT_DIR", type=Path)
    parser.add_argument("points", metavar="POINTS", type=int, nargs="*", default=[5])
    parser.add_argument("--rules", choices=STORIES, default=DEFAULT_RULES)
    options = parser.parse_args()
    if min(options.points) < 1:
        parser.error("POINTS: a match is to 1 point or more")
    game = Round(options.rules)
    stories = STORIES[options.rules]
    tables = [play(game, story) for story in stories]
    plans = [derive(game, story.moves, story.derived_at) for story in stories]
    strategy = as_array(game, plans[0])
    write_round(game, options.directory / "single_round", strategy, tables[0])
    last = exact_values(stories[:1], tables[:1], 1)[0]
    write_match(game, options.directory / "match_to_1", {Score(0, 0): strategy}, last, 1)
    check_files(game, options.directory, stories[0], tables[0])
    if options.rules == DEFAULT_RULES:
        with_three_plans(game, plans[0], options.points)
        write_pure(game, options.directory, plans[0])
    else:
        only_pure(game, options.directory, plans, tables, options.points)


def with_three_plans(game: Round, pure: Plan, points: list[int]) -> None:
    """Three-in-a-row: every score of the matches, with the three plans that ship; the tables of both halves."""
    mixed = shipped_plan(game, f"{DEFAULT_RULES}-three-plans")
    for winning_score in points:
        print(f"\na match to {winning_score}")
        check_match(game, pure, mixed, winning_score)
    print_tables(game, "b <= n", pure)
    print_tables(game, "b >= n", mixed)


def write_pure(game: Round, directory: Path, plan: Plan) -> None:
    """Both seats' tables, as they ship."""
    first, second = (choices_of(game, seat, plan) for seat in Seat)
    write_tables(game, directory / f"{game.tree.rules.name}.txt", first, second)


def only_pure(game: Round, directory: Path, plans: list[Plan], tables: list[Table], points: list[int]) -> None:
    """The other rules: the regions of all stories, the values of the matches, which are written, the tables."""
    stories = STORIES[game.tree.rules.name]
    strategies = [as_array(game, plan) for plan in plans]
    for story, strategy, table in list(zip(stories, strategies, tables, strict=True))[1:]:
        check_region(game, strategy, story, table)
    covering: Sequence[Story] = stories
    worth: Sequence[Valued] = tables
    if pieces := PIECES.get(game.tree.rules.name):
        covering = worth = pieces
        strategies = []
        for number, piece in enumerate(pieces, 1):
            choices = find_choices(game, piece)
            strategies.append(scaled_array(game, choices))
            check_region(game, strategies[-1], piece, piece, SCALE)
            write_tables(game, directory / f"{game.tree.rules.name}-{number}.txt", *choices)
    else:
        write_pure(game, directory, plans[0])
    for winning_score in points:
        print(f"\na match to {winning_score}")
        values, chosen = exact_values(covering, worth, winning_score)
        print_values(values, chosen, winning_score)
        by_score = {score: strategies[number] for score, number in chosen.items()}
        write_match(game, directory / f"match_to_{winning_score}", by_score, values, winning_score)
    for number, (story, plan, table) in enumerate(zip(stories, plans, tables, strict=True), 1):
        print(f"\nstory {number}: {story.where}")
        print_results(table)
        print_tables(game, f"story {number}", plan)


if __name__ == "__main__":
    main()
