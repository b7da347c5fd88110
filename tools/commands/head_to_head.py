"""head-to-head: how often one solution beats another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

import tictactoe
from tictactoe.match.scores import match_to
from tictactoe.number_text import counted
from tictactoe.play.opponents import OPPONENTS

from ..lazy_imports import lazily
from ..options.parameters import NAME, Count, SolutionDirectory
from ..options_before.common import json_option, true_option
from ..options_before.declaring import command_of, group, option
from ..options_before.rules_options import WantedRules, require_rules, shipped_by
from ..program import CommandError, print_json, shown_path

with lazily():
    from tictactoe.agents import strategy_agent
    from tictactoe.match import scores
    from tictactoe.solving import results_as_data
    from tictactoe.storage import shipped


@dataclass(frozen=True)
class Options:
    sides: tuple[str, ...] = option(
        NAME,
        "Directory of a solved match, shipped for the one that comes with the program, or the name of an opponent: "
        f"{', '.join(OPPONENTS)}. Give two: the first is A, the second B.",
        names="-s --solution",
        multiple=True,
        metavar="A",
        shell_complete=SolutionDirectory().shell_complete,
    )
    winning_score: int | None = option(
        Count(1, 100), "Points that win the match.  [default: as many as both solutions contain; 5 if neither is one]"
    )
    average_strategy: bool = true_option(
        "false: let the solutions play their current strategies instead of the average ones."
    )
    rules: WantedRules = group(WantedRules, default="those of the solutions, else three-in-a-row")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
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
    if len(given.sides) != 2:
        times = counted(len(given.sides), "time")
        raise click.UsageError(f"--solution must be given twice, for A and for B; it was given {times}")

    loaded = [_loaded(side) for side in given.sides]
    by = _rules(given.sides, loaded, given.rules)
    solutions = [solution or _shipped(side, by) for side, solution in zip(given.sides, loaded, strict=True)]
    known = [solution for solution in solutions if solution is not None]
    most = min((solution.winning_score for solution in known), default=given.winning_score or 5)
    if given.winning_score is not None and given.winning_score > most:
        raise click.UsageError(f"--winning-score: the solutions only contain a match to {counted(most, 'point')}")
    points = given.winning_score or most
    tree = known[0].tree if known else tictactoe.GameTree.build(by)
    if any(solution.tree.fingerprint != tree.fingerprint for solution in known):
        one, other = given.sides
        raise CommandError(f"{one} and {other}: solutions of different game trees cannot play each other")
    ours, theirs = (
        _strategies(side, solution, tree, points, given.average_strategy)
        for side, solution in zip(given.sides, solutions, strict=True)
    )
    result = tictactoe.head_to_head(tree, ours, theirs, points)
    names = [shown_path(side.rstrip("/") or side) for side in given.sides]
    if given.as_json:
        sides = {"a": given.sides[0], "b": given.sides[1]}
        print_json({"rules": str(tree.rules), "winning_score": points, **sides, **results_as_data.versus(result)})
        return
    print(f"A: {names[0]}, B: {names[1]}, {match_to(points, tree.rules)}, exact")
    for seat, wins, rounds in (
        ("moving first in the first round", result.wins_as_first, result.rounds_as_first),
        ("moving second", result.wins_as_second, result.rounds_as_second),
    ):
        print(f"A wins {100.0 * wins:9.5f} % of the matches when {seat} ({rounds:.2f} rounds expected)")
    print(f"A wins {100.0 * result.wins:9.5f} % overall, B {100.0 - 100.0 * result.wins:z9.5f} %")


def _loaded(side: str) -> tictactoe.Solution | None:
    """The solution in the directory of a side; None for the name of an opponent.

    A name means the opponent even if a directory has it, too; ./NAME means the directory.
    """
    if side in OPPONENTS:
        return None
    if not shipped.solution_directory(side).exists():
        names = f"opponents: {', '.join(OPPONENTS)}; solutions that come with the program: {', '.join(shipped.SHIPPED)}"
        raise CommandError(f"{side}: no such directory, and no opponent; {names}")
    return tictactoe.load_solution(side)


def _rules(sides: Sequence[str], given: Sequence[tictactoe.Solution | None], wanted: WantedRules) -> tictactoe.Rules:
    """The rules of the match: the solutions' rules, which must agree, or else the wanted rules."""
    found = {side: solution.tree for side, solution in zip(sides, given, strict=True) if solution is not None}
    for side, tree in found.items():
        require_rules(wanted, tree, side)
    rules = [tree.rules for tree in found.values()]
    if len({*rules}) > 1:
        theirs = " and ".join(f"{side} is a match by the rules {tree.rules}" for side, tree in found.items())
        raise CommandError(f"{theirs}: they cannot play each other")
    return rules[0] if rules else wanted.over()


def _shipped(side: str, rules: tictactoe.Rules) -> tictactoe.Solution | None:
    """The solution that an opponent plays from; None for an opponent with one strategy for every score."""
    return tictactoe.load_solution(shipped_by(rules)) if OPPONENTS[side].uses_solution else None


def _strategies(
    side: str, solution: tictactoe.Solution | None, tree: tictactoe.GameTree, points: int, average: bool
) -> Mapping[tictactoe.Score, Any]:
    """A side's strategies for a match to `points`, by score. Raises CommandError if it lacks a score."""
    if side in OPPONENTS:
        try:
            return strategy_agent.opponent_policy(side, tree, points)
        except ValueError as error:
            raise CommandError(str(error).removeprefix("opponent: ")) from error
    assert solution is not None
    missing = [
        scores.score_in_longer_match(score, points, solution.winning_score) for score in scores.all_scores(points)
    ]
    missing = [score for score in missing if score not in solution.results]
    if missing:
        raise CommandError(f"{side}: the score {missing[0]} is missing")
    return scores.part_for_shorter_match(solution.strategies(average=average), solution.winning_score, points)
