"""best-response-subgame: what a perfect player wins in one round against a saved strategy."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.number_text import signed_text
from tictactoe.storage.json_text import json_text

from ..options.parameters import Count, SolutionDirectory, TrueFalse, json_option, true_option
from ..options.solution_choice import refuse_to_write_into
from ..options.solving_options import outcome_values_option
from ..program import SETTINGS, CommandError, run

if TYPE_CHECKING:
    from tictactoe.algorithms.best_response import BestResponses
    from tictactoe.games.goals import OutcomeValues
    from tictactoe.storage.snapshot import Snapshot

GOAL_NAMES = ("win", "lose", "tie")


@click.command(context_settings=SETTINGS)
@click.option(
    "-s",
    "--subgame",
    type=SolutionDirectory(),
    required=True,
    help="Directory of a subgame, such as my_solution/subgame_4_4 or shipped/subgame_4_4, or one that solve-subgame "
    "wrote.",
)
@click.option("-i", "--iteration", type=Count(0), help="Saved iteration.  [default: the last]")
@outcome_values_option("What the results are worth to the first mover.  [default: what they were in the snapshot]")
@true_option("--average-strategy", "false: judge the current strategy instead of the average one.")
@click.option(
    "--save",
    type=TrueFalse(),
    help="Save the best response beside the snapshot, for exploring, in place of one that is there.  [default: true; "
    "with other --outcome-values than the snapshot's, and for what comes with the program, false]",
)
@json_option
def command(
    subgame: Path,
    iteration: int | None,
    outcome_values: tuple[float, ...] | None,
    average_strategy: bool,
    save: bool | None,
    as_json: bool,
) -> None:
    """Compute exactly what a perfect player wins in one round, ignoring the match around it.

    Shows, for both seats, what the best response gets for every pair of goals and over all, and the exploitability.

    \b
    best-response-subgame -s my_solution/subgame_4_4
    best-response-subgame -s my_subgame/ -i 100 --save false --json
    """
    from tictactoe.algorithms.best_response import best_responses
    from tictactoe.errors import NotSavedError
    from tictactoe.games.goals import OutcomeValues
    from tictactoe.games.tic_tac_toe import tic_tac_toe_round
    from tictactoe.storage.directory_layout import SOLUTION_FILE, list_snapshots
    from tictactoe.storage.open_saved import open_saved
    from tictactoe.storage.replaced_solution import finish
    from tictactoe.storage.saved_best_response import response_to_snapshot
    from tictactoe.storage.shipped import is_shipped

    if save:
        refuse_to_write_into(subgame, "--save true")
    finish(subgame)
    if not (list_snapshots(subgame) or (subgame / SOLUTION_FILE).exists()):
        example = "my_solution/subgame_4_4 or shipped/subgame_4_4"
        raise CommandError(f"{subgame}: no subgame here, for it has no snapshots; name one, such as {example}")
    rounds = open_saved(subgame)
    rounds.require_subgame()
    try:
        snapshot, tree = rounds.snapshot(None, iteration), rounds.tree
    except NotSavedError as error:
        raise CommandError(f"{subgame}: {error}") from error
    strategy = snapshot.average_strategy(tree) if average_strategy else snapshot.current_strategy
    values = OutcomeValues(*outcome_values) if outcome_values else snapshot.outcome_values
    if values != snapshot.outcome_values:
        if save:
            what = "what is saved beside a snapshot is for its outcome values; leave --outcome-values out"
            raise click.UsageError(f"--save true: {what}")
        save = False
    found = best_responses(tic_tac_toe_round(tree, values), strategy)
    if save is None and is_shipped(subgame):
        print("best-response-subgame: nothing is saved beside what comes with the program", file=sys.stderr)
        save = False
    try:
        if save is not False:
            response_to_snapshot(snapshot, average_strategy, values, found).save(subgame)
    finally:  # show the result even if saving fails
        if as_json:
            print(json_text(_as_dict(snapshot, values, found, outcome_values is None), indent=2))
        else:
            _print(snapshot, values, found, outcome_values is None)


def _as_dict(snapshot: Snapshot, values: OutcomeValues, found: BestResponses, in_match_value: bool) -> dict[str, Any]:
    from tictactoe.match.percentages import percentage_points

    return {
        "rules": snapshot.rules,
        "score": None if snapshot.score is None else list(snapshot.score),
        "iteration": snapshot.iteration,
        "outcome_values": values._asdict(),
        "value": found.value,
        "best_response_values": list(found.values),
        "exploitability": found.exploitability,
        "exploitability_percentage_points": percentage_points(found.exploitability)
        if snapshot.score is not None and in_match_value
        else None,
        "best_response_by_goals": {
            seat: {
                f"{first}/{second}": float(found.by_types[index][row, column])
                for row, first in enumerate(GOAL_NAMES)
                for column, second in enumerate(GOAL_NAMES)
            }
            for index, seat in enumerate(("first", "second"))
        },
    }


def _print(snapshot: Snapshot, values: OutcomeValues, found: BestResponses, in_match_value: bool) -> None:
    from ..reports.report import exploitability_text

    of = "" if snapshot.score is None else f"score {snapshot.score}, "
    both, first, second, neither = (signed_text(value, 6) for value in values)
    if snapshot.rules != DEFAULT_RULES:
        print(f"rules: {snapshot.rules}")
    print(
        f"{of}iteration {snapshot.iteration:,}; outcome values to the first mover: both score {both}, first "
        f"{first}, second {second}, neither {neither}"
    )
    print(f"value of the strategies against each other, to the first mover: {signed_text(found.value, 9)}")
    for index, seat in enumerate(("first", "second")):
        gain = max(0.0, found.values[index] - (found.value if index == 0 else -found.value))
        print(
            f"\nbest response of the player who moves {seat}: {signed_text(found.values[index], 9)} to that player, "
            f"{gain:.2e} gained"
        )
        print("  by goals    " + "".join(f"{'second ' + goal:>14}" for goal in GOAL_NAMES))
        for row, goal in enumerate(GOAL_NAMES):
            cells = "".join(f" {signed_text(value, 6):>13}" for value in found.by_types[index][row].tolist())
            print(f"  first {goal:<8}{cells}")
    unit = (
        f"{exploitability_text(found.exploitability)} of matches won"
        if snapshot.score is not None and in_match_value
        else f"{found.exploitability:.2e} in the unit of the outcome values"
    )
    print(f"\nexploitability: {unit}")


main = partial(run, command)
