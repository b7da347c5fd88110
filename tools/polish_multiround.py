"""polish-multiround: make a solved match exact."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .common import (
    EXIT_INTERRUPTED,
    Count,
    Directory,
    available_cores,
    live_console,
    print_interrupted,
    run,
    say,
    stop_on_signals,
)

if TYPE_CHECKING:
    from tictactoe.match import Score
    from tictactoe.solution import Solution


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.option(
    "-s", "--solution", type=Directory(), default=Path("my_solution"), show_default=True,
    help="Directory of the solved match to start from; an exploitability of 0.0001 in every round will do.",
)
@click.option(
    "-o", "--output", type=Directory(), default=Path("exact_solution"), show_default=True,
    help="Directory for the exact solution. A run that was stopped goes on where it was.",
)
@click.option(
    "--keep", type=Count(0), nargs=2, multiple=True, metavar="A B",
    help="A score whose earlier snapshots are copied, for exploring over iterations; may be repeated.",
)
@click.option(
    "--jobs", type=Count(1, 1024), default=None,
    help="Linear programs at the same time; the result does not depend on it.  [default: the available cores]",
)
@click.option("--restart", is_flag=True, help="Throw away what the output directory holds.")
@click.option("--quiet", is_flag=True, help="No progress and no table: nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")
def command(
    solution: Path, output: Path, keep: tuple[tuple[int, int], ...], jobs: int | None, restart: bool, quiet: bool,
    as_json: bool,
) -> int:  # fmt: skip
    """Make a solved match exact: an equilibrium to the last digits, by linear programs.

    Starts from what solve-multiround wrote and solves every pair of scores again, backwards. Among the exact strategies
    it takes those that punish mistakes. Needs highspy: pip install 'smbc-tictactoe[exact]'. Press Ctrl-C to stop: the
    scores that are done are saved, and the same command goes on from there.

    \b
    solve-multiround -o my_solution/ --maximum-subgame-exploitability 0.0001
    polish-multiround -s my_solution/ -o exact_solution/
    certify -s exact_solution/
    """
    from tictactoe.match import Score
    from tictactoe.solution import load_solution

    polished = polish(
        load_solution(solution), output, [Score(*score) for score in keep], jobs or available_cores(), restart, quiet
    )
    if polished is None:
        return EXIT_INTERRUPTED
    report(polished, quiet, as_json)
    return 0


def polish(
    source: Solution, output: Path, keep: Collection[Score], jobs: int, restart: bool, quiet: bool
) -> Solution | None:
    """The exact solution, or None when the run was interrupted (and has said so)."""
    with stop_on_signals() as stop:
        from tictactoe.directory import Interrupted
        from tictactoe.polish import polish_solution

        from .progress import PolishProgress

        progress = PolishProgress(source.winning_score, None if quiet else live_console())
        try:
            with progress.showing():
                return polish_solution(
                    source, output, jobs=jobs, keep=keep, restart=restart, observer=None if quiet else progress,
                    stop=stop,
                )  # fmt: skip
        except Interrupted:
            print_interrupted(click.get_current_context().info_name or "polish-multiround")
            return None


def report(polished: Solution, quiet: bool, as_json: bool) -> None:
    """Print the values of the scores, and the total exploitability, measured over the match."""
    if quiet and not as_json:
        return
    from tictactoe.adversary import best_response_over_match

    from .report import as_json as solution_as_json
    from .report import exploitability_text, percentage_points, print_solution

    scores = best_response_over_match(polished.tree, polished.average_strategy, polished.winning_score).scores
    total = max(0.0, scores[min(scores)].exploitability)
    if as_json:
        content = solution_as_json(polished) | {
            "total_exploitability": total,
            "total_exploitability_percentage_points": percentage_points(total),
        }
        print(json.dumps(content, indent=2))
        return
    print_solution(polished)
    say(f"Total exploitability of the bot in a match to {polished.winning_score}: {exploitability_text(total)} "
        "of matches won.")  # fmt: skip


def main() -> None:
    """The program."""
    run(command)
