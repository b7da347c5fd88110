"""compact-solution: a copy of a solution that is small enough to send around."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from .shared.parameters import Count, Directory, Number, score_option
from .shared.program import SETTINGS, run
from .shared.rules_options import match_to
from .shared.solution_choice import chosen_solution, solution_option
from .shared.words import counted


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
@click.option("--restart", is_flag=True, help="Throw away the solution that the output directory holds.")
def command(
    solution: Path | None,
    output: Path,
    smallest: float,
    bits: int,
    keep: tuple[tuple[int, int], ...],
    strategy: str,
    restart: bool,
) -> None:
    """Make a copy of a solution that is a tenth of its size, for playing, exploring and judging.

    Probabilities are rounded and regrets left out, so it cannot be solved further. Judge it afterwards: rounding
    costs a little. With --bits 52 --smallest 0 it costs nothing.

    \b
    compact-solution -s my_solution/ -o small/ --keep 4 4
    best-response-multiround -s small/
    compact-solution -s my_solution/ -o better/ --strategy better --bits 52 --smallest 0
    """
    from tictactoe.match.scores import Score
    from tictactoe.storage.compact import compact_solution
    from tictactoe.storage.solution import load_solution

    solution = chosen_solution(solution)
    loaded = load_solution(solution)
    if restart and output.exists() and output.samefile(solution):
        raise click.UsageError("--output: the same directory as --solution")
    num_bytes = compact_solution(
        loaded,
        output,
        smallest=smallest,
        bits=bits,
        keep=[Score(*score) for score in keep],
        strategy=strategy,
        restart=restart,
    )
    of = f" of a {match_to(loaded.winning_score, loaded.rules)}"
    size = f"{num_bytes / 1e6:.1f} MB" if num_bytes >= 1e6 else f"{num_bytes / 1e3:.0f} kB"
    print(f"{counted(len(loaded.results), 'score')}{of} in {size}, saved in {output}")


main = partial(run, command)
