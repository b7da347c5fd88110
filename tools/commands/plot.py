"""The verb plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

import tictactoe

from ..interruption import stop_on_signals
from ..options.common import check_picture, for_paper_option, json_option, quiet_option, refuse
from ..options.parameters import PathName
from ..options.solution_choice import chosen_solution, solution_option
from ..options.solving_options import ALGORITHMS
from ..program import CommandError, Program, print_json, remark, say, shown_path

if TYPE_CHECKING:
    from tictactoe.figures import learning_figure

PICTURES = ("convergence", "values")


@click.command(cls=Program)
@click.argument("agents", type=PathName(), nargs=-1, metavar="[AGENT...]")
@solution_option()
@click.option(
    "-o",
    "--output",
    type=PathName(),
    help="Directory for the pictures of a solution, or picture of agents: .png, .svg or .pdf. Earlier ones are "
    "replaced.  [default: plots, or learning.png]",
)
@click.option(
    "--algorithm",
    type=click.Choice([*ALGORITHMS, "none"]),
    default="rdcfr",
    metavar="NAME|none",
    help="Solver to draw beside agents, run on the same round to as many nodes touched; see docs/algorithms.md.",
)
@for_paper_option("Also write a solution's pictures as PDF, and values.tex, a LaTeX table of all values.")
@quiet_option("Print only errors.")
@json_option
def command(
    agents: tuple[Path, ...],
    solution: Path | None,
    output: Path | None,
    algorithm: str,
    for_paper: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Draw how every score of a solution converged and how likely the first mover is to win, or how agents learnt.

    Without AGENT, this draws convergence.png and .svg, the exploitability of every score's average and current strategy
    against iterations, as the solver recorded it; and values.png and .svg, the map of all scores with the percentage of
    matches that the first mover wins. Unsolved scores stay blank.

    With files of train-agent that learnt the same round or game, this draws the exploitability of their best moves,
    which is what the best responder gains, against nodes touched, the decisions played through. If they learnt against
    an opponent, a second panel shows what they get against it, and the most that anybody can get. A solver, run to as
    many nodes, is drawn dashed, except beside agents of train-agent --game. --json prints the same as numbers.

    \b
    tictactoe plot -s my_solution/
    tictactoe plot average.msgpack q.msgpack -o learning.svg --algorithm cfr+
    """
    if not agents:
        refuse(["algorithm"], "applies only to agents, and none is named")
        if output is not None and output.suffix in (".png", ".svg", ".pdf"):
            raise click.UsageError("--output: a solution has several pictures; name a directory")
        written = _draw_solution(solution, output or Path("plots"), for_paper=for_paper, quiet=quiet)
        if as_json:
            print_json({"files": list(map(str, written))})
        elif not quiet:
            say(f"written: {', '.join(map(shown_path, written))}")
        return
    refuse(["solution", "for_paper"], "applies only to a solution, and agents are named")
    output = output or Path("learning.png")
    shown = _draw_agents(agents, algorithm, output)
    if as_json:
        print_json({"best_values": shown.best, "curves": [curve.as_dict() for curve in shown.curves]})
    elif not quiet:
        say(f"written: {shown_path(output)}")


def _draw_agents(agents: Sequence[Path], algorithm: str, output: Path) -> learning_figure.LearningPicture:
    from tictactoe.figures import learning_figure, style

    check_picture(output, "--output")
    solver = None if algorithm == "none" else (algorithm, tictactoe.update_rule(algorithm))
    with stop_on_signals() as stop:
        shown = learning_figure.learning_picture(agents, solver, stop)
    figure = learning_figure.learning_figure(shown.curves, shown.best, shown.title, in_match_value=shown.in_match_value)
    style.save_figure(figure, output)
    return shown


def _draw_solution(given: Path | None, output: Path, *, for_paper: bool, quiet: bool) -> list[Path]:
    from tictactoe.figures import solution_figures, style
    from tictactoe.solving import results_as_data
    from tictactoe.storage import atomic_files, shipped

    style.require_plots()
    solution = chosen_solution(given, quiet=quiet)
    loaded = tictactoe.load_solution(solution)
    if not loaded.results:
        raise CommandError(f"{solution}: no score has been solved yet")
    figures = solution_figures.figures_of(loaded)
    atomic_files.make_directory(output)
    suffixes = ("png", "svg", "pdf") if for_paper else ("png", "svg")
    table = output / "values.tex"
    written = style.replace_together(
        {table: results_as_data.values_as_latex(loaded)} if for_paper else {},
        ((output / f"{name}.{suffix}", figures[name]) for name in figures for suffix in suffixes),
        [table, *(output / f"{name}.{suffix}" for name in PICTURES for suffix in ("png", "svg", "pdf"))],
    )
    if "convergence" not in figures:
        remark(f"{shipped.with_names(shown_path(solution))}: no picture of convergence: {_why_no_logs(loaded)}")
    return written


def _why_no_logs(solution: tictactoe.Solution) -> str:
    from tictactoe.storage import directory_layout

    why = "the solution has no record of how it was computed"
    unpolished = solution.directory / directory_layout.UNPOLISHED
    return f"{why}; to draw what it was made from: tictactoe plot -s {unpolished}" if unpolished.is_dir() else why
