"""The value of a round and of every score of a match, and the check of the plans at each of them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from enclosures import decimals, points
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
    for score, value, b, n, known_b, error, chances in points(winning_score):
        name = "mixed" if chances else "pure"
        if score != (winning_score - 1, winning_score - 1):  # the match to 1, with b = n: checked already
            check_at(game, mixed if chances else pure, name, b, n, known_b)
        text = decimals(value, error, 40)
        print(f"{score}  {name:5}  b {float(b):9.6f}  n {float(n):9.6f}  value {text}", flush=True)
