"""Results of matches and rounds as JSON types, as LaTeX and as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algorithms.best_response import BestResponses, exploitability
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import GOAL_NAMES, OutcomeValues
from ..games.tic_tac_toe_tree import GameTree
from ..match.best_response_over_match import ScoreResponse, best_response_over_match
from ..match.percentages import in_both_units, percentage_points, win_percentage
from ..match.scores import Score, match_to
from ..storage.import_strategies import ImportedSolution
from ..storage.snapshot import Snapshot
from ..storage.solution import Solution
from ..storage.texts import latex_table, picked


def favourite(solution: Solution) -> str:
    """A sentence about the favoured player at the start of the match, and the advantage."""
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
    """A LaTeX table of all solved scores: value, matches won, exploitability in match value, iterations."""
    rows = [
        (str(score), result.value, win_percentage(result.value), result.exploitability, result.iteration)
        for score, result in sorted(solution.results.items(), reverse=True)
    ]
    headings = ("score", "value", "mover wins, %", "exploitability", "iterations")
    return latex_table(
        headings, rows, f"A {match_to(solution.winning_score, solution.rules)}: values to the first mover."
    )


def current_exploitability(snapshot: Snapshot) -> float:
    """The exploitability of a snapshot's current strategy, in the unit of its outcome values."""
    game = tic_tac_toe_round(GameTree.build(snapshot.rules), snapshot.round_values)
    return exploitability(game, snapshot.current_strategy).total


def total_exploitability(solution: Solution) -> float:
    """The exploitability of the average strategies over the match, which exceeds that of its rounds."""
    scores = best_response_over_match(solution.tree, solution.average_strategy, solution.winning_score).scores
    return max(0.0, scores[min(scores)].exploitability)


def solved_match(solution: Solution) -> dict[str, Any]:
    """A solution of a match, for JSON."""
    current = {
        score: exploitability(tic_tac_toe_round(solution.tree, solution.outcome_values(score)), strategy).total
        for score, strategy in solution.strategies(average=False).items()
    }
    return {
        **picked(solution, "rules", "winning_score"),
        "converged": not solution.missing_scores and not solution.unconverged_scores,
        "options": dict(solution.options),
        "subgames": [
            {
                **picked(result, "score", "value"),
                "first_mover_wins_percent": win_percentage(result.value),
                **in_both_units("exploitability", result.exploitability),
                "current_exploitability": current[score],
                **picked(result, "iterations=iteration", "converged"),
            }
            for score, result in sorted(solution.results.items(), reverse=True)
        ],
    }


def solved_round(snapshot: Snapshot) -> dict[str, Any]:
    """A round that was solved on its own, for JSON."""
    return {
        **picked(snapshot, "rules", "iterations=iteration", "value", "exploitability"),
        "current_exploitability": current_exploitability(snapshot),
        "outcome_values": snapshot.round_values._asdict(),
        **picked(snapshot, "score", "winning_score", "options"),
    }


def best_response_of_match(
    shown: Mapping[Score, ScoreResponse], missing: list[Score], winning_score: int
) -> dict[str, Any]:
    """Best responses over a match by score, for JSON. missing: the scores that could not be judged."""
    total = shown[min(shown)].exploitability if not missing else None
    return {
        "winning_score": winning_score,
        **in_both_units("total_exploitability", total),
        "perfect_player_wins_percent": None if total is None else win_percentage(total / 2),
        "missing_scores": missing,
        "subgames": [
            {
                "score": score,
                **picked(result, "value", "max=maximum", "min=minimum"),
                **in_both_units("exploitability", result.exploitability),
                **picked(result, "stage_gains", "expected_rounds=rounds", "bound"),
            }
            for score, result in sorted(shown.items(), reverse=True)
        ],
    }


def best_response_of_round(
    snapshot: Snapshot, values: OutcomeValues, responses: BestResponses, in_match_value: bool
) -> dict[str, Any]:
    """Best responses to one round, for JSON."""
    return {
        **picked(snapshot, "rules", "score", "iteration"),
        "outcome_values": values._asdict(),
        "value": responses.value,
        "best_response_values": responses.values,
        "exploitability": responses.exploitability,
        "exploitability_percentage_points": percentage_points(responses.exploitability) if in_match_value else None,
        "best_response_by_goals": {
            seat: {
                f"{first}/{second}": float(responses.by_types[index][row, column])
                for row, first in enumerate(GOAL_NAMES)
                for column, second in enumerate(GOAL_NAMES)
            }
            for index, seat in enumerate(("first", "second"))
        },
    }


def imported_solution(result: ImportedSolution) -> dict[str, Any]:
    solution = result.solution
    return {
        **picked(solution, "rules", "winning_score"),
        "imported_from": solution.options["imported_from"],
        "subgames": [
            {
                "score": score,
                "value": found.value,
                **in_both_units("exploitability", found.exploitability),
                "iterations": found.iteration,
            }
            for score, found in sorted(solution.results.items(), reverse=True)
        ],
        "without_value": [{"score": score, "missing": missing} for score, missing in result.without_value().items()],
    }
