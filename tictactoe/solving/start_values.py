"""Start values: the values of a match's scores, known before it is solved, by formula or from another solution."""

from __future__ import annotations

from ..errors import StoreError
from ..formulas.match_values import values_by_formula
from ..games.rules import Rules
from ..match.scores import Score, all_scores
from ..match.shorter_match import part_for_shorter_match, score_in_longer_match
from ..storage.solution import Solution


def start_values_by_formula(winning_score: int, rules: Rules | str) -> dict[Score, float]:
    """The start values of MatchOptions from the closed forms. Raises the errors of values_by_formula.

    >>> values = start_values_by_formula(2, "filled")
    >>> print(f"{values[Score(1, 0)]:.9f}")  # 361/539
    0.669758813
    """
    values = values_by_formula(winning_score, rules)
    return {score: float(values[score]) for score in all_scores(winning_score)}


def start_values_of(solution: Solution, winning_score: int) -> dict[Score, float]:
    """The start values of MatchOptions from the solution of a match to as many points, or more, by the same rules.

    A score's value depends only on the points that each player still needs, so a long match contains all shorter ones.
    Raises StoreError when the solution is of a match to fewer points, or lacks one of the scores.

    >>> from tictactoe import load_solution
    >>> print(f"{start_values_of(load_solution('shipped'), 2)[Score(1, 0)]:.12f}")
    0.654312197083
    """
    longer = solution.winning_score
    if longer < winning_score:
        raise StoreError(f"{solution.directory}: a match to {longer}, which has no values for one to {winning_score}")
    values = part_for_shorter_match(solution.value, longer, winning_score)
    if missing := [score for score in all_scores(winning_score) if score not in values]:
        there = score_in_longer_match(missing[0], winning_score, longer)
        raise StoreError(f"{solution.directory}: has no value for the score {there}; solve the match first")
    return {score: values[score] for score in all_scores(winning_score)}
