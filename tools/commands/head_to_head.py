"""head-to-head: how often one solution beats another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tictactoe.play.opponents import OPPONENTS
from tictactoe.storage.json_text import json_text

from ..options.parameters import Count, Name, SolutionDirectory, json_option, true_option
from ..options.rules_options import WantedRules, match_to, require_rules, rules_options, shipped_by
from ..program import SETTINGS, CommandError, run, shown_path
from ..words import counted

if TYPE_CHECKING:
    from tictactoe.games.rules import Rules
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.match.scores import Score
    from tictactoe.storage.solution import Solution


@click.command(context_settings=SETTINGS)
@click.option(
    "-s",
    "--solution",
    "sides",
    type=Name(),
    multiple=True,
    metavar="A",
    shell_complete=SolutionDirectory().shell_complete,
    help="Directory of a solved match, shipped for the one that comes with the program, or the name of an opponent: "
    f"{', '.join(OPPONENTS)}. Give two: the first is A, the second B.",
)
@click.option(
    "--winning-score",
    type=Count(1, 100),
    help="Points that win the match.  [default: as many as both solutions contain; 5 if neither is one]",
)
@true_option(
    "--average-strategy", "false: let the solutions play their current strategies instead of the average ones."
)
@rules_options("those of the solutions, else three-in-a-row")
@json_option
def command(
    sides: tuple[str, ...], winning_score: int | None, average_strategy: bool, rules: WantedRules, as_json: bool
) -> None:
    """Compute exactly how often player A beats player B over a match, by seat and overall.

    Nothing is sampled. Against a weak player this tells how hard a bot punishes mistakes, which exploitability does
    not.

    \b
    head-to-head -s my_solution/ -s uniform
    head-to-head -s my_solution/ -s shipped
    head-to-head -s perfect -s learner-10
    head-to-head -s perfect -s uniform --rules filled
    head-to-head -s quick/ -s my_solution/ --json
    """
    if len(sides) != 2:
        times = counted(len(sides), "time")
        raise click.UsageError(f"--solution must be given twice, for A and for B; it was given {times}")
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.match.head_to_head import head_to_head

    given = [_given(side) for side in sides]
    by = _rules(sides, given, rules)
    solutions = [
        _shipped(side, by) if solution is None else solution for side, solution in zip(sides, given, strict=True)
    ]
    known = [solution for solution in solutions if solution is not None]
    most = min((solution.winning_score for solution in known), default=winning_score or 5)
    if winning_score is not None and winning_score > most:
        raise click.UsageError(f"--winning-score: the solutions only contain a match to {counted(most, 'point')}")
    points = winning_score or most
    tree = known[0].tree if known else GameTree.build(by)
    if any(solution.tree.fingerprint != tree.fingerprint for solution in known):
        raise CommandError(f"{sides[0]} and {sides[1]}: solutions of different game trees cannot play each other")
    ours, theirs = (
        _strategies(side, solution, tree, points, average_strategy)
        for side, solution in zip(sides, solutions, strict=True)
    )
    result = head_to_head(tree, ours, theirs, points)
    names = [shown_path(side.rstrip("/") or side) for side in sides]
    if as_json:
        content: dict[str, Any] = {
            "rules": str(tree.rules),
            "winning_score": points,
            "a": sides[0],
            "b": sides[1],
            "a_wins": result.wins,
            "a_wins_moving_first": result.wins_as_first,
            "a_wins_moving_second": result.wins_as_second,
            "expected_rounds_a_moving_first": result.rounds_as_first,
            "expected_rounds_a_moving_second": result.rounds_as_second,
        }
        print(json_text(content, indent=2))
        return
    print(f"A: {names[0]}, B: {names[1]}, {match_to(points, tree.rules)}, exact")
    for seat, wins, rounds in (
        ("moving first in the first round", result.wins_as_first, result.rounds_as_first),
        ("moving second", result.wins_as_second, result.rounds_as_second),
    ):
        print(f"A wins {100.0 * wins:9.5f} % of the matches when {seat} ({rounds:.2f} rounds expected)")
    print(f"A wins {100.0 * result.wins:9.5f} % overall, B {100.0 - 100.0 * result.wins:z9.5f} %")


def _given(side: str) -> Solution | None:
    """The solution in the directory of a side; None for the name of an opponent.

    A name means the opponent even if a directory has it, too; ./NAME means the directory.
    """
    from tictactoe.storage.shipped import solution_directory
    from tictactoe.storage.solution import load_solution

    if side in OPPONENTS:
        return None
    if not solution_directory(side).exists():
        raise CommandError(f"{side}: no such directory, and no opponent; opponents: {', '.join(OPPONENTS)}")
    return load_solution(side)


def _rules(sides: Sequence[str], given: Sequence[Solution | None], wanted: WantedRules) -> Rules:
    """The rules of the match: the solutions' rules, which must agree, or else the wanted rules."""
    found = {side: solution.tree for side, solution in zip(sides, given, strict=True) if solution is not None}
    for side, tree in found.items():
        require_rules(wanted, tree, side)
    rules = [tree.rules for tree in found.values()]
    if len({*rules}) > 1:
        theirs = " and ".join(f"{side} is a match by the rules {tree.rules}" for side, tree in found.items())
        raise CommandError(f"{theirs}: they cannot play each other")
    return rules[0] if rules else wanted.over()


def _shipped(side: str, rules: Rules) -> Solution | None:
    """The solution that an opponent plays from; None for an opponent with one strategy for every score."""
    from tictactoe.storage.solution import load_solution

    return load_solution(shipped_by(rules)) if OPPONENTS[side].uses_solution else None


def _strategies(
    side: str, solution: Solution | None, tree: GameTree, points: int, average: bool
) -> Mapping[Score, Any]:
    """A side's strategies for a match to `points`, by score. Raises CommandError if it lacks a score."""
    from tictactoe.match.scores import all_scores
    from tictactoe.match.shorter_match import part_for_shorter_match, score_in_longer_match
    from tictactoe.play.bot import MatchBot
    from tictactoe.play.opponent_bot import constant_strategy, opponent_of

    if solution is None:
        try:
            return dict.fromkeys(all_scores(points), constant_strategy(side, tree))
        except ValueError as error:
            raise CommandError(str(error).removeprefix("opponent: ")) from error
    if side in OPPONENTS:
        bots = MatchBot(solution, points)
        return {score: opponent_of(side, bots.round_bot(score)).strategy for score in all_scores(points)}
    missing = [score_in_longer_match(score, points, solution.winning_score) for score in all_scores(points)]
    missing = [score for score in missing if score not in solution.results]
    if missing:
        raise CommandError(f"{side}: the score {missing[0]} is missing")
    return part_for_shorter_match(solution.strategies(average=average), solution.winning_score, points)


main = partial(run, command)
