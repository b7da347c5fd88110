"""Tables and JSON of all reports, and the report of a solved match."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tictactoe.errors import printable
from tictactoe.match.percentages import POINTS, exploitability_text, in_both_units, percentage_points, win_percentage
from tictactoe.match.scores import match_to
from tictactoe.number_text import signed_text

from ..program import print_json, say
from ..streams import drawing

if TYPE_CHECKING:
    from tictactoe.storage.solution import Solution


class Table(NamedTuple):
    headings: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    explanation: str
    optional: Sequence[str] = ()


def print_tables(*tables: Table) -> None:
    for number, table in enumerate(table for table in tables if table.rows):
        if number:
            print()
        print_table(*table)


def print_table(
    headings: Sequence[str], rows: Sequence[Sequence[str | None]], explanation: str, optional: Sequence[str] = ()
) -> None:
    """Print a right-aligned table with an explanation. Omits columns of None and, if the table is too wide, `optional`
    ones."""
    from rich.console import Console
    from rich.table import Column, Table

    console = Console(file=drawing(sys.stdout), highlight=False, markup=False)  # a name in brackets is not a style
    if not console.is_terminal:
        console.width = 120
    columns = {
        heading: [heading, *(printable(cell or "") for cell in cells)]
        for heading, *cells in zip(headings, *rows, strict=True)
        if not cells or any(cell is not None for cell in cells)
    }
    left_out = []
    for heading in optional:
        width = sum(max(map(len, column)) + 2 for column in columns.values()) - 2
        if heading in columns and width > console.width:
            left_out.append(heading)
            del columns[heading]
    shown = (Column(heading, justify="right", no_wrap=True) for heading in columns)
    table = Table(*shown, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for row in list(zip(*columns.values(), strict=True))[1:]:
        table.add_row(*row)
    console.print(table)
    for line in textwrap.wrap(printable(explanation), min(console.width, 110)):
        console.print(line, style="dim")
    if left_out:
        console.print(f"(the terminal is too narrow for: {', '.join(sorted(left_out))})", style="dim")


def report(solution: Solution, *, as_json: bool, total: bool) -> None:
    """Print the values of all scores. total: whether to print the total exploitability over the match, too."""
    from tictactoe.solving import results_as_data

    gain = results_as_data.total_exploitability(solution) if total else None
    if as_json:
        in_total = {} if gain is None else in_both_units("total_exploitability", gain)
        print_json(results_as_data.solved_match(solution) | in_total)
        return
    print_solution(solution)
    if against := solution.options.get("polished_against"):
        say(f"This exact equilibrium was chosen because it wins much from {str(against).replace(',', ', ')}.")
    if gain is not None:
        match = match_to(solution.winning_score, solution.rules)
        say(f"Total exploitability of the bot in a {match}: {exploitability_text(gain)}.")


def print_solution(solution: Solution) -> None:
    rows = [
        (
            str(score),
            signed_text(result.value, 6),
            f"{win_percentage(result.value):.3f} %",
            f"{result.exploitability:.2e}",
            f"{percentage_points(result.exploitability):.1e}",
            f"{result.iteration:,}" + ("" if result.converged else " *"),
        )
        for score, result in sorted(solution.results.items(), reverse=True)
    ]
    headings = ("score", "value", "mover wins", "exploitability", "points", "iterations")
    explanation = (
        "score: points of the player who moves first, then of the other. value: match value (-1 to 1) to the first "
        "mover. mover wins: matches that the first mover wins. exploitability: the gain of two best responders, one in "
        f"each seat, together in this round, in match value; points: the same in {POINTS}."
    )
    print_table(headings, rows, explanation, ("points",))
    if solution.unconverged_scores:
        say("* not converged: the exploitability or the value has not reached the target")
    from tictactoe.solving import results_as_data

    say(results_as_data.favourite(solution))
