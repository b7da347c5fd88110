"""A solved match in a sentence, and as a table in LaTeX."""

from __future__ import annotations

from ..match.match_name import match_to
from ..match.percentages import win_percentage
from ..storage.latex_text import latex_table
from ..storage.solution import Solution


def favourite(solution: Solution) -> str:
    """A sentence about who is favoured at the start of the match, and by how much."""
    start = solution.results.get(min(solution.results))
    if start is None or start.score != (0, 0):
        return "The score 0-0 has not been solved yet."
    match = match_to(solution.winning_score, solution.rules)
    intro = f"In a {match} between perfect players"
    if solution.unconverged_scores:
        intro = f"As far as this unconverged solution tells, in a {match}"
    wins = win_percentage(abs(start.value))
    if f"{wins:.2f}" == "50.00":
        return f"{intro}, neither player is favoured: either seat wins 50.00 % of the matches."
    who = "first" if start.value > 0 else "second"
    return f"{intro}, whoever moves {who} in the first round is favoured and wins {wins:.2f} % of the matches."


def values_as_latex(solution: Solution) -> str:
    """A table of all solved scores: value, matches won, exploitability in match value, iterations."""
    rows = [
        (str(score), result.value, win_percentage(result.value), result.exploitability, result.iteration)
        for score, result in sorted(solution.results.items(), reverse=True)
    ]
    headings = ("score", "value", "mover wins, %", "exploitability", "iterations")
    return latex_table(
        headings, rows, f"A {match_to(solution.winning_score, solution.rules)}: values to the first mover."
    )
