"""A solved match in a sentence."""

from __future__ import annotations

from ..match.match_name import match_to
from ..match.percentages import win_percentage
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
