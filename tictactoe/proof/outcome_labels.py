"""Whether the outcome values of a round can be those of the score that its file names.

Outcome values follow from the values of later rounds, which a round on its own does not know. So this module cannot
prove them right. It refuses impossible values, and the proof of a round does not rest on it. It does not refuse the
values that a solver has early on: in one iteration at every score of a match to 5 by all rules no value was further
from the perfect one than 0.31 times what is at stake.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..errors import NoFormulaError
from ..formulas.match_values import formula_table
from ..match.scores import LARGEST_WINNING_SCORE, Score, following_scores, outcome_values, pair_of
from .checker import RESULTS, AdversaryState, after_round
from .checker_rules import Rules

OUTCOMES = ("both", "first", "second", "neither")
"""Who scores; the order of the outcome values, and of checker.RESULTS."""
VALUE_TOLERANCE = 1e-3
"""In match value: less is left to what solvers leave."""
FAR = 0.4
"""Of what is at stake: so far from those of perfect players are the values of no solver."""
FAR_FROM_ITSELF = 0.1
"""Of what is at stake: so far from what the round is worth is no value that it is played for."""
UNDECIDED = 0.9
"""A match with such values or smaller ones is open: two points more or less are worth something."""


def label_problem(rules: Rules, score: Score, winning_score: int, values: Sequence[float]) -> str | None:
    """Why results cannot be worth that at a score, whatever the strategies in this round; None if they can be.

    values: match values to the first mover, as OUTCOMES.
    """
    if winning_score > LARGEST_WINNING_SCORE:
        return f"winning_score: {winning_score} is more than {LARGEST_WINNING_SCORE}, the longest match that is solved"
    problem = _not_of_ends(score, winning_score, values)
    problem = problem or _not_in_order(rules, values) or _not_of_formula(rules, score, winning_score, values)
    if problem is None:
        return None
    return f"not what the results of a round at {score} of a match to {winning_score} are worth: {problem}"


def own_value_problem(
    score: Score, winning_score: int, values: Sequence[Fraction], lower: Fraction, upper: Fraction
) -> str | None:
    """Why a tied round cannot be played for these values: when nobody scores the same round follows, with the seats
    swapped, so it is itself worth less that. None for another score, and if it may be worth that.

    lower, upper: what is proved of the value of the round with these outcome values.
    """
    if score.first != score.second:
        return None
    own, slack = -values[3], FAR_FROM_ITSELF * float(max(values) - min(values)) + VALUE_TOLERANCE
    if lower - slack <= own <= upper + slack:
        return None
    proved = f"{float(lower):.6f} to {float(upper):.6f}"
    return (
        f"not those of {score} of a match to {winning_score}: with neither: {float(values[3])} the round itself would "
        f"be worth {float(own)}, and its value is proved to lie in {proved}"
    )


def _not_of_ends(score: Score, winning_score: int, values: Sequence[float]) -> str | None:
    """What ends the match is worth 1 or -1; results that lead to the same round are worth the same."""
    of_state: dict[AdversaryState, str] = {}
    for name, value, result in zip(OUTCOMES, values, RESULTS, strict=True):
        after = after_round(AdversaryState(0, *score), result, winning_score)
        if isinstance(after, int) and value != after:
            return f"{name}: {value} where the match has ended: {after}"
        if not -1.0 <= value <= 1.0:
            return f"{name}: {value} is no match value (-1 to 1)"
        if isinstance(after, AdversaryState):
            same = of_state.setdefault(after, name)
            if value != values[OUTCOMES.index(same)]:
                return f"{name}: {value}, and {same}: {values[OUTCOMES.index(same)]}, lead to the same round"
    return None


def _not_in_order(rules: Rules, values: Sequence[float]) -> str | None:
    """A point more is never worth less, and in an open match two are worth something.

    Only where every goal is drawn: where nobody ties, perfect players may never score.
    """
    both, first, second, neither = values
    if min(rules.odds) == 0:
        return None
    for name, value in (("both", both), ("neither", neither)):
        if not second - VALUE_TOLERANCE <= value <= first + VALUE_TOLERANCE:
            return f"{name}: {value} is not between second: {second} and first: {first}"
    if first - second <= VALUE_TOLERANCE and max(map(abs, values)) < UNDECIDED:
        return f"first: {first}, and second: {second}: whoever scores is worth something to both"
    return None


def _not_of_formula(rules: Rules, score: Score, winning_score: int, values: Sequence[float]) -> str | None:
    """Far from those of perfect players, where closed forms have these."""
    try:
        table = formula_table(winning_score, str(rules)).values()
    except NoFormulaError:
        return None
    pair = pair_of(score)
    of_score = {each: float(table[each]) for each in (*pair, *following_scores(pair, winning_score))}
    right = outcome_values(score, of_score, winning_score)
    for name, value, perfect in zip(OUTCOMES, values, right, strict=True):
        if abs(value - perfect) > FAR * (right.first - right.second) + VALUE_TOLERANCE:
            return f"{name}: {value} where it is {perfect:.6f} between perfect players"
    return None
