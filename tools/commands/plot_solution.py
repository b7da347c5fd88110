"""plot-solution: pictures of a solved match."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe

from ..lazy_imports import lazily
from ..options.common import directory_option, quiet_option
from ..options.declaring import command_of, option
from ..options.solution_choice import chosen_solution, solution_option
from ..program import CommandError, note, say, shown_path

with lazily():
    from tictactoe.figures import solution_figures, style
    from tictactoe.solving import results_as_data
    from tictactoe.storage import atomic_files, directory_layout, shipped


PICTURE_FORMATS = ("png", "svg")
FOR_PAPER = "pdf"


@dataclass(frozen=True)
class Options:
    solution: Path | None = solution_option()
    output: Path = directory_option("plots", "Directory for the pictures; earlier ones there are replaced or removed.")
    file_format: str = option(
        click.Choice([*PICTURE_FORMATS, FOR_PAPER, "both"]),
        "The files to write; both: png and svg; pdf: for a paper, with a table of all values in LaTeX.",
        names="--format",
        default="both",
    )
    quiet: bool = quiet_option("Print nothing but errors.")


@command_of(Options)
def command(given: Options) -> int:
    """Draw how every score of a solution converged, and how likely its player is to win.

    convergence.png and .svg: exploitability of every score's average and current strategy against iterations, from
    the solver's own record. values.png and .svg: the map of all scores with the percentage of matches that the player
    who moves first wins. Scores that are not solved yet stay blank.

    \b
    plot-solution -s my_solution/
    plot-solution -s my_solution/ -o pictures/ --format svg
    """
    style.require_plots()
    solution = chosen_solution(given.solution, quiet=given.quiet)
    loaded = tictactoe.load_solution(solution)
    if not loaded.results:
        raise CommandError(f"{solution}: no score is solved yet")
    figures = solution_figures.figures_of(loaded)
    atomic_files.make_directory(given.output)
    suffixes = PICTURE_FORMATS if given.file_format == "both" else (given.file_format,)
    table = given.output / "values.tex"
    written = style.replace_together(
        {table: results_as_data.values_as_latex(loaded)} if given.file_format == FOR_PAPER else {},
        ((given.output / f"{name}.{suffix}", figures[name]) for name in figures for suffix in suffixes),
        [table, *(given.output / f"{n}.{s}" for n in ("convergence", "values") for s in (*PICTURE_FORMATS, FOR_PAPER))],
    )
    if "convergence" not in figures:
        name = shipped.with_names(shown_path(solution))
        note(f"plot-solution: {name}: no picture of convergence: {_why_no_logs(loaded)}")
    if not given.quiet:
        say(f"written: {', '.join(map(shown_path, written))}")
    return 0


def _why_no_logs(solution: tictactoe.Solution) -> str:
    why = "the solution has no record of how it was computed"
    unpolished = solution.directory / directory_layout.UNPOLISHED
    return f"{why}; that of what it was made from: plot-solution -s {unpolished}" if unpolished.is_dir() else why
