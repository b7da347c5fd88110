"""plot-solution: pictures of a solved match."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options.parameters import directory_option
from ..options.solution_choice import chosen_solution, solution_option
from ..program import SETTINGS, CommandError, run, say, shown_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tictactoe.algorithms.arrays import FloatArray
    from tictactoe.match.scores import Score
    from tictactoe.storage.solution import Solution

PICTURE_FORMATS = ("png", "svg")


@click.command(context_settings=SETTINGS)
@solution_option()
@directory_option("-o", "--output", "plots", "Directory for the pictures; earlier ones there are replaced or removed.")
@click.option(
    "--format",
    "file_format",
    type=click.Choice([*PICTURE_FORMATS, "both"]),
    default="both",
    show_default=True,
    help="The files to write.",
)
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def command(solution: Path | None, output: Path, file_format: str, quiet: bool) -> int:
    """Draw how every score of a solution converged, and how likely its player is to win.

    convergence.png and .svg: exploitability of every score's average and current strategy against iterations, from
    the solver's own record. values.png and .svg: the map of all scores with the percentage of matches that the player
    who moves first wins. Scores that are not solved yet stay blank.

    \b
    plot-solution -s my_solution/
    plot-solution -s my_solution/ -o pictures/ --format svg
    """
    from tictactoe.figures.solution_figures import convergence_figure, values_figure
    from tictactoe.figures.style import require_plots, save_figure
    from tictactoe.storage.safe_files import Replacements, make_directory
    from tictactoe.storage.shipped import with_names
    from tictactoe.storage.solution import load_solution

    require_plots()
    solution = chosen_solution(solution, quiet=quiet)
    loaded = load_solution(solution)
    if not loaded.results:
        raise CommandError(f"{solution}: no score is solved yet")
    figures: dict[str, Figure] = {}
    logs, points = _logs(loaded), loaded.winning_score
    if logs:
        solved = sorted(loaded.results)
        target = _target(loaded)
        figures["convergence"] = convergence_figure(points, logs, target, solved=solved, rules=loaded.rules)
    figures["values"] = values_figure(points, loaded.value, rules=loaded.rules)
    make_directory(output)
    suffixes = PICTURE_FORMATS if file_format == "both" else (file_format,)
    written = [output / f"{name}.{suffix}" for name in figures for suffix in suffixes]
    with Replacements() as new:
        for path in written:
            save_figure(figures[path.stem], path, new)
        new.remove(output / f"{name}.{suffix}" for name in ("convergence", "values") for suffix in PICTURE_FORMATS)
    if not logs:
        print(
            f"plot-solution: {with_names(shown_path(solution))}: no picture of convergence: {_why_no_logs(loaded)}",
            file=sys.stderr,
        )
    if not quiet:
        say(f"written: {', '.join(map(shown_path, written))}")
    return 0


def _logs(solution: Solution) -> dict[Score, FloatArray]:
    """The records of convergence, by score, that have enough entries to draw."""
    from tictactoe.figures.solution_figures import is_drawable

    logs = {score: solution.snapshot(score).convergence for score in solution.results}
    return {score: log for score, log in logs.items() if is_drawable(log)}


def _target(solution: Solution) -> float | None:
    """The exploitability that the solver aimed at; None if the options do not have it. Another program may have written
    them."""
    target: Any = solution.options.get("maximum_subgame_exploitability")
    return target if type(target) is float and 0.0 < target < 1.0 else None


def _why_no_logs(solution: Solution) -> str:
    from tictactoe.storage.directory_layout import UNPOLISHED

    why = "the solution has no record of how it was computed"
    unpolished = solution.directory / UNPOLISHED
    return f"{why}; that of what it was made from: plot-solution -s {unpolished}" if unpolished.is_dir() else why


main = partial(run, command)
