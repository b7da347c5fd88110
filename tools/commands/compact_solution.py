"""compact-solution: a copy of a solution that is small enough to send around."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from ..options.parameters import Count, Directory, Number, score_option
from ..options.rules_options import match_to
from ..options.solution_choice import chosen_solution, solution_option
from ..program import REPLACE_HELP, SETTINGS, existing_of, run, shown_path, stop_on_signals
from ..progress import StatusLine
from ..words import counted


@click.command(context_settings=SETTINGS)
@solution_option()
@click.option("-o", "--output", type=Directory(), required=True, help="Directory for the compact copy.")
@click.option(
    "--smallest",
    type=Number(0.0, 0.1),
    default=1e-5,
    show_default=True,
    help="Leave out moves that are played more rarely than this.",
)
@click.option(
    "--bits", type=Count(8, 52), default=20, show_default=True, help="Binary digits that probabilities are rounded to."
)
@score_option("--keep", "A score whose earlier snapshots are kept, for exploring over iterations; may be repeated.")
@click.option(
    "--strategy",
    type=click.Choice(["average", "current", "better"]),
    default="average",
    show_default=True,
    help="Which strategy the copy plays; better: at every score the one that is less exploitable in its round.",
)
@click.option("--restart", is_flag=True, help=REPLACE_HELP)
@click.option("--quiet", is_flag=True, help="No progress and no result: nothing but errors.")
def command(
    solution: Path | None,
    output: Path,
    smallest: float,
    bits: int,
    keep: tuple[tuple[int, int], ...],
    strategy: str,
    restart: bool,
    quiet: bool,
) -> None:
    """Make a copy of a solution that is a tenth of its size, for playing, exploring and judging.

    Probabilities are rounded and regrets left out, so it cannot be solved further. Values and exploitabilities are
    those of what is left: rounding costs a little. With --bits 52 --smallest 0 it costs nothing.

    \b
    compact-solution -s my_solution/ -o small/ --keep 4 4
    best-response-multiround -s small/
    compact-solution -s my_solution/ -o better/ --strategy better --bits 52 --smallest 0
    """
    from tictactoe.match.scores import Score
    from tictactoe.run_control import RunControl
    from tictactoe.storage.compact import CompactOptions, compact_solution
    from tictactoe.storage.solution import load_solution

    solution = chosen_solution(solution)
    loaded = load_solution(solution)
    if restart and output.exists() and output.samefile(solution):
        raise click.UsageError("--output: the same directory as --solution")
    status = StatusLine("reading", quiet=quiet)

    def told(done: int, scores: int) -> None:
        status.set(f"{done} of {counted(scores, 'score')} copied, {{elapsed}} elapsed")

    with stop_on_signals() as stop, status.showing():
        num_bytes = compact_solution(
            loaded,
            output,
            CompactOptions(smallest=smallest, bits=bits, strategy=strategy),
            keep=[Score(*score) for score in keep],
            control=RunControl(existing=existing_of(restart), stop=stop, reporter=told),
        )
    if not quiet:
        _print(output, num_bytes)


def _print(output: Path, num_bytes: int) -> None:
    from tictactoe.storage.solution import load_solution

    loaded = load_solution(output)
    of = f" of a {match_to(loaded.winning_score, loaded.rules)}"
    size = f"{num_bytes / 1e6:.1f} MB" if num_bytes >= 1e6 else f"{num_bytes / 1e3:.0f} kB"
    print(f"{counted(len(loaded.whole_scores), 'score')}{of} in {size}, saved in {shown_path(output)}")
    if without := len(loaded.whole_scores) - len(loaded.results):
        print(f"without a value, as in what was imported: {counted(without, 'score')}")
    if loaded.unconverged_scores:
        from ..reports.report import exploitability_text

        beyond = [loaded.exploitability[score] for score in loaded.unconverged_scores]
        most = exploitability_text(max(beyond), up=True)
        print(f"beyond the target that it was solved to: {counted(len(beyond), 'score')}, exploitable by up to {most}")


main = partial(run, command)
