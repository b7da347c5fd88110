"""best-response-subgame: what a perfect player wins in one round against a saved strategy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import CommandError, Count, Directory, Number, TrueFalse, run

if TYPE_CHECKING:
    from tictactoe.round_response import RoundResponse
    from tictactoe.snapshot import Snapshot

GOALS = ("win", "lose", "tie")


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.option(
    "-s", "--subgame", type=Directory(), required=True,
    help="Directory of a subgame, such as my_solution/subgame_4_4, or one that solve-subgame wrote.",
)
@click.option("-i", "--iteration", type=Count(0), default=None, help="Saved iteration.  [default: the last]")
@click.option(
    "--outcome-values", type=Number(least=-1e100, most=1e100), nargs=4, default=None,
    metavar="BOTH FIRST SECOND NEITHER",
    help="What the results are worth to the first mover.  [default: what they were in the snapshot]",
)
@click.option(
    "--average-strategy", type=TrueFalse(), default="true", show_default=True,
    help="false: judge the current strategy instead of the average one.",
)
@click.option(
    "--save", type=TrueFalse(), default="true", show_default=True,
    help="Save the best response beside the snapshot, for exploring.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")
def command(
    subgame: Path, iteration: int | None, outcome_values: tuple[float, ...] | None, average_strategy: bool,
    save: bool, as_json: bool,
) -> None:  # fmt: skip
    """Compute exactly what a perfect player wins in one round, ignoring the match around it.

    Shows, for both seats, what the best response gets for every pair of goals and over all, and the exploitability.

    \b
    best-response-subgame -s my_solution/subgame_4_4
    best-response-subgame -s my_subgame/ -i 100 --save false --json
    """
    from tictactoe.match import OutcomeValues
    from tictactoe.round_response import respond_to_round
    from tictactoe.snapshot import Snapshot, list_snapshots, snapshot_name
    from tictactoe.tree import GameTree

    saved = list_snapshots(subgame)
    if not saved:
        raise CommandError(f"{subgame}: no snapshots here")
    if iteration is not None and iteration not in saved:
        raise CommandError(f"{subgame}: iteration {iteration} is not saved; saved are {', '.join(map(str, saved))}")
    tree = GameTree.build()
    snapshot = Snapshot.load(subgame / snapshot_name(saved[-1] if iteration is None else iteration), tree)
    strategy = snapshot.average_strategy(tree) if average_strategy else snapshot.current_strategy
    values = OutcomeValues(*outcome_values) if outcome_values else snapshot.outcome_values
    response = respond_to_round(tree, values, strategy)
    if save:
        response.saved(snapshot.score, snapshot.iteration, average_strategy, tree).save(subgame)
    if as_json:
        print(json.dumps(_as_dict(snapshot, response, outcome_values is None), indent=2))
    else:
        _print(snapshot, response, outcome_values is None)


def _as_dict(snapshot: Snapshot, response: RoundResponse, in_match_value: bool) -> dict[str, Any]:
    from .report import percentage_points

    return {
        "score": None if snapshot.score is None else list(snapshot.score),
        "iteration": snapshot.iteration,
        "outcome_values": response.outcome_values._asdict(),
        "value": response.value,
        "best_response_values": list(response.best_values),
        "exploitability": response.exploitability,
        "exploitability_percentage_points": percentage_points(response.exploitability)
        if snapshot.score is not None and in_match_value
        else None,
        "best_response_by_goals": {
            seat: {
                f"{first}/{second}": float(response.by_goals[index][row, column])
                for row, first in enumerate(GOALS)
                for column, second in enumerate(GOALS)
            }
            for index, seat in enumerate(("first", "second"))
        },
    }


def _print(snapshot: Snapshot, response: RoundResponse, in_match_value: bool) -> None:
    from .report import exploitability_text

    of = "" if snapshot.score is None else f"score {snapshot.score}, "
    both, first, second, neither = response.outcome_values
    print(f"{of}iteration {snapshot.iteration:,}; outcome values to the first mover: both score {both:+.6f}, first "
          f"{first:+.6f}, second {second:+.6f}, neither {neither:+.6f}")  # fmt: skip
    print(f"value of the strategies against each other, to the first mover: {response.value:+.9f}")
    for index, seat in enumerate(("first", "second")):
        gain = response.best_values[index] - (response.value if index == 0 else -response.value)
        print(f"\nbest response of the player who moves {seat}: {response.best_values[index]:+.9f} to that player, "
              f"{gain:.2e} gained")  # fmt: skip
        print("  by goals    " + "".join(f"{'second ' + goal:>14}" for goal in GOALS))
        for row, goal in enumerate(GOALS):
            cells = "".join(f"{response.by_goals[index][row, column]:+14.6f}" for column in range(3))
            print(f"  first {goal:<8}{cells}")
    unit = (
        f"{exploitability_text(response.exploitability)} of matches won"
        if snapshot.score is not None and in_match_value
        else f"{response.exploitability:.2e} in the unit of the outcome values"
    )
    print(f"\nexploitability: {unit}")


def main() -> None:
    """The program."""
    run(command)
