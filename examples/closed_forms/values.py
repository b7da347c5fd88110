"""The value of a round and of every score of a match, and the check of the plans at each of them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from plans import Plan, Round
from responses import check_at

from tictactoe.games.goals import RESULTS
from tictactoe.match.scores import Score, continuation, pairs_in_solve_order

DIGITS = 60
"""With which values are computed."""


def round_value(both: Any, first: Any, second: Any, neither: Any) -> Any:
    """The value of a round to the first mover, within the range of outcome values that check_at covers."""
    nine = 3 * both + 2 * first + 3 * second + neither
    if both > neither:
        nine -= (both - neither) * (first - neither) / (first - second + both - neither)
    return nine / 9


def match_values(winning_score: int) -> dict[Score, Decimal]:
    """The values of all scores, to DIGITS digits, from round_value alone."""
    values: dict[Score, Decimal] = {}
    for pair in pairs_in_solve_order(winning_score):
        values.update(dict.fromkeys(pair, Decimal(0)))
        while True:
            new = {score: round_value(*payoffs_at(score, values, winning_score)) for score in pair}
            settled = all(abs(new[score] - values[score]) < Decimal(10) ** (4 - DIGITS) for score in pair)
            values.update(new)
            if settled:
                break
    return values


def payoffs_at(score: Score, values: Mapping[Score, Decimal], winning_score: int) -> list[Decimal]:
    following = [continuation(score, *scored, winning_score) for scored in RESULTS]
    return [Decimal(sign) if after is None else sign * values[after] for sign, after in following]


def check_match(game: Round, pure: Plan, mixed: Plan, winning_score: int) -> None:
    """Check the strategy at every score of a match but the last, and print the values."""
    with localcontext() as context:
        context.prec = DIGITS
        values = match_values(winning_score)
        for score, value in values.items():
            both, first, second, neither = payoffs_at(score, values, winning_score)
            b, n = ((2 * one - first - second) / (first - second) for one in (both, neither))
            known_b = 1 if both == first else -1 if both == second else None
            b = b if known_b is None else Decimal(known_b)
            last = score == (winning_score - 1, winning_score - 1)  # the match to 1, with b = n: checked already
            name = "pure" if last or b < n else "mixed"
            if not last:
                check_at(game, pure if name == "pure" else mixed, name, Fraction(b), Fraction(n), known_b)
            print(f"{score}  {name:5}  b {b:9.6f}  n {n:9.6f}  value {value:.40f}", flush=True)
