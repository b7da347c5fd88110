"""How values and exploitabilities of a solved match are shown: a table, one sentence, or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tictactoe.solution import Solution


def win_percentage(value: float) -> float:
    """The percentage of matches won by the player to whom the match value (-1 to 1) belongs."""
    return 50.0 * (1.0 + value)


def percentage_points(exploitability: float) -> float:
    """An exploitability in match value as percentage points of matches won: a win is worth 2 more than a loss."""
    return 50.0 * exploitability


def exploitability_text(exploitability: float) -> str:
    """With both units."""
    return f"{exploitability:.2e} in match value (-1 to 1), {percentage_points(exploitability):.2e} percentage points"


def as_json(solution: Solution) -> dict[str, Any]:
    """What --json prints of a solution."""
    return {
        "winning_score": solution.winning_score,
        "converged": not solution.missing_scores and not solution.unconverged_scores,
        "options": dict(solution.options),
        "subgames": [
            {
                "score": list(score),
                "value": result.value,
                "first_mover_wins_percent": win_percentage(result.value),
                "exploitability": result.exploitability,
                "exploitability_percentage_points": percentage_points(result.exploitability),
                "iterations": result.iteration,
                "converged": result.converged,
            }
            for score, result in sorted(solution.results.items(), reverse=True)
        ],
    }


def print_solution(solution: Solution) -> None:
    """The table of all scores and the sentence that a reader wants, on standard output."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("score", "value", "mover wins", "exploitability", "in points", "iterations"):
        table.add_column(heading, justify="right", no_wrap=True)
    for score, result in sorted(solution.results.items(), reverse=True):
        table.add_row(
            str(score), f"{result.value:+.6f}", f"{win_percentage(result.value):.3f} %",
            f"{result.exploitability:.2e}", f"{percentage_points(result.exploitability):.1e} %",
            f"{result.iteration:,}" + ("" if result.converged else " *"),
        )  # fmt: skip
    console = Console(highlight=False, width=None if _is_terminal() else 100)
    console.print(table)
    console.print(
        "score: points of the player who moves first, then of the other. value: match value (-1 to 1) to the\n"
        "first mover. mover wins: matches won by the first mover. exploitability: what two perfect opponents, one\n"
        "in each seat, gain together in this round; in match value, and in percentage points of matches won.",
        style="dim", soft_wrap=True,
    )  # fmt: skip
    if solution.unconverged_scores:
        console.print("* not converged: the exploitability or the value had not reached the target", soft_wrap=True)
    console.print(favourite(solution), style="bold", soft_wrap=True)


def favourite(solution: Solution) -> str:
    """Who is favoured at the start of the match, and by how much."""
    value = solution.results[min(solution.results)].value
    if min(solution.results) != (0, 0):
        return "The score 0-0 has not been solved yet."
    who, wins = ("first", win_percentage(value)) if value >= 0 else ("second", win_percentage(-value))
    return (
        f"In a match to {solution.winning_score} between perfect players, whoever moves {who} in the first round "
        f"is favoured and wins {wins:.2f} % of the matches."
    )


def _is_terminal() -> bool:
    import sys

    return sys.stdout.isatty()
