"""compact-solution: a copy of a solution that is small enough to send around."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.number_text import counted

from ..lazy_imports import lazily
from ..options.parameters import Count, Directory, Number
from ..options_before.common import REPLACE_HELP, quiet_option, scores_option
from ..options_before.declaring import command_of, flag, option
from ..options_before.solution_choice import chosen_solution, solution_option
from ..options_before.workers import existing_of, followed
from ..progress import StatusLine

with lazily():
    from tictactoe.storage import compact

    from ..reports import exchange_report


@dataclass(frozen=True)
class Options:
    solution: Path | None = solution_option()
    output: Path = option(Directory(), "Directory for the compact copy.", short="-o", required=True)
    smallest: float = option(Number(0.0, 0.1), "Leave out moves that are played more rarely than this.", default=1e-5)
    bits: int = option(Count(8, 52), "Binary digits that probabilities are rounded to.", default=20)
    keep: tuple[tuple[int, int], ...] = scores_option(
        "A score whose earlier snapshots are kept, for exploring over iterations; may be repeated."
    )
    strategy: str = option(
        click.Choice(["average", "current", "better"]),
        "Which strategy the copy plays; better: at every score the one that is less exploitable in its round.",
        default="average",
    )
    restart: bool = flag(REPLACE_HELP)
    quiet: bool = quiet_option("No progress and no result: nothing but errors.")


@command_of(Options)
def command(given: Options) -> None:
    """Make a copy of a solution that is a tenth of its size, for playing, exploring and judging.

    Probabilities are rounded and regrets left out, so it cannot be solved further. Values and exploitabilities are
    those of what is left: rounding costs a little. With --bits 52 --smallest 0 it costs nothing.

    \b
    compact-solution -s my_solution/ -o small/ --keep 4 4
    best-response-multiround -s small/
    compact-solution -s my_solution/ -o better/ --strategy better --bits 52 --smallest 0
    """
    solution = chosen_solution(given.solution)
    loaded = tictactoe.load_solution(solution)
    if given.restart and given.output.exists() and given.output.samefile(solution):
        raise click.UsageError("--output: the same directory as --solution")
    status = StatusLine("reading", quiet=given.quiet)

    def told(done: int, scores: int) -> None:
        status.set(f"{done} of {counted(scores, 'score')} copied, {{elapsed}} elapsed")

    options = compact.CompactOptions(smallest=given.smallest, bits=given.bits, strategy=given.strategy)
    keep = [tictactoe.Score(*score) for score in given.keep]
    with followed(status, tictactoe.RunControl(existing=existing_of(given.restart)), told) as control:
        num_bytes = tictactoe.compact_solution(loaded, given.output, options, keep=keep, control=control)
    if not given.quiet:
        exchange_report.print_compacted(given.output, num_bytes)
