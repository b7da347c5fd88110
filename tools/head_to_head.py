"""head-to-head: how often one solution beats another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import CommandError, Count, TrueFalse, run

if TYPE_CHECKING:
    from tictactoe.match import Score
    from tictactoe.solution import Solution

UNIFORM = "uniform"


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.option(
    "-s", "--solution", "sides", multiple=True, metavar="A",
    help="Directory of a solved match, or uniform for a player who picks every move with equal probability. Give two: "
    "the first is A, the second B.",
)
@click.option(
    "--winning-score", type=Count(1, 100), default=None,
    help="Points that win the match.  [default: as many as both solutions contain; 5 if both are uniform]",
)
@click.option(
    "--average-strategy", type=TrueFalse(), default="true", show_default=True,
    help="false: let the solutions play their current strategies instead of the average ones.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")
def command(sides: tuple[str, ...], winning_score: int | None, average_strategy: bool, as_json: bool) -> None:
    """Compute exactly how often player A beats player B over a match, by seat and overall.

    Nothing is sampled. Against a weak player this tells how hard a bot punishes mistakes, which exploitability does
    not.

    \b
    head-to-head -s my_solution/ -s uniform
    head-to-head -s quick/ -s my_solution/ --json
    """
    if len(sides) != 2:
        raise click.UsageError(f"--solution must be given twice, for A and for B; it was given {len(sides)} times")
    from tictactoe.compare import head_to_head
    from tictactoe.solution import load_solution
    from tictactoe.tree import GameTree

    solutions = [None if side == UNIFORM else load_solution(Path(side)) for side in sides]
    known = [solution for solution in solutions if solution is not None]
    most = min((solution.winning_score for solution in known), default=winning_score or 5)
    if winning_score is not None and winning_score > most:
        raise click.UsageError(f"--winning-score: the solutions only contain a match to {most} points")
    points = winning_score or most
    tree = known[0].tree if known else GameTree.build()
    if any(solution.tree.fingerprint != tree.fingerprint for solution in known):
        raise CommandError(f"{sides[0]} and {sides[1]}: solutions of different game trees cannot play each other")
    ours, theirs = (
        _strategies(side, solution, points, average_strategy) for side, solution in zip(sides, solutions, strict=True)
    )
    result = head_to_head(tree, ours, theirs, points)
    names = [side.rstrip("/") or side for side in sides]
    if as_json:
        content: dict[str, Any] = {
            "winning_score": points,
            "a": sides[0],
            "b": sides[1],
            "a_wins": result.wins,
            "a_wins_moving_first": result.wins_as_first,
            "a_wins_moving_second": result.wins_as_second,
            "expected_rounds_a_moving_first": result.rounds_as_first,
            "expected_rounds_a_moving_second": result.rounds_as_second,
        }
        print(json.dumps(content, indent=2))
        return
    print(f"A: {names[0]}, B: {names[1]}, match to {points}, exact")
    for seat, wins, rounds in (
        ("moving first in the first round", result.wins_as_first, result.rounds_as_first),
        ("moving second", result.wins_as_second, result.rounds_as_second),
    ):
        print(f"A wins {100.0 * wins:9.5f} % of the matches when {seat} ({rounds:.2f} rounds expected)")
    print(f"A wins {100.0 * result.wins:9.5f} % overall, B {100.0 - 100.0 * result.wins:9.5f} %")


def _strategies(side: str, solution: Solution | None, points: int, average: bool) -> Mapping[Score, Any]:
    """What a side plays in a match to `points`, all scores of which it must have."""
    from tictactoe.compare import UniformStrategy
    from tictactoe.match import Score, all_scores
    from tictactoe.tree import GameTree

    if solution is None:
        return UniformStrategy(GameTree.build(), points)
    offset = solution.winning_score - points
    strategies = solution.strategies(average=average)
    result = {}
    for score in all_scores(points):
        there = Score(score.first + offset, score.second + offset)
        if there not in strategies:
            raise CommandError(f"{side}: the score {there} is missing")
        result[score] = strategies[there]
    return result


def main() -> None:
    """The program."""
    run(command)
