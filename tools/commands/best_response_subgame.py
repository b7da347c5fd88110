"""best-response-subgame: what the best responder wins in one round against a saved strategy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.errors import NotSavedError

from ..lazy_imports import lazily
from ..options.common import json_option, true_option
from ..options.declaring import command_of, option
from ..options.parameters import TRUE_FALSE, Count, SolutionDirectory
from ..options.solution_choice import refuse_to_write_into
from ..options.solving_options import outcome_values_option
from ..program import CommandError, note, print_json

with lazily():
    from tictactoe.solving import results_as_data
    from tictactoe.storage import directory_layout, replaced_solution, saved_best_response, shipped

    from ..reports import best_response_report as report


@dataclass(frozen=True)
class Options:
    subgame: Path = option(
        SolutionDirectory(),
        "Directory of a subgame, such as my_solution/subgame_4_4 or shipped/subgame_4_4, or one that solve-subgame "
        "wrote.",
        short="-s",
        required=True,
    )
    iteration: int | None = option(Count(0), "Saved iteration.  [default: the last]", short="-i")
    outcome_values: tuple[float, ...] | None = outcome_values_option(
        "What the results are worth to the first mover.  [default: what they were in the snapshot]"
    )
    average_strategy: bool = true_option("false: judge the current strategy instead of the average one.")
    save: bool | None = option(
        TRUE_FALSE,
        "Save the best response beside the snapshot, for exploring, in place of one that is there.  [default: true; "
        "with other --outcome-values than the snapshot's, and for what comes with the program, false]",
    )
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Compute exactly what the best responder wins in one round, ignoring the match around it.

    Shows, for both seats, what a best response gets for every pair of goals and over all, and the exploitability.

    \b
    best-response-subgame -s my_solution/subgame_4_4
    best-response-subgame -s my_subgame/ -i 100 --save false --json
    """
    save = given.save
    if save:
        refuse_to_write_into(given.subgame, "--save true")
    replaced_solution.finish(given.subgame)
    record = given.subgame / directory_layout.SOLUTION_FILE
    if not (directory_layout.list_snapshots(given.subgame) or record.exists()):
        example = "my_solution/subgame_4_4 or shipped/subgame_4_4"
        raise shipped.no_solution(
            given.subgame, f"no subgame here, for it has no snapshots; name one, such as {example}"
        )
    rounds = tictactoe.open_saved(given.subgame)
    rounds.require_subgame()
    try:
        snapshot, tree = rounds.snapshot(None, given.iteration), rounds.tree
    except NotSavedError as error:
        raise CommandError(f"{given.subgame}: {error}") from error
    strategy = snapshot.average_strategy(tree) if given.average_strategy else snapshot.current_strategy
    values = tictactoe.OutcomeValues(*given.outcome_values) if given.outcome_values else snapshot.round_values
    if values != snapshot.outcome_values:
        if save:
            what = "what is saved beside a snapshot is for its outcome values; leave --outcome-values out"
            raise click.UsageError(f"--save true: {what}")
        save = False
    responses = tictactoe.best_responses(tictactoe.tic_tac_toe_round(tree, values), strategy)
    if save is None and shipped.is_shipped(given.subgame):
        note("best-response-subgame: nothing is saved beside what comes with the program")
        save = False
    in_match_value = snapshot.score is not None and given.outcome_values is None
    try:
        if save is not False:
            answers = saved_best_response.response_to_snapshot(snapshot, given.average_strategy, values, responses)
            answers.save(given.subgame)
    finally:  # show the result even if saving fails
        if given.as_json:
            print_json(results_as_data.best_response_of_round(snapshot, values, responses, in_match_value))
        else:
            report.print_round(snapshot, values, responses, in_match_value)
